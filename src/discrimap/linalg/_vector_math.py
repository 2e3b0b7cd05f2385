"""``exp`` and ``log`` that the compiler can vectorise.

numba calls the C library once per number unless Intel's SVML is installed. These functions are
plain arithmetic, so that a loop over pairs processes four or eight pairs at a time; they take about
a third of the time of the library's, ``exp2`` less. ``exp`` and ``exp2`` are exact to 2e-14
relative, ``log`` to 1e-15; ``exp2`` in single precision, of which twice as many numbers are
processed at a time, to 3e-7.
"""

import math

import numba
import numpy as np
from llvmlite import ir
from numba.core import types
from numba.core.caching import IndexDataCacheFile
from numba.extending import intrinsic

from discrimap.linalg._code_files import CodeFiles

# Reductions may be reordered and fused, but NaN and infinity keep their meaning.
FAST = {"reassoc", "contract", "arcp", "nsz"}

_LOG2_E = 1.0 / math.log(2.0)
_LN2_HIGH = 6.93147180369123816490e-01
_LN2_LOW = 1.90821492927058770002e-10
# 2^f for |f| <= 1/2: the polynomial of degree 9 with the smallest relative error, 1.4e-14.
_A0, _A1, _A2, _A3 = 1.0000000000000129, 0.6931471805598717, 0.240226506956494, 0.055504108668673335
_A4, _A5, _A6 = 0.009618129192106438, 0.001333355761829231, 0.00015403434919808415
_A7, _A8, _A9 = 1.5252984470505312e-05, 1.3259411880157017e-06, 1.01504385481651e-07
# A number of this size, 1.5 * 2^52, has no fraction, so that adding it rounds to an integer, which
# is then in the lowest bits. The same in single precision is 1.5 * 2^23.
_ROUNDING, _SINGLE_ROUNDING = 6755399441055744.0, np.float32(12582912.0)
# In single precision every constant must be one, or numba computes in double precision.
# 2^f for |f| <= 1/2: the polynomial of degree 5 with the smallest relative error, 7.5e-8.
_C0, _C1, _C2 = np.float32(1.00000007), np.float32(0.69314697), np.float32(0.2402212)
_C3, _C4, _C5 = np.float32(0.05550713), np.float32(0.00967554), np.float32(0.00132765)
_SINGLE_LEAST = np.float32(-126.0)


def compiled(**options):
    """Decorate by ``numba.njit``, caching the machine code on disk if a folder is writable.

    numba stores it next to the source, or else in the user's cache folder. If neither is writable
    it raises an error, and the function is compiled again in each process.
    """
    # Python's check for division by zero is a branch, which would prevent vectorisation.
    options = {"nogil": True, "error_model": "numpy", **options}

    def decorate(function):
        try:
            made = numba.njit(cache=True, **options)(function)
        except RuntimeError:
            return numba.njit(**options)(function)
        # Neither attribute is public: there is none with NUMBA_DISABLE_JIT, and numba may rename them.
        files = getattr(getattr(made, "_cache", None), "_cache_file", None)
        if type(files) is IndexDataCacheFile:
            files.__class__ = CodeFiles
        return made

    return decorate


@intrinsic
def _float_of_bits(typing_context, bits):
    def build(context, builder, signature, arguments):
        return builder.bitcast(arguments[0], ir.DoubleType())

    return types.float64(types.int64), build


@intrinsic
def _bits_of_float(typing_context, number):
    def build(context, builder, signature, arguments):
        return builder.bitcast(arguments[0], ir.IntType(64))

    return types.int64(types.float64), build


@intrinsic
def _bits_of_single(typing_context, number):
    def build(context, builder, signature, arguments):
        return builder.bitcast(arguments[0], ir.IntType(32))

    return types.int32(types.float32), build


@intrinsic
def _single_of_bits(typing_context, bits):
    def build(context, builder, signature, arguments):
        return builder.bitcast(arguments[0], ir.FloatType())

    return types.float32(types.int32), build


