"""Progress and callbacks: the estimators' own, and scikit-learn's where it has them."""

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import load_iris
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from discrimap.base.iterative_fit import IterativeFit
from discrimap.registry import METHODS

OURS = [method for method in METHODS if method.is_ours and method.classes]
ITERATIVE = [method for method in OURS if issubclass(type(method.make()), IterativeFit)]
by_name = pytest.mark.parametrize("method", OURS, ids=lambda method: method.name)
by_iterative = pytest.mark.parametrize("method", ITERATIVE, ids=lambda method: method.name)

has_protocol = pytest.mark.skipif(
    not hasattr(IterativeFit, "set_callbacks"), reason="scikit-learn before 1.9 has no callbacks"
)


class Recorder:
    """Follows scikit-learn's protocol and writes down what it is told."""

    max_propagation_depth = None

    def __init__(self, stop_at=None):
        self.events = []
        self.stop_at = stop_at

    def setup(self, estimator, context):
        self.events.append("setup")

    def teardown(self, estimator, context):
        self.events.append("teardown")

    def on_fit_task_begin(self, estimator, context):
        self.events.append(("begin", context.task_name))

    def on_fit_task_end(self, estimator, context, *, metadata=None, fitted_estimator=None):
        self.events.append(("end", context.task_name, metadata, fitted_estimator))
        return self.stop_at is not None and self.n_steps >= self.stop_at

    @property
    def steps(self):
        return [event[2] for event in self.events if event[:2] == ("end", "iteration")]

    @property
    def n_steps(self):
        return len(self.steps)


def make(method):
    """One random start: others have often arrived before the search that is reported."""
    estimator = method.make(random_state=0)
    known = estimator.get_params()
    wanted = {"n_init": 1, "init": "random"}
    return estimator.set_params(**{name: wanted[name] for name in wanted if name in known})


@pytest.fixture
def iris():
    X, y = load_iris(return_X_y=True)
    return StandardScaler().fit_transform(X), y


def test_the_iterative_methods_are_those_with_verbose():
    assert {method.name for method in ITERATIVE} == {
        method.name for method in OURS if "verbose" in method.make().get_params()
    }


@has_protocol
@by_name
def test_every_fit_is_a_task_of_scikit_learn(method, iris):
    recorder = Recorder()
    estimator = make(method).set_callbacks(recorder)
    estimator.fit(*iris)
    first, begin, *steps, end, last = recorder.events
    assert (first, begin, last) == ("setup", ("begin", "fit"), "teardown")
    assert end[:2] == ("end", "fit")
    np.testing.assert_array_equal(end[3].transform(iris[0]), estimator.transform(iris[0]))
    assert bool(steps) == (method in ITERATIVE)
    assert not [name for name in vars(estimator) if name.startswith("_callback")]


@has_protocol
@by_iterative
def test_every_step_is_told_to_everybody(method, iris):
    recorder, seen = Recorder(), []
    estimator = make(method).set_params(callback=seen.append)
    estimator.set_callbacks(recorder).fit(*iris)
    assert [step["n_iter"] for step in recorder.steps] == [step.n_iter for step in seen]
    assert [step["value"] for step in recorder.steps] == [step.value for step in seen]
    assert len(seen) >= 2


@has_protocol
@by_iterative
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_a_callback_of_scikit_learn_can_stop_the_search(method, iris):
    recorder = Recorder(stop_at=1)
    estimator = make(method).set_callbacks(recorder).fit(*iris)
    full = make(method).fit(*iris)
    assert estimator.n_iter_ < full.n_iter_


@has_protocol
@by_iterative
def test_callbacks_reach_the_last_step_of_a_pipeline(method, iris):
    recorder = Recorder()
    pipeline = make_pipeline(StandardScaler(), make(method))
    pipeline.set_callbacks(recorder).fit(*iris)
    assert recorder.n_steps >= 2
    assert not hasattr(pipeline[-1], "_skl_callbacks")


@has_protocol
def test_the_progress_bar_of_scikit_learn_runs_to_its_end(iris, capsys):
    from sklearn.callback import ProgressBar

    for method in ITERATIVE:
        make(method).set_callbacks(ProgressBar()).fit(*iris)
        shown = capsys.readouterr().out
        assert type(method.make()).__name__ in shown
        assert "100%" in shown


@has_protocol
def test_callbacks_survive_a_clone_and_change_nothing(iris):
    for method in ITERATIVE:
        recorder = Recorder()
        watched = clone(make(method).set_callbacks(recorder)).fit(*iris)
        assert recorder.n_steps
        alone = make(method).fit(*iris)
        np.testing.assert_array_equal(watched.transform(iris[0]), alone.transform(iris[0]))


@by_iterative
def test_verbose_prints_on_stderr_and_silence_prints_nothing(method, iris, capsys):
    make(method).set_params(verbose=2).fit(*iris)
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.count(f"{type(method.make()).__name__}: iteration") >= 2
    make(method).fit(*iris)
    assert capsys.readouterr().err == ""


@by_iterative
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_our_own_callback_can_stop_the_search(method, iris):
    seen = []

    def stop(step):
        seen.append(step)
        return True

    estimator = make(method).set_params(callback=stop).fit(*iris)
    full = make(method).fit(*iris)
    assert estimator.n_iter_ < full.n_iter_
    assert seen
