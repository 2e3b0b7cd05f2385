"""The page of linear maps in the plane: docs/benchmarks/linear-maps.md."""

import numpy as np

from benchmarks import sda_epsilon, sda_objectives, sda_penalty, sda_vote
from benchmarks.linear_maps import METHODS, MOST_TEST, MOST_TRAINING, NAME, SETS, errors_by_split
from benchmarks.pages.picture_marks import picture
from benchmarks.results import Store
from discrimap.sda.estimator import FEW_PER_FEATURE

AUTO = "SDA, auto"
# Times are those of splits that were run in turn with all methods, by one version on one machine.
TIMED_SPLITS = 10
PAIRS = (
    (AUTO, "LDA"),
    ("SDA", "LDA"),
    ("RSDA", "SDA"),
    ("components", AUTO),
    ("components", "LDA"),
    ("components", "NCA"),
    (AUTO, "NCA"),
)


def read(folder):
    """Shapes, and errors and times (n_splits,) by data set and method, where every method has run."""
    stored = Store(NAME, folder).tree()
    fits = {}
    for name in SETS:
        by_method = stored.get("fits", {}).get(name, {})
        if set(METHODS) <= set(by_method):
            # The splits that all methods have.
            splits = set.intersection(*(set(by_method[method]) for method in METHODS))
            fits[name] = {
                method: [by_method[method][seed] for seed in sorted(splits, key=int)]
                for method in METHODS
            }
    return stored.get("shapes", {}), fits


def column(fits, name, method, what):
    return np.array([one[what] for one in fits[name][method]])


def mean_errors(fits, what="error"):
    """Mean errors in per cent, (n_sets, n_methods)."""
    return np.array(
        [[100 * column(fits, name, method, what).mean() for method in METHODS] for name in fits]
    )


def error_table(shapes, fits):
    yield "| data | n | features | classes | splits | " + " | ".join(METHODS) + " |"
    yield "|---" * (len(METHODS) + 5) + "|"
    for name, errors in zip(fits, mean_errors(fits), strict=True):
        shape, lowest = shapes[name], errors.min()
        cells = [
            f"**{error:.1f}**" if error <= lowest + 0.05 else f"{error:.1f}" for error in errors
        ]
        facts = [name, shape["n"], shape["p"], shape["classes"], len(fits[name][METHODS[0]])]
        yield "| " + " | ".join([*map(str, facts), *cells]) + " |"
    means = " | ".join(f"{error:.1f}" for error in mean_errors(fits).mean(axis=0))
    yield f"| mean | | | | | {means} |"


def median_seconds(fits, name, method):
    """Processor seconds of a fit: the median over the first splits."""
    return np.median(column(fits, name, method, "cpu")[:TIMED_SPLITS])


def time_table(fits):
    yield "| data | " + " | ".join(METHODS) + " |"
    yield "|---" * (len(METHODS) + 1) + "|"
    for name in fits:
        seconds = [median_seconds(fits, name, method) for method in METHODS]
        yield f"| {name} | " + " | ".join(f"{value:.2g}" for value in seconds) + " |"


def differences(shapes, fits, first, second):
    """Errors of the first minus the second method in points, (n_splits,) by data set.

    "SDA, auto" is SDA with ``alpha="auto"``: RSDA with fewer than five samples for each feature.
    """

    def errors(name, method):
        if method == AUTO:
            method = "RSDA" if is_wide(shapes[name]) else "SDA"
        return 100 * column(fits, name, method, "error")

    return {name: errors(name, first) - errors(name, second) for name in fits}


def is_wide(shape):
    return shape["n"] < FEW_PER_FEATURE * shape["p"]


def standard_error(values, shape):
    """Standard error of a mean over random splits, which share samples.

    If every split uses all samples, the variance is corrected as by Nadeau and Bengio (2003). The
    correction is smaller for larger data sets, in proportion to the share that a split uses.
    """
    if len(values) < 2:
        return np.inf
    share = (shape["n"] + shape["n_test"]) / shape["samples"]
    return values.std(ddof=1) * np.sqrt(1 / len(values) + share * shape["n_test"] / shape["n"])