@compiled(fastmath={"contract"}, forceinline=True)
def vector_exp(x):
    """``exp(x)`` for x below 700; zero if the result is not a normal number."""
    is_normal = x > -707.0
    x = max(x, -707.0)
    # x = k ln 2 + r with |r| <= ln(2) / 2, and a Taylor polynomial in r.
    k = np.floor(x * _LOG2_E + 0.5)
    r = (x - k * _LN2_HIGH) - k * _LN2_LOW
    # Estrin's order of evaluation, whose short chains overlap in the pipeline.
    r2 = r * r
    r4 = r2 * r2
    low = (1.0 + r) + r2 * (0.5 + r * (1.0 / 6.0))
    middle = (1.0 / 24.0 + r * (1.0 / 120.0)) + r2 * (1.0 / 720.0 + r * (1.0 / 5040.0))
    high = (1.0 / 40320.0 + r * (1.0 / 362880.0)) + r2 * (1.0 / 3628800.0 + r * (1.0 / 39916800.0))
    p = low + r4 * (middle + r4 * high)
    # Through 32 bits, because AVX2 has no conversion of floats to 64-bit integers.
    exponent = np.int64(np.int32(k)) + np.int64(1023)
    result = p * _float_of_bits(exponent << np.int64(52))  # type: ignore[call-arg]
    return result if is_normal else 0.0


@compiled(fastmath={"contract"}, forceinline=True)
def vector_exp2(x):
    """``2^x`` for x below 1000; below -1000 it is 2^-1000 (9e-302)."""
    x = max(x, -1000.0)
    rounded = x + _ROUNDING
    f = x - (rounded - _ROUNDING)
    f2 = f * f
    f4 = f2 * f2
    low = (_A0 + _A1 * f) + f2 * (_A2 + _A3 * f)
    high = (_A4 + _A5 * f) + f2 * (_A6 + _A7 * f)
    p = low + f4 * (high + f4 * (_A8 + _A9 * f))
    # Add the integer to the exponent of p, in its bits.
    exponent = _bits_of_float(rounded) << np.int64(52)  # type: ignore[call-arg]
    return _float_of_bits(_bits_of_float(p) + exponent)


@compiled(fastmath={"contract"}, forceinline=True)
def single_exp2(x):
    """``2^x`` of a float32 of at most 120; below -126 it is 2^-126 (1.2e-38)."""
    x = max(x, _SINGLE_LEAST)
    rounded = x + _SINGLE_ROUNDING
    f = x - (rounded - _SINGLE_ROUNDING)
    f2 = f * f
    p = (_C0 + _C1 * f) + f2 * ((_C2 + _C3 * f) + f2 * (_C4 + _C5 * f))
    exponent = _bits_of_single(rounded) << np.int32(23)  # type: ignore[call-arg]
    return _single_of_bits(_bits_of_single(p) + exponent)


@compiled(fastmath={"contract"}, forceinline=True)
def vector_log(x):
    """``log(x)`` for normal numbers x >= 1."""
    bits = _bits_of_float(x)  # type: ignore[call-arg,var-annotated]
    exponent = np.float64(np.int32(np.uint64(bits) >> np.uint64(52)) - np.int32(1023))
    mantissa = _float_of_bits(
        (bits & np.int64(0x000FFFFFFFFFFFFF)) | np.int64(0x3FF0000000000000)
    )  # in [1, 2)
    is_large = mantissa > math.sqrt(2.0)
    mantissa = mantissa * 0.5 if is_large else mantissa
    exponent = exponent + 1.0 if is_large else exponent
    # log m = 2 artanh(s), s = (m - 1) / (m + 1), |s| < 0.172.
    s = (mantissa - 1.0) / (mantissa + 1.0)
    q = s * s
    p = 1.0 / 21.0
    p = p * q + 1.0 / 19.0
    p = p * q + 1.0 / 17.0
    p = p * q + 1.0 / 15.0
    p = p * q + 1.0 / 13.0
    p = p * q + 1.0 / 11.0
    p = p * q + 1.0 / 9.0
    p = p * q + 1.0 / 7.0
    p = p * q + 1.0 / 5.0
    p = p * q + 1.0 / 3.0
    p = p * q + 1.0
    return exponent * _LN2_HIGH + (2.0 * s * p + exponent * _LN2_LOW)
