# Each target sets up what it needs in .venv, once, and again when pyproject.toml or
# constraints.txt change. Run `make help` for the list.

SHELL := /bin/sh
.DEFAULT_GOAL := help

# The Python that the virtual environment is made with: the first that is supported.
ifndef PYTHON
PYTHON := $(shell for python in python3.11 python3.12 python3.13 python3.14 python3; do \
	  $$python -c 'import sys, venv, ensurepip; sys.exit(not (3, 11) <= sys.version_info < (3, 15))' \
	    >/dev/null 2>&1 && echo $$python && break; \
	done)
endif

NEEDS_PYTHON = test -n "$(PYTHON)" || \
	  { echo "No Python 3.11 to 3.14 found: make PYTHON=/path/to/python" >&2; exit 1; }

VENV := .venv
BIN := $(VENV)/bin
INSTALL := $(BIN)/python -m pip install --quiet --constraint constraints.txt

# Learning libraries that pin what others want newer: each has a virtual environment of its own.
LIBRARIES := agilerl openspiel rllib tianshou verifiers
# What their tests import, and would be skipped without.
MODULES_agilerl := agilerl.algorithms, agilerl.rollouts.on_policy
MODULES_openspiel := pyspiel, open_spiel.python.pytorch.ppo
MODULES_rllib := ray.rllib
MODULES_tianshou := tianshou.algorithm
MODULES_verifiers := verifiers.v1

# Further arguments of pytest: make test PYTEST_ARGS="-n 0 tests/engine" (one process, one folder)
PYTEST_ARGS ?=
# One worker a core; a worker without tests takes some from another.
PARALLEL := -n auto --dist worksteal
# Inputs for each kind of call: make fuzz FUZZ_EXAMPLES=100000
FUZZ_EXAMPLES ?= 5000
# Options of `make train`: make train TRAIN_ARGS="--frames 600000"
TRAIN_ARGS ?=

# Targets share a virtual environment, in which one pip at a time may install.
.NOTPARALLEL:

.PHONY: help
help:  ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-14s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

.PHONY: test
test: $(VENV)/.test-installed  ## run the tests on all cores (without the slow ones)
	$(BIN)/python -m pytest $(PARALLEL) $(PYTEST_ARGS)

.PHONY: test-slow
test-slow: $(VENV)/.test-installed  ## run the slow tests
	$(BIN)/python -m pytest -m slow $(PARALLEL) $(PYTEST_ARGS)

.PHONY: test-libraries $(LIBRARIES:%=test-%)
test-libraries: $(LIBRARIES:%=test-%)  ## run the programs for other learning libraries, each in its own environment

$(LIBRARIES:%=test-%): test-%: .venv-%/.installed
	.venv-$*/bin/python -c "import $(MODULES_$*)"
	.venv-$*/bin/python -m pytest -n 0 -m libraries tests/env tests/examples $(PYTEST_ARGS)

.PHONY: test-ray
test-ray: .venv-ray/.installed  ## run the tests on Ray clusters, in an environment of their own
	.venv-ray/bin/python -c "import ray"
	.venv-ray/bin/python -m tests.compile_all
	.venv-ray/bin/python -m pytest -n 0 -m ray tests/arena tests/examples $(PYTEST_ARGS)

.PHONY: train
train: $(VENV)/.train-installed  ## train a MaskablePPO agent for a few minutes
	$(BIN)/catan-pz train $(TRAIN_ARGS)

.PHONY: lint
lint: $(VENV)/.dev-installed  ## ruff, mypy, the layers and the budgets of the package
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/python .ci/house.py

.PHONY: lint-pages
lint-pages:  ## ESLint on the programs of the pages; npx brings it
	npx --yes eslint@10 catan_pz/web/pages

.PHONY: format
format: $(VENV)/.dev-installed  ## apply ruff's fixes and its format
	$(BIN)/ruff check --fix
	$(BIN)/ruff format