def standard_errors(shapes, found):
    return np.array([standard_error(one, shapes[name]) for name, one in found.items()])


def versus_table(shapes, fits):
    yield "| methods | lower error | clearly | higher error | clearly | mean difference, points |"
    yield "|---|---|---|---|---|---|"
    for first, second in PAIRS:
        found = differences(shapes, fits, first, second)
        means = np.array([one.mean() for one in found.values()])
        clear = np.abs(means) > 2 * standard_errors(shapes, found)
        counts = [(means < 0), (means < 0) & clear, (means > 0), (means > 0) & clear]
        cells = " | ".join(str(int(one.sum())) for one in counts)
        yield f"| {first} compared with {second} | {cells} | {means.mean():+.1f} |"


def lda_table(shapes, fits):
    yield "| data | SDA, auto − LDA | components − LDA | components − SDA, auto |"
    yield "|---|---|---|---|"
    pairs = [(AUTO, "LDA"), ("components", "LDA"), ("components", AUTO)]
    columns = [differences(shapes, fits, *pair) for pair in pairs]
    errors = [standard_errors(shapes, one) for one in columns]
    for k, name in enumerate(fits):
        cells = [
            f"{one[name].mean():+.1f} ± {error[k]:.1f}"
            for one, error in zip(columns, errors, strict=True)
        ]
        yield f"| {name} | " + " | ".join(cells) + " |"


def penalty_section(folder):
    """SDA and RSDA by the number of samples per feature, from the runs of benchmarks/sda_penalty.py."""
    rows = []
    for name, sizes in Store(sda_penalty.NAME, folder).tree().items():
        for size, fits in sizes.items():
            seeds = sorted(set.intersection(*(set(fits[method]) for method in sda_penalty.ALPHAS)))
            without, penalty = (
                np.array(
                    [[fits[method][seed][what] for what in ("error", "cpu")] for seed in seeds]
                )
                for method in sda_penalty.ALPHAS
            )
            per_feature = int(size) / fits["SDA"][seeds[0]]["p"]
            rows.append((per_feature, name, size, len(seeds), without, penalty))
    if not rows:
        return
    yield "## When SDA needs a penalty"
    yield ""
    yield (
        "`python benchmarks/sda_penalty.py` compares SDA and RSDA on other splits of ten data sets, with 150, 300 and "
        "600 training samples. The rows are in order of the samples per feature. RSDA takes about twice the time or more. "
        f"Its gain is clear below {FEW_PER_FEATURE} samples per feature on most data sets, and small above, so that "
        f'`alpha="auto"` searches for a penalty below {FEW_PER_FEATURE}. The comparison was made because of USPS and phoneme '
        "in the table above, and the rule was chosen on the splits below. Held-out 1-NN error in percent, the difference "
        "with its standard error, and processor seconds:"
    )
    yield ""
    yield "| data | n | samples per feature | splits | SDA | RSDA | difference | s, SDA | s, RSDA |"
    yield "|---" * 9 + "|"
    for per_feature, name, size, n_splits, without, penalty in sorted(rows, key=lambda row: row[0]):
        gain = 100 * (penalty - without)[:, 0]
        yield (
            f"| {name} | {size} | {per_feature:.1f} | {n_splits} | {100 * without[:, 0].mean():.1f} | "
            f"{100 * penalty[:, 0].mean():.1f} | {gain.mean():+.1f} ± {gain.std(ddof=1) / np.sqrt(len(gain)):.1f} | "
            f"{without[:, 1].mean():.2f} | {penalty[:, 1].mean():.2f} |"
        )
    yield ""


def error_rows(found):
    """Rows of a table: mean errors of each data set in percent, and their means."""
    means = 100 * np.array([np.mean(rows, axis=0) for rows in found.values()])
    for (name, rows), of_set in zip(found.items(), means, strict=True):
        yield f"| {name} | {len(rows)} | " + " | ".join(f"{mean:.1f}" for mean in of_set) + " |"
    yield "| mean | | " + " | ".join(f"{mean:.2f}" for mean in means.mean(axis=0)) + " |"


