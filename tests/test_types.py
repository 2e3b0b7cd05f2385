"""What py.typed promises: public names are annotated, and mypy checks their modules strictly."""

import ast
import inspect
import re
import tomllib
from importlib import import_module
from pathlib import Path

import mypy.api
import pytest

import discrimap

ROOMS = (
    "discrimap",
    *(
        f"discrimap.{room}"
        for room in (
            *("metrics", "comparison", "plots", "datasets", "models", "kernel_sums"),
            *("optimisers", "inspection", "report"),
        )
    ),
)
OBJECTS = {
    f"{room}.{name}": value
    for room in ROOMS
    for name in import_module(room).__all__
    if inspect.isclass(value := getattr(import_module(room), name)) or inspect.isfunction(value)
}

# The flags of "mypy --strict" that [tool.mypy] does not set for every module.
STRICT_FLAGS = (
    *("disallow_untyped_defs", "disallow_incomplete_defs", "disallow_untyped_decorators"),
    *("disallow_untyped_calls", "disallow_subclassing_any", "disallow_any_generics"),
    *("warn_return_any", "no_implicit_reexport", "strict_equality", "extra_checks"),
)


def strict_modules():
    pyproject = tomllib.loads((Path(__file__).parents[1] / "pyproject.toml").read_text())
    (override,) = pyproject["tool"]["mypy"]["overrides"]
    for flag in STRICT_FLAGS:
        assert override[flag], flag
    return set(override["module"])


def own_functions(value):
    """A function, or the public methods of a class that are defined in this package."""
    if inspect.isfunction(value):
        return [value]
    members = [value.__init__, *(getattr(value, name) for name in dir(value) if name[0] != "_")]
    return [
        inspect.unwrap(member)
        for member in members
        if inspect.isfunction(member) and member.__module__.startswith("discrimap.")
    ]


def test_every_public_module_is_checked_strictly():
    modules = {
        function.__module__ for value in OBJECTS.values() for function in own_functions(value)
    }
    assert modules <= strict_modules()


@pytest.mark.parametrize("name", OBJECTS)
def test_public_functions_and_methods_are_annotated(name):
    for function in own_functions(OBJECTS[name]):
        signature = inspect.signature(function)
        bare = [
            parameter.name
            for parameter in signature.parameters.values()
            if parameter.annotation is inspect.Parameter.empty and parameter.name != "self"
        ]
        assert not bare, f"{function.__qualname__}: {bare}"
        is_generated = function.__name__ == "__init__" and hasattr(
            OBJECTS[name], "__dataclass_fields__"
        )
        assert is_generated or signature.return_annotation is not inspect.Signature.empty


def test_type_checkers_see_every_public_name_of_the_package():
    tree = ast.parse(Path(discrimap.__file__).read_text(encoding="utf-8"))
    (block,) = [node for node in tree.body if isinstance(node, ast.If)]
    assert ast.unparse(block.test) == "TYPE_CHECKING"
    # "as" makes the name public to type checkers.
    seen = {one.asname: node.module for node in block.body for one in node.names}
    assert seen == discrimap._MODULE_OF_NAME


# A file of a user, with the answer of mypy beside each line that is looked at.
OF_A_USER = """
import numpy as np

from discrimap import FisherTSNE, StochasticDiscriminantAnalysis, compare, show
from discrimap.comparison import Protocol
from discrimap.datasets import load, read_table, write_table
from discrimap.metrics import knn_error
from discrimap.models import fit_model, load_model, save_model
from discrimap.plots import plot_embedding

X, y = np.zeros((6, 3)), ["a", "b"] * 3
sda = StochasticDiscriminantAnalysis(n_components=2, alpha="cv", random_state=0).fit(X, y)
Z = sda.transform(X)
FisherTSNE(random_state=0).fit_transform(X, y)
comparison = compare(X, y, ["lda", ("SDA", sda)], protocol=Protocol(n_repeats=3))
save_model("model.skops", fit_model(load("iris"), "sda"))
write_table("map.csv", Z, ["x", "y"])
show(sda, X, y)
reveal_type(sda)  # "discrimap.sda.estimator.StochasticDiscriminantAnalysis"
reveal_type(knn_error(Z, y, Z, y))  # "float"
reveal_type(comparison.verdict)  # "tuple[str, ...]"
reveal_type(comparison.results[0].test_error)  # "float"
reveal_type(read_table("wines.csv", target="grower"))  # "discrimap.tables.dataset.Dataset"
reveal_type(load_model("model.skops"))  # "discrimap.models.model.Model"
reveal_type(plot_embedding(Z, y))  # "matplotlib.axes._axes.Axes"
StochasticDiscriminantAnalysis(n_components="two")  # expected "int"
StochasticDiscriminantAnalysis(alpha="none")  # incompatible type
StochasticDiscriminantAnalysis(n_component=2)  # Unexpected keyword argument
compare(X, y, protocol=3)  # expected "Protocol | None"
comparison.verdicts  # has no attribute "verdicts"
"""


def test_mypy_checks_a_file_of_a_user_by_the_types_of_the_package(tmp_path):
    path = tmp_path / "of_a_user.py"
    path.write_text(OF_A_USER)
    options = ["--strict", "--config-file=", f"--cache-dir={tmp_path}", "--no-color-output"]
    answer, complaint, _ = mypy.api.run([*options, str(path)])
    assert not complaint
    said = re.findall(r"of_a_user\.py:(\d+): (?:error|note): (.*)$", answer, flags=re.MULTILINE)
    lines = OF_A_USER.splitlines()
    expected = {
        str(number): line.partition("  # ")[2]
        for number, line in enumerate(lines, 1)
        if "  # " in line
    }
    assert {number for number, _ in said} == {*expected}, answer
    for number, words in expected.items():
        assert any(words in text for at, text in said if at == number), answer
