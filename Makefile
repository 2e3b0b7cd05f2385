# The main commands are `make demo` and `make test`. Both need only Python >= 3.11.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
LOWEST := .venv-lowest
# Compiling all modules during the installation would double its time, so they are compiled on first
# import. The bytecode must then be cached, even if the environment forbids it: tests and comparisons start
# dozens of processes, each of which would spend five seconds compiling more than a thousand modules.
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

# One thread in each test process: there is a process for each core, and more threads than cores would
# wait for each other.
ONE_THREAD := OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 NUMBA_NUM_THREADS=1
PYTEST_OPTIONS := --numprocesses $(JOBS) --dist worksteal --quiet

test: $(VENV)/installed-test lint
	$(ONE_THREAD) $(BIN)/python -m pytest $(PYTEST_OPTIONS)

# Run the numerically sensitive tests with the rounding of three processors and with five seeds, one
# processor after the other. ELSEWHERE="--processor haswell --seed 3" runs one of each.
test-elsewhere: $(VENV)/installed-test
	$(BIN)/python .ci/elsewhere.py --jobs $(JOBS) $(ELSEWHERE)

# Run all tests with the oldest releases that pyproject.toml allows, which uv can install but pip cannot.
# The environment is created again when the bounds change.
$(LOWEST)/installed: pyproject.toml
	$(PYTHON) -m venv --clear $(LOWEST)
	$(LOWEST)/bin/python -m pip install --quiet --disable-pip-version-check uv
	$(LOWEST)/bin/uv pip install --quiet --python $(LOWEST)/bin/python --resolution lowest-direct --editable '.[test]'
	touch $@

test-lowest: $(LOWEST)/installed
	$(ONE_THREAD) $(LOWEST)/bin/python -m pytest $(PYTEST_OPTIONS)

# Test with random tables, models and arrays for DISCRIMAP_FUZZ_SECONDS; DISCRIMAP_TEST_SEED is the seed.
fuzz: export DISCRIMAP_FUZZ_SECONDS ?= 600
fuzz: $(VENV)/installed-test
	$(ONE_THREAD) $(BIN)/python -m pytest tests/fuzz --quiet

# Build the site, in about a minute. The images of the gallery are stored; "make gallery" draws them again.
docs: $(VENV)/installed
	$(INSTALL) --editable '.[docs]'
	$(BIN)/sphinx-build --fail-on-warning --keep-going --quiet docs docs/_build/html
	@echo "The site is in docs/_build/html/index.html"

# Draw the images of the gallery, in minutes. With DISCRIMAP_DATA the examples use research data, as on the
# published site.
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

# Check in two minutes whether anything is 30 % slower than in the last run on this machine. Times are
# measured as ratios to other libraries.
bench: $(VENV)/installed
	$(ONE_THREAD) $(BIN)/python benchmarks/bench.py $(BENCH)

# Build the source archive, and the wheel from it.
dist: $(VENV)/installed
	$(INSTALL) --editable '.[release]'
	rm -rf dist
	$(BIN)/python -m build --outdir dist
	$(BIN)/twine check --strict dist/*

# Check a release before it is published (docs/releasing.md).
release-check: dist
	$(BIN)/python .ci/release_check.py

# Reproduce the tables of the papers, with the data sets in the folder DISCRIMAP_DATA.
papers: $(VENV)/installed
	$(BIN)/python benchmarks/run.py

papers-quick: $(VENV)/installed
	$(BIN)/python benchmarks/run.py --quick

# Draw the images of docs/benchmarks, which the site shows if they exist.
pictures: $(VENV)/installed
	$(BIN)/python benchmarks/pictures.py

clean:
	rm -rf $(VENV) $(LOWEST) build dist .mypy_cache .ruff_cache .pytest_cache .hypothesis