def epsilon_section(folder):
    """The choice of epsilon, from the runs of benchmarks/sda_epsilon.py."""
    found = sda_epsilon.errors_of(Store(sda_epsilon.NAME, folder).tree(), "2")
    if not found:
        return []
    used, differences_of, errors = sda_epsilon.chosen(found)
    powers = [f"C^-{power:g}" for power in sda_epsilon.POWERS]
    lines = [
        "## The rule for epsilon",
        "",
        "The default epsilon of SDA is a power of the number of classes C; the paper uses C^-1. `python "
        'benchmarks/sda_epsilon.py` compares several powers, with `alpha="auto"`, on '
        f"{len(found)} of these data sets and other splits. Held-out 1-NN error in percent:",
        "",
        "| data | splits | LDA | " + " | ".join(powers) + " |",
        "|---" * (len(powers) + 3) + "|",
    ]
    lines += error_rows(found)
    cells = ", ".join(
        f"{power} {100 * difference:+.2f} ± {100 * error:.2f}"
        for k, (power, difference, error) in enumerate(
            zip(powers, differences_of, errors, strict=True)
        )
        if k != used
    )
    lines += [
        "",
        "Among the powers whose mean is within one standard error of the smallest, the default is the one nearest to the "
        f"paper's: **{powers[used]}**. Differences of the other means from it, in percentage points, with standard errors over "
        f"the data sets: {cells}.",
        "",
        *other_dimensions(folder),
    ]
    return lines


def objective_section(folder):
    """Other objectives, from the runs of benchmarks/sda_objectives.py."""
    methods = sda_objectives.METHODS
    found = errors_by_split(Store(sda_objectives.NAME, folder).tree(), methods)
    if not found:
        return []
    lines = [
        "## Other objectives",
        "",
        "`python benchmarks/sda_objectives.py` compares SDA with two objectives that have the same kernel. *rows*: the "
        "probabilities of the pairs of each sample sum to one, instead of those of all pairs together "
        '(`StochasticDiscriminantAnalysis(normalisation="rows")`). *log-ratio*: the logarithm of the share of the own class '
        "in the kernel sum at each sample, as in discriminative components, from the maps of LDA and of SDA. Held-out 1-NN error in percent, on data sets with at least five training "
        "samples for each feature, and other splits:",
        "",
        "| data | splits | " + " | ".join(methods) + " |",
        "|---" * (len(methods) + 2) + "|",
    ]
    lines += error_rows(found)
    means = 100 * np.array([np.mean(rows, axis=0) for rows in found.values()])
    differences = means - means[:, [methods.index("SDA")]]
    errors = differences.std(axis=0, ddof=1) / np.sqrt(len(differences))
    cells = ", ".join(
        f"{method} {differences[:, k].mean():+.2f} ± {errors[k]:.2f}"
        for k, method in enumerate(methods)
        if method != "SDA"
    )
    return [
        *lines,
        "",
        "Differences of the means from that of SDA, in percentage points, with standard errors over the data sets: "
        f"{cells}.",
        "",
    ]


def vote_section(folder):
    """A choice between maps by votes, from the runs of benchmarks/sda_vote.py."""
    found = sda_vote.errors_of(Store(sda_vote.NAME, folder).tree())
    if not found:
        return []
    methods = [*sda_vote.METHODS, *sda_vote.CHOICES]
    means = {name: np.mean(rows, axis=0) for name, rows in found.items()}
    behind = {
        method: [name for name in found if means[name][k] > means[name][0]]
        for k, method in enumerate(methods)
    }
    return [
        "## A choice by votes is not below LDA on every data set either",
        "",
        "On data sets where LDA is close to the best linear map, any other map has a higher error on some splits by "
        "chance. `python benchmarks/sda_vote.py` shows how far this goes: on other splits, it chooses between maps by the "
        "error of five neighbours on the training samples, each left out in turn. Held-out 1-NN error in percent:",
        "",
        "| data | splits | " + " | ".join(methods) + " |",
        "|---" * (len(methods) + 2) + "|",
        *error_rows(found),
        "",
        f"Even the choice that contains the map of LDA has a higher mean error than LDA on {len(behind[methods[-1]])} data sets "
        f"({', '.join(behind[methods[-1]])}), compared with {len(behind['SDA'])} for SDA ({', '.join(behind['SDA'])}).",
        "",
    ]