# With compilation on, coverage cannot see inside the rules.
.PHONY: coverage
coverage: $(VENV)/.test-installed  ## measure coverage with compilation switched off
	$(BIN)/coverage erase
	NUMBA_DISABLE_JIT=1 $(BIN)/coverage run -m pytest -m purepython $(PYTEST_ARGS)
	$(BIN)/coverage combine --quiet
	$(BIN)/coverage report

.PHONY: bounds
bounds: $(VENV)/.test-installed  ## run the tests with bounds checks in the compiled rules
	NUMBA_BOUNDSCHECK=1 $(BIN)/python -m pytest $(PARALLEL) $(PYTEST_ARGS)

.PHONY: fuzz
fuzz: $(VENV)/.test-installed  ## try new odd inputs on public calls
	FUZZ_EXAMPLES=$(FUZZ_EXAMPLES) $(BIN)/python -m pytest $(PARALLEL) tests/test_fuzz.py $(PYTEST_ARGS)

.PHONY: test-plain
test-plain: $(VENV)/.test-installed  ## run the tests with the plain compiler backend
	CATAN_PZ_COMPILER=plain $(BIN)/python -m pytest $(PARALLEL) $(PYTEST_ARGS)

.PHONY: test-browser
test-browser: $(VENV)/.browser-installed  ## run the tests of the pages in Chromium
	$(BIN)/python -m pytest -n 0 -m browser $(PYTEST_ARGS) tests/web/browser

.PHONY: test-notebooks
test-notebooks: $(VENV)/.notebooks-installed  ## execute the notebooks, with short settings
	CATAN_PZ_SHORT=1 $(BIN)/python -m pytest -n 0 -W default --nbmake --nbmake-timeout=170 \
	  examples/notebooks $(PYTEST_ARGS)

.PHONY: bench
bench: $(VENV)/.test-installed  ## measure speed
	$(BIN)/python -m tests.benchmarks

.PHONY: golden
golden: $(VENV)/.test-installed  ## write the golden playthroughs anew; review the diff
	$(BIN)/python -m tests.golden

.PHONY: docs
docs: $(VENV)/.docs-installed  ## build the documentation
	$(BIN)/python -m sphinx -W --keep-going -b html docs build/docs

.PHONY: clean
clean:  ## remove the virtual environment and everything built
	rm -rf $(VENV) $(LIBRARIES:%=.venv-%) .venv-ray build dist htmlcov .coverage .coverage.* \
	  .pytest_cache .mypy_cache .ruff_cache .import_linter_cache .hypothesis

# One that was interrupted while it was made may have Python and no pip: it is made to the end.
$(VENV)/.made:
	@$(BIN)/python -m pip --version >/dev/null 2>&1 || { $(NEEDS_PYTHON); "$(PYTHON)" -m venv $(VENV); }
	@touch $@

$(VENV)/.test-installed: EXTRAS = test,train,torchrl,render,video,gpu,minari
$(VENV)/.train-installed: EXTRAS = train
$(VENV)/.dev-installed: EXTRAS = dev
$(VENV)/.docs-installed: EXTRAS = docs
$(VENV)/.browser-installed: EXTRAS = test,browser
$(VENV)/.notebooks-installed: EXTRAS = test,train,notebooks

$(VENV)/.%-installed: pyproject.toml constraints.txt | $(VENV)/.made
	$(INSTALL) --editable ".[$(EXTRAS)]"
	@touch $@

$(LIBRARIES:%=.venv-%/.installed): .venv-%/.installed: pyproject.toml constraints.txt .github/constraints/%.txt
	@$(NEEDS_PYTHON)
	"$(PYTHON)" -m venv .venv-$*
	.venv-$*/bin/python -m pip install --quiet --constraint constraints.txt \
	  --constraint .github/constraints/$*.txt --editable ".[test,$*]"
	@touch $@

.venv-ray/.installed: pyproject.toml constraints.txt .github/constraints/ray.txt
	@$(NEEDS_PYTHON)
	"$(PYTHON)" -m venv .venv-ray
	.venv-ray/bin/python -m pip install --quiet --constraint constraints.txt \
	  --constraint .github/constraints/ray.txt --editable ".[test,train,ray]"
	@touch $@
