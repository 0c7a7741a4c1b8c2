# Everything runs in a virtual environment of its own, made on first use and again when pyproject.toml changes.
PYTHON ?= $(shell command -v python3.11 || command -v python3)
VENV := .venv
BIN := $(VENV)/bin
DATA ?= bench/data
export PIP_DISABLE_PIP_VERSION_CHECK := 1

.DEFAULT_GOAL := help
.PHONY: help demo test check format bench bench-retrieval conformance agents oracles clean

help: ## list the targets
	@grep -E '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 18

$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null || \
		{ echo "zerikai_memory needs Python 3.11 or later; got '$(PYTHON)'. Name one: make PYTHON=/path/to/python3.11"; exit 1; }
	$(PYTHON) -m venv $(VENV)

$(VENV)/.product: pyproject.toml | $(BIN)/python
	$(BIN)/python -m pip install --quiet --editable .
	@touch $@

$(VENV)/.test: pyproject.toml | $(BIN)/python
	$(BIN)/python -m pip install --quiet --editable '.[test]'
	@touch $@ $(VENV)/.product

demo: $(VENV)/.product ## scan this project, ask it a question, print the cited answer
	$(BIN)/zerikai-memory scan .
	$(BIN)/zerikai-memory query -w . "extract function for parsing code entities from source files"

test: $(VENV)/.test ## run the tests (no network but loopback, no account)
	$(BIN)/python -m pytest -n auto --dist loadfile -q

check: $(VENV)/.test ## lint, types, import contracts
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

format: $(VENV)/.test ## rewrite the sources in the house format
	$(BIN)/ruff check --fix --select I .
	$(BIN)/ruff format .

bench: $(VENV)/.test ## speed and memory as ratios to a yardstick of the same run
	$(BIN)/python bench/first_reply.py
	$(BIN)/python bench/scan_speed.py
	$(BIN)/python bench/question_speed.py
	$(BIN)/python bench/sessions.py
	$(BIN)/python bench/recall_speed.py
	$(BIN)/python bench/map_views.py

SUITES := build/conformance

conformance: $(VENV)/.test $(SUITES)/.ready ## other people's MCP test suites against the server (opt-in: fetches them)
	$(BIN)/python scripts/conformance/run.py $(SUITES)

$(SUITES)/.ready: scripts/conformance/package.json scripts/conformance/requirements.txt | $(BIN)/python
	@mkdir -p $(SUITES) && cp scripts/conformance/package.json $(SUITES)
	npm install --prefix $(SUITES) --no-audit --no-fund --no-package-lock
	$(PYTHON) -m venv $(SUITES)/venv
	$(SUITES)/venv/bin/python -m pip install --quiet --requirement scripts/conformance/requirements.txt
	@touch $@

AGENTS := build/agents

agents: $(VENV)/.product $(AGENTS)/.ready ## real agents, offline with a scripted model, use the server (opt-in: fetches them)
	$(BIN)/python scripts/agents/run.py $(AGENTS)

$(AGENTS)/.ready: scripts/agents/package.json
	@mkdir -p $(AGENTS) && cp scripts/agents/package.json $(AGENTS)
	npm install --prefix $(AGENTS) --no-audit --no-fund --no-package-lock
	@touch $@

bench-retrieval: $(VENV)/.test ## the table of retrieval quality (fetches PyPI and npm packages): make bench-retrieval DATA=folder
	$(BIN)/python bench/retrieval.py --data $(DATA)

oracles: $(VENV)/.test ## compare extraction with other parsers on real code (fetches PyPI and npm packages; needs node)
	$(BIN)/python -m pip install --quiet 'markdown-it-py>=3'
	$(BIN)/python bench/oracles/run.py
	$(BIN)/python bench/oracles/python_calls.py

clean: ## remove the virtual environment and caches (not the brain)
	rm -rf $(VENV) .mypy_cache .ruff_cache .pytest_cache .import_linter_cache .hypothesis build dist *.egg-info