def other_dimensions(folder):
    """The same in other numbers of dimensions."""
    tree = Store(sda_epsilon.NAME, folder).tree()
    rows = {}
    for n_components in ("1", "3", "C - 1"):
        found = sda_epsilon.errors_of(tree, n_components)
        if found:
            rows[n_components] = 100 * np.mean(
                [np.mean(one, axis=0) for one in found.values()], axis=0
            )
            n_sets, n_splits = len(found), min(len(one) for one in found.values())
    if not rows:
        return []
    return [
        f"The same with other numbers of components, means over {n_sets} data sets with {n_splits} splits each:",
        "",
        "| components | LDA | "
        + " | ".join(f"C^-{power:g}" for power in sda_epsilon.POWERS)
        + " |",
        "|---" * (len(sda_epsilon.POWERS) + 2) + "|",
        *(
            f"| {name} | " + " | ".join(f"{mean:.1f}" for mean in means) + " |"
            for name, means in rows.items()
        ),
        "",
    ]


def page(folder):
    shapes, fits = read(folder)
    if not fits:
        return ""
    n_splits = sorted({len(fits[name][METHODS[0]]) for name in fits})
    counts = " to ".join(map(str, dict.fromkeys([n_splits[0], n_splits[-1]])))
    wide = ", ".join(name for name in fits if is_wide(shapes[name]))
    lines = [
        "# Linear maps in the plane",
        "",
        "This page compares linear methods with two components on many data sets: error on held-out samples and "
        "time of the fit. `python benchmarks/linear_maps.py` makes the runs and stores them in "
        f"`benchmarks/results/{NAME}.jsonl`. `python benchmarks/run.py --pages` writes the page, and "
        "`python benchmarks/pictures.py` draws the picture.",
        "",
        f"There are {counts} splits of each data set, with at most {MOST_TRAINING} training samples and "
        f"{MOST_TEST:,} test samples. All methods have their defaults. *SDA* is stochastic discriminant analysis, "
        '*RSDA* is SDA with a penalty chosen by cross-validation (`alpha="cv"`), *components* is '
        "`DiscriminativeComponents`, *NCA* is `NeighborhoodComponents`. LDA of two classes has "
        "one component. Features are standardised, except images and spectra.",
        "",
        picture("linear-maps.png", "held-out error and time of each method on each data set"),
        "",
        "## Held-out 1-NN error in percent",
        "",
        "*n* is the number of training samples. The smallest error of a row is in bold.",
        "",
        *error_table(shapes, fits),
        "",
        "## Comparison of pairs of methods",
        "",
        '"SDA, auto" is SDA with `alpha="auto"`, which `discrimap compare` uses. It is RSDA if there are fewer than five '
        f"samples for each feature ({wide}), and SDA otherwise.",
        "",
        "The columns are the number of data sets on which the first method has a lower or higher error, and the number of "
        "those where the mean difference is larger than two standard errors (*clearly*). Splits share samples, so the "
        "variance of a mean over J splits is the variance of the differences times 1/J + s n_test/n, where s is the share of the data "
        "set's samples that one split uses. With s = 1 this is the correction of Nadeau and Bengio (2003).",
        "",
        *versus_table(shapes, fits),
        "",
        "Mean differences in percentage points, and these standard errors. A negative difference means "
        "that the first method has the lower error.",
        "",
        *lda_table(shapes, fits),
        "",
        *penalty_section(folder),
        *epsilon_section(folder),
        *objective_section(folder),
        *vote_section(folder),
        "## Time of a fit",
        "",
        f"Processor seconds of one thread, median over the first {TIMED_SPLITS} splits.",
        "",
        *time_table(fits),
        "",
    ]
    return "\n".join(lines)
