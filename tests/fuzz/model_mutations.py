"""Random changes to model files: of bytes, of members, of JSON values and of arrays."""

import copy
import io
import json
import zipfile

import numpy as np

BAD_VALUES = [
    None,
    True,
    False,
    0,
    -1,
    1,
    2,
    3,
    10**6,
    2**31,
    2**63,
    10**4000,
    -(10**400),
    0.5,
    1e-300,
    5e-324,
    -1e300,
    1e300,
    float("nan"),
    float("inf"),
    -float("inf"),
    "",
    "0",
    "auto",
    "nan",
    "precomputed",
    "svd",
    "continuous",
    "os.system",
    "\x00",
    "\ud800",
    [],
    {},
    [1, 2],
    [[]],
    {"array": "estimator/mean_"},
    {"array": "absent"},
    {"array": 3},
    {"array": ["a"]},
    {"number": "nan"},
    {"number": "inf"},
    {"number": {}},
    {"pairs": [["a", 1.0]]},
    {"pairs": [[[], 1.0]]},
    {"pairs": 3},
    {"fisher-metric": {}},
    {"fisher-metric": {"posterior": "x"}},
]


def members_of(content):
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def zipped(members, compression=zipfile.ZIP_STORED):
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", compression) as archive:
        for name, content in members:
            archive.writestr(name, content)
    return stream.getvalue()


def npy(array):
    stream = io.BytesIO()
    np.lib.format.write_array(stream, array, allow_pickle=array.dtype == object)
    return stream.getvalue()


def flip_bytes(content, rng):
    changed = bytearray(content)
    for place in rng.integers(len(content), size=rng.integers(1, 9)):
        changed[place] ^= 1 << rng.integers(8)
    return bytes(changed)


def flip_directory(content, rng):
    """Change bytes of the directory at the end, which says where members are and how large."""
    start = content.index(b"PK\x01\x02")
    return content[:start] + flip_bytes(content[start:], rng)


def cut_off(content, rng):
    return content[: rng.integers(len(content))]


def lengthen(content, rng):
    more = rng.bytes(int(rng.integers(1, 300)))
    return more + content if rng.random() < 0.5 else content + more


def replace_range(content, rng):
    start, stop = np.sort(rng.integers(len(content), size=2))
    return content[:start] + rng.bytes(int(rng.integers(stop - start + 1))) + content[stop:]


def swap_members(content, rng):
    members = members_of(content)
    one, other = rng.choice(sorted(members), size=2, replace=False)
    members[one], members[other] = members[other], members[one]
    return zipped(members.items())


def drop_or_add_members(content, rng):
    members = list(members_of(content).items())
    place = rng.integers(len(members))
    name, value = members[place]
    kind = rng.integers(4)
    if kind == 0:
        del members[place]
    elif kind == 1:
        members[place] = f"{name}x", value
    elif kind == 2:
        members.append((str(rng.choice(["x.npy", "schema.json", "../up.npy", "x.pkl"])), value))
    else:
        members[place] = name, b""
    return zipped(members)


def compress(content, rng):
    return zipped(members_of(content).items(), zipfile.ZIP_DEFLATED)


def edit_json(content, rng):
    members = members_of(content)
    document = json.loads(members["model.json"])
    for _ in range(rng.integers(1, 3)):
        _edit_one(document, rng)
    members["model.json"] = json.dumps(document).encode()
    return zipped(members.items())


def nest_deeply(content, rng):
    members = members_of(content)
    text = members["model.json"].decode()
    place = text.index(":", int(rng.integers(len(text) - 200))) + 1
    depth = int(rng.choice([50, 2000, 200_000]))
    deep = text[:place] + "[" * depth + "]" * depth + "," + text[place:]
    members["model.json"] = deep.encode()
    return zipped(members.items())


def _edit_one(document, rng):
    places = list(_places(document))
    holder, key = places[rng.integers(len(places))]
    kind = rng.integers(4)
    if kind == 0 and isinstance(holder, dict):
        del holder[key]
    elif kind == 1 and isinstance(holder, dict):
        holder[str(rng.choice(["transform", "__class__", "n_jobs", "x_", key + "_"]))] = holder[key]
    elif kind == 2:
        other, other_key = places[rng.integers(len(places))]
        holder[key] = copy.deepcopy(other[other_key])
    else:
        holder[key] = copy.deepcopy(BAD_VALUES[rng.integers(len(BAD_VALUES))])


def _places(value):
    items = value.items() if isinstance(value, dict) else enumerate(value)
    for key, inside in list(items):
        yield value, key
        if isinstance(inside, (dict, list)):
            yield from _places(inside)


def edit_array(content, rng):
    members = members_of(content)
    name = str(rng.choice([name for name in members if name.endswith(".npy")]))
    members[name] = _edited_array(members[name], rng)
    return zipped(members.items())


def _edited_array(content, rng):
    array = np.load(io.BytesIO(content))
    kind = rng.integers(12)
    if kind == 0:
        return npy(array[..., None])
    if kind == 1:
        return npy(array[:-1])
    if kind == 2:
        return npy(np.concatenate([array, array]))
    if kind == 3:
        return npy(array.T if array.ndim > 1 else array.reshape(1, -1))
    if kind == 4:
        return npy(array.ravel()[:0])
    if kind == 5:
        type_ = str(rng.choice(["f4", "i4", ">f8", "f2", "c16", "O", "U3", "M8[s]", "b1"]))
        with np.errstate(all="ignore"):
            return npy(array.astype(type_) if array.dtype.kind != "U" else array.astype("O"))
    if kind == 6:
        return content.replace(b"'shape': (", b"'shape': (" + rng.choice([b"9" * 12, b"-", b"("]))
    if kind == 7:
        return _damaged_header(content, rng)
    flat = array.ravel().copy()
    place = rng.integers(len(flat))
    if array.dtype.kind == "f":
        flat[place] = rng.choice([np.nan, np.inf, -np.inf, 0, -1, 1e-300, 1e30, 1e300, 5e-324])
    elif array.dtype.kind == "i":
        flat[place] = rng.choice([-1, 1, 2**31, 2**62, -(2**62), 1000])
    else:
        flat.view(np.uint32)[rng.integers(len(flat.view(np.uint32)))] = 2**31 + 5
    return npy(flat.reshape(array.shape))


def _damaged_header(content, rng):
    changed = bytearray(content)
    for place in rng.integers(10, min(len(content), 100), size=rng.integers(1, 4)):
        changed[place] = int(rng.choice(list(b"(){}[]'\",:0123456789<>OfUi\n\x00L")))
    return bytes(changed)


# Those of bytes leave the sums that a zip archive keeps of its members as they were.
OF_BYTES = (flip_bytes, flip_directory, cut_off, lengthen, replace_range)
OF_VALUES = (
    swap_members,
    drop_or_add_members,
    compress,
    edit_json,
    edit_json,
    edit_json,
    edit_json,
    nest_deeply,
    edit_array,
    edit_array,
    edit_array,
)
