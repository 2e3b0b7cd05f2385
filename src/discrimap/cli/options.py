"""Options that several commands share, and the objects in which commands receive them."""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Callable
from dataclasses import dataclass

import click

from discrimap.errors import InputError


def option_group(name: str, group: type, *parameters: Callable) -> Callable:
    """Return a decorator that adds parameters to a command and passes their values as one object.

    Parameters
    ----------
    name : str
        Name of the argument with which the command receives the object.
    group : dataclass
        Class of the object; its fields have the names of the parameters.
    *parameters : decorators
        From :func:`click.option` and :func:`click.argument`, in the order of the help page.
    """
    fields = [field.name for field in dataclasses.fields(group)]

    def decorate(command: Callable) -> Callable:
        @functools.wraps(command)
        def with_object(**values):
            values[name] = group(**{field: values.pop(field) for field in fields})
            return command(**values)

        for parameter in reversed(parameters):
            with_object = parameter(with_object)
        return with_object

    return decorate


@dataclass(frozen=True)
class DataOptions:
    """Which table to read, and what its target is."""

    data: str
    target: str | None
    task: str
    impute: str | None
    ids: str | None
    layer: str | None

    def load(self, **named: str | None):
        """Read the table; rows without a target are kept.

        ``named`` are further arguments of :func:`~discrimap.datasets.open_source` that name columns.
        """
        from discrimap.datasets import open_source

        return open_source(
            self.data,
            target=self.target,
            keep_missing=self.impute is not None,
            unlabelled="keep",
            task=self.task,
            ids=self.ids,
            layer=self.layer,
            **named,
        )

    def check_for_dask(self) -> None:
        """Refuse what only works for data in memory."""
        given = {"--impute": self.impute, "--id": self.ids, "--layer": self.layer}
        used = [option for option, value in given.items() if value is not None]
        if used:
            raise InputError(f"{' and '.join(used)} must be left out with --dask.")


@dataclass(frozen=True)
class FitOptions:
    """How a method is fitted."""

    components: int
    seed: int
    no_scale: bool


@dataclass(frozen=True)
class DaskOptions:
    """Whether to work with Dask, and on which processes."""

    dask_address: str | None  # None without --dask
    workers: int | None
    memory: str


# The address that stands for processes of this machine.
LOCAL = "local"

data_options = option_group(
    "source",
    DataOptions,
    click.argument("data"),
    click.option(
        "--target", help="Column that holds the classes or numbers; built-in sets need none."
    ),
    click.option(
        "--task",
        type=click.Choice(["auto", "classification", "regression"]),
        default="auto",
        show_default=True,
        help="Kind of target; 'auto' decides by its values.",
    ),
    click.option(
        "--impute",
        type=click.Choice(["median", "mean"]),
        help="Fill missing values with the median or mean of the training rows. [default: refuse them]",
    ),
    click.option(
        "--id",
        "ids",
        metavar="COLUMN",
        help="Column that names the rows and is not a feature. [default: recognised by its name and values]",
    ),
    click.option(
        "--layer",
        metavar="NAME",
        help="A matrix of layers or obsm of an .h5ad file instead of X; with --kernel, the array of an "
        "archive instead of S or D.",
    ),
)

fit_options = option_group(
    "fitting",
    FitOptions,
    click.option("--components", default=2, show_default=True, help="Dimensions of the map."),
    click.option(
        "--seed",
        default=0,
        show_default=True,
        help="Determines the result, except what a clock decides.",
    ),
    click.option("--no-scale", is_flag=True, help="Do not standardise the features."),
)

dask_options = option_group(
    "dask",
    DaskOptions,
    click.option(
        "--dask",
        "dask_address",
        is_flag=False,
        flag_value=LOCAL,
        metavar="[ADDRESS]",
        help="Work block by block with Dask: on processes of this machine or, with the ADDRESS of a "
        "scheduler, on its cluster. DATA may then be larger than memory, or a pattern such as "
        "'data/*.parquet'.",
    ),
    click.option(
        "--workers", type=click.IntRange(1), help="Processes of --dask. [default: one per core]"
    ),
    click.option(
        "--memory",
        default="auto",
        show_default=True,
        help="Memory limit of each process of --dask, such as 2GB; 'auto' shares that of the "
        "machine.",
    ),
)

quiet = click.option("--quiet", is_flag=True, help="No notices.")

# Read by discrimap.cli.main, which also sees errors in the other options.
traceback = click.option(
    "--traceback",
    is_flag=True,
    expose_value=False,
    help="Show the details of an unexpected error.",
)
