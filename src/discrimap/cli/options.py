"""Options shared by several commands, and the objects in which commands receive them."""

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
        Results of :func:`click.option` and :func:`click.argument`, in the order of the help page.

    Returns
    -------
    decorate : callable
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
    """The table to read, and its target."""

    data: str
    target: str | None
    task: str
    impute: str | None
    ids: str | None
    layer: str | None

    def load(self, **named: str | None):
        """Read the table; rows without a target are kept.

        ``named`` are other arguments of :func:`~discrimap.datasets.open_source`, such as columns.
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
        """Raise an error for options that need data in memory."""
        given = {"--impute": self.impute, "--id": self.ids, "--layer": self.layer}
        used = [option for option, value in given.items() if value is not None]
        if used:
            raise InputError(
                f"{' and '.join(used)} cannot be used with --dask; leave {'it' if len(used) == 1 else 'them'} out."
            )


@dataclass(frozen=True)
class FitOptions:
    """Settings of a fit."""

    components: int
    seed: int
    no_scale: bool


@dataclass(frozen=True)
class DaskOptions:
    """Whether to use Dask, and its workers."""

    dask_address: str | None  # None without --dask
    workers: int | None
    memory: str


# The address that means worker processes on this machine.
LOCAL = "local"

data_options = option_group(
    "source",
    DataOptions,
    click.argument("data"),
    click.option(
        "--target", help="Column with the classes or numbers; not needed for named data sets."
    ),
    click.option(
        "--task",
        type=click.Choice(["auto", "classification", "regression"]),
        default="auto",
        show_default=True,
        help="Kind of target; 'auto' decides by the values.",
    ),
    click.option(
        "--impute",
        type=click.Choice(["median", "mean"]),
        help="Replace missing values by the median or mean of the training rows. [default: raise an error]",
    ),
    click.option(
        "--id",
        "ids",
        metavar="COLUMN",
        help="Column that identifies the rows and is not a feature. [default: recognised by its name and values]",
    ),
    click.option(
        "--layer",
        metavar="NAME",
        help="Matrix in layers or obsm of an .h5ad file to use instead of X; with --kernel, the array of "
        "an archive to use instead of S or D.",
    ),
)

fit_options = option_group(
    "fitting",
    FitOptions,
    click.option(
        "--components", default=2, show_default=True, help="Number of dimensions of the map."
    ),
    click.option(
        "--seed",
        default=0,
        show_default=True,
        help="Seed of random numbers. With the same seed, only a time limit can change the result.",
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
        help="Process the data in blocks with Dask: on worker processes of this machine or, with the "
        "ADDRESS of a scheduler, on its cluster. DATA may then be larger than memory, or a pattern such "
        "as 'data/*.parquet'.",
    ),
    click.option(
        "--workers",
        type=click.IntRange(1),
        help="Number of worker processes of --dask. [default: one per core]",
    ),
    click.option(
        "--memory",
        default="auto",
        show_default=True,
        help="Memory limit of each worker of --dask, such as 2GB; 'auto' divides the memory of the "
        "machine.",
    ),
)

quiet = click.option("--quiet", is_flag=True, help="Do not print notices or progress.")

# Read by discrimap.cli.main, because errors can occur before a command has parsed its options.
traceback = click.option(
    "--traceback",
    is_flag=True,
    expose_value=False,
    help="Show the traceback of an unexpected error.",
)
