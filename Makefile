# Two commands matter: `make demo` and `make test`. Both start from nothing but Python >= 3.11.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
LOWEST := .venv-lowest
# Python compiles what it imports; compiling all that is installed beforehand doubles the time of installing.
# So it must be free to keep what it compiled, whatever the environment says: tests and comparisons start
# processes by the dozen, and each would compile more than a thousand modules again, for five seconds.
export PYTHONDONTWRITEBYTECODE :=
INSTALL := $(BIN)/python -m pip install --quiet --disable-pip-version-check --no-compile
JOBS ?= auto

.PHONY: demo test test-elsewhere test-lowest fuzz docs gallery lint format bench dist release-check papers papers-quick pictures clean

$(VENV)/installed: pyproject.toml
	$(PYTHON) -c 'import sys; sys.exit(0 if sys.version_info >= (3, 11) else "discrimap needs Python 3.11 or newer, this is " + sys.version.split()[0])'
	$(PYTHON) -m venv $(VENV)
	$(INSTALL) --upgrade pip
	$(INSTALL) --editable .
	touch $@

$(VENV)/installed-test: $(VENV)/installed
	$(INSTALL) --editable '.[test]'
	touch $@

demo: $(VENV)/installed
	$(BIN)/discrimap compare digits --methods pca,lda,sda,dc --rounds 9 --out discrimap-report.html

# One thread in each test process: the processes fill the cores already, and more threads than cores
# spend their time waiting for each other.
ONE_THREAD := OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 NUMBA_NUM_THREADS=1
PYTEST_OPTIONS := --numprocesses $(JOBS) --dist worksteal --quiet

test: $(VENV)/installed-test lint
	$(ONE_THREAD) $(BIN)/python -m pytest $(PYTEST_OPTIONS)

# The numerically sensitive tests with the rounding of three other processors and with five seeds:
# more than an hour. ELSEWHERE="--processor haswell --seed 3" runs one of each.
test-elsewhere: $(VENV)/installed-test
	$(BIN)/python .ci/elsewhere.py --jobs $(JOBS) $(ELSEWHERE)

# Every test with the oldest releases that pyproject.toml admits; pip cannot choose them, uv can.
# An environment that is there already would be kept as it is: it is made anew when bounds change.
$(LOWEST)/installed: pyproject.toml
	$(PYTHON) -m venv --clear $(LOWEST)
	$(LOWEST)/bin/python -m pip install --quiet --disable-pip-version-check uv
	$(LOWEST)/bin/uv pip install --quiet --python $(LOWEST)/bin/python --resolution lowest-direct --editable '.[test]'
	touch $@

test-lowest: $(LOWEST)/installed
	$(ONE_THREAD) $(LOWEST)/bin/python -m pytest $(PYTEST_OPTIONS)

# Random tables, models and arrays for DISCRIMAP_FUZZ_SECONDS in all; DISCRIMAP_TEST_SEED chooses them.
fuzz: export DISCRIMAP_FUZZ_SECONDS ?= 600
fuzz: $(VENV)/installed-test
	$(ONE_THREAD) $(BIN)/python -m pytest tests/fuzz --quiet

# Built in about a minute: the pictures of the gallery are kept, and drawn anew by "make gallery".
docs: $(VENV)/installed
	$(INSTALL) --editable '.[docs]'
	$(BIN)/sphinx-build --fail-on-warning --keep-going --quiet docs docs/_build/html
	@echo "The site is in docs/_build/html/index.html"

# The examples take minutes. With DISCRIMAP_DATA they draw research data, as on the published site.
gallery: $(VENV)/installed
	$(BIN)/python docs/draw_gallery.py

lint: $(VENV)/installed-test
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports --no-logo

format: $(VENV)/installed-test
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

# Is anything 30 % slower than in the last run on this machine? As ratios to peers, in two minutes.
bench: $(VENV)/installed
	$(ONE_THREAD) $(BIN)/python benchmarks/bench.py $(BENCH)

# The source archive and the wheel, which is built from it.
dist: $(VENV)/installed
	$(INSTALL) --editable '.[release]'
	rm -rf dist
	$(BIN)/python -m build --outdir dist
	$(BIN)/twine check --strict dist/*

# What can be checked of a release before it is published (docs/releasing.md).
release-check: dist
	$(BIN)/python .ci/release_check.py

# The tables of the papers; the data sets are in the folder named by DISCRIMAP_DATA.
papers: $(VENV)/installed
	$(BIN)/python benchmarks/run.py

papers-quick: $(VENV)/installed
	$(BIN)/python benchmarks/run.py --quick

# The pictures of docs/benchmarks, which the site shows where they have been drawn.
pictures: $(VENV)/installed
	$(BIN)/python benchmarks/pictures.py

clean:
	rm -rf $(VENV) $(LOWEST) build dist .mypy_cache .ruff_cache .pytest_cache .hypothesis
