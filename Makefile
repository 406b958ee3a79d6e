# Everything a newcomer types. Each target sets up what it needs; CORES defaults to all of them.
PYTHON ?= python3
CORES ?= all
BIN := .venv/bin

# An environment belongs to one folder and one Python; one of another is made anew. Its own Python
# stays until another is named.
identify = echo "$$(pwd -P) $$($(1) -c 'import sys; print("%d.%d" % sys.version_info[:2])' 2>/dev/null)"
WANTED := $(shell $(call identify,$(if $(filter file,$(origin PYTHON)),$(BIN)/python,$(PYTHON))))
ifneq ($(shell cat .venv/installed 2>/dev/null),$(WANTED))
.PHONY: .venv/installed
endif

.PHONY: setup preview reproduce bundle reference publish-reference test cluster torture check benchmark format

setup: .venv/installed

.venv/installed: requirements.lock pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "$(PYTHON): is not Python 3.11 or newer, which is needed; name one that is, as in 'make $(MAKECMDGOALS) PYTHON=python3.11'"; exit 1; }
	$(PYTHON) -m venv --clear .venv
	$(BIN)/python -m pip install --quiet --requirement requirements.lock
	$(BIN)/python -m pip install --quiet --no-deps --editable .
	@$(call identify,$(BIN)/python) > $@

# The whole workflow at a tiny budget, on a generated corpus, without a network.
preview: setup
	$(BIN)/snakemake --cores $(CORES) --directory preview --configfile config/preview.yaml
	@echo "Open preview/results/report.html"

# Every published number, at the full budget.
reproduce: setup
	$(BIN)/snakemake --cores $(CORES)
	@echo "Open results/report.html"

# Tables, figures, report, configuration and provenance in one zip, of results that are finished.
bundle:
	@test -e results/report.html || { echo "There is no results/report.html yet: 'make reproduce' makes it, in hours ('python -m rungs plan' says how many)."; exit 1; }
	$(MAKE) setup
	$(BIN)/snakemake --cores $(CORES) results/bundle.zip
	@echo "Send results/bundle.zip; compare two with: python -m rungs compare A.zip B.zip"

# The report of the reference run, made again from the records of its runs: minutes, no training.
reference: setup
	$(BIN)/snakemake --cores $(CORES) --directory .reference --configfile config/reference.yaml -- results/bundle.zip
	@echo "Open .reference/results/report.html"

# Put it into reference/, from a clean checkout and a quiet machine: it holds measured times.
publish-reference:
	@test -z "$$(git status --porcelain)" || { echo "The checkout has uncommitted changes: commit them, so that the provenance names a commit."; exit 1; }
	$(MAKE) reference
	find reference -mindepth 1 -maxdepth 1 ! -name archive ! -name README.md ! -name stories -exec rm -r {} +
	$(BIN)/python -m zipfile -e .reference/results/bundle.zip reference

test: setup
	$(BIN)/python -m pytest --numprocesses auto --dist loadfile --no-loadscope-reorder -m "not cluster"

# The tests on a real SLURM cluster of one node, started and stopped by them. Needs root.
cluster: setup
	$(BIN)/python -m pytest -m cluster tests/workflow/test_cluster.py

# Random processes of running workflows are killed, 1,000 in all; every result must come out the same.
torture: setup
	$(BIN)/python -m tests.workflow.torture --kills 1000 --seed 0

check: setup
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/snakefmt --check Snakefile workflow
	$(BIN)/mypy

# Our step against a textbook step and this machine, and what whole processes cost. Needs a quiet machine.
SHAKESPEARE = $(firstword $(wildcard data/tinyshakespeare.txt results/corpus/shakespeare/text.txt))
benchmark: preview
	$(BIN)/python -m benchmarks.training_step
	$(BIN)/python -m benchmarks.where_time_goes
	$(BIN)/python -m benchmarks.processes $(if $(SHAKESPEARE),--text $(SHAKESPEARE)) -- --directory preview --configfile config/preview.yaml

format: setup
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .
	$(BIN)/snakefmt Snakefile workflow
