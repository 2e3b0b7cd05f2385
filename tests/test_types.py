"""What py.typed promises: public names are annotated, and mypy checks their modules strictly."""

import ast
import inspect
import tomllib
from importlib import import_module
from pathlib import Path

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


def strict_modules():
    pyproject = tomllib.loads((Path(__file__).parents[1] / "pyproject.toml").read_text())
    (override,) = pyproject["tool"]["mypy"]["overrides"]
    assert override["disallow_untyped_defs"]
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
