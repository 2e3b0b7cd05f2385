import matplotlib
import pytest

matplotlib.use("Agg")


@pytest.fixture(autouse=True)
def closed_figures():
    """No figure outlives its test."""
    import matplotlib.pyplot as plt

    yield
    plt.close("all")
