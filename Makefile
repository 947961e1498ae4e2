# Everything below sets itself up in .venv; nothing else is needed than Python 3.11 or newer.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
# Recorded conversations are not part of the repository: make bench DATA=folder
DATA ?=
# Tests run side by side: make test WORKERS=4
WORKERS ?= 2

.PHONY: demo test lint format bench clean

demo: $(VENV)/.demo
	@$(BIN)/python demo/run.py

test: $(VENV)/.dev
	$(BIN)/python -m pytest -n $(WORKERS) --dist worksteal

lint: $(VENV)/.dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

format: $(VENV)/.dev
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

bench: $(VENV)/.dev
	@test -n "$(DATA)" || { echo "Name your transcripts: make bench DATA=folder (see docs/benchmarks.md)"; exit 2; }
	$(BIN)/python -m langgraph_memory.evals context --data $(DATA)

$(BIN)/python:
	$(PYTHON) -c "import sys; assert sys.version_info >= (3, 11), 'Python 3.11 or newer is needed: make PYTHON=python3.12 …'"
	$(PYTHON) -m venv $(VENV)

$(VENV)/.demo: pyproject.toml | $(BIN)/python
	@echo "Setting up in $(VENV) (once) …"
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[demo]'
	@touch $@

$(VENV)/.dev: pyproject.toml | $(BIN)/python
	@echo "Setting up in $(VENV) (once; a few minutes) …"
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[dev]'
	@touch $@ $(VENV)/.demo

clean:
	rm -rf $(VENV) .mypy_cache .ruff_cache .pytest_cache .hypothesis
