# Everything here works on a fresh machine with Python 3.11 or newer; VENV may name another place.
VENV ?= .venv
PYTHON ?= python3
BIN = $(VENV)/bin

.PHONY: install run test slow lint bench scaling soak docs clean

install: $(VENV)/.installed
run: $(VENV)/.installed
	$(BIN)/dicecup run --ruleset cheerio --lineup greedy,par --games 1_000_000

# Two to four tests at once, by the cores there are; `pytest` alone runs one after another.
TOGETHER = --numprocesses auto --maxprocesses 4 --dist worksteal
# Slow tests wait for much of their time: three at once even on two cores, each given when one has ended.
WAITING = --numprocesses 3 --dist load --maxschedchunk 1
# Python's own code of what is imported is kept with what is installed, even where Python is told to keep none: it is
# read by each of the hundred processes that the tests start, and to compile it takes longer than many of them do.
KEEPING = env -u PYTHONDONTWRITEBYTECODE PYTHONPYCACHEPREFIX=$(abspath $(VENV))/bytecode $(ORDERED)
# Texts are hashed alike in every run: a strategy that goes by the order of a set is found by a process that hashes
# otherwise, which one draw of Python's in some dozens would not do.
ORDERED = PYTHONHASHSEED=0

# Each kernel is compiled once before tests that run together would each compile it.
test: $(VENV)/.installed-dev
	$(KEEPING) $(BIN)/python -m tests.compile_kernels
	$(KEEPING) $(BIN)/pytest $(TOGETHER)

slow: $(VENV)/.installed-dev
	$(KEEPING) $(BIN)/pytest -m slow $(WAITING)

lint: $(VENV)/.installed-dev
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy
	$(BIN)/lint-imports

bench: $(VENV)/.installed
	$(BIN)/python -m tests.benchmarks.speed

# How chunks, memory, files and workers scale: about five minutes.
scaling: $(VENV)/.installed-dev
	$(BIN)/python -m tests.benchmarks.scaling

# Ten minutes of a job of ten billion games; takes some gigabytes of disk, which are given back.
soak: $(VENV)/.installed-dev
	$(BIN)/python -m tests.benchmarks.soak

docs: $(VENV)/.installed
	$(BIN)/python docs/build.py

$(VENV)/bin/python:
	$(PYTHON) -m venv $(VENV)

# uv installs in a tenth of the time; where it can't be had, pip does the same.
define install_editable
	$(BIN)/python -m pip install --quiet uv && \
	$(BIN)/uv pip install --quiet --python $(BIN)/python --editable '$(1)' || \
	$(BIN)/python -m pip install --quiet --editable '$(1)'
endef

$(VENV)/.installed: pyproject.toml | $(VENV)/bin/python
	$(call install_editable,.)
	touch $@

$(VENV)/.installed-dev: pyproject.toml | $(VENV)/bin/python
	$(call install_editable,.[dev])
	touch $@ $(VENV)/.installed

clean:
	rm -rf $(VENV) .pytest_cache .mypy_cache .ruff_cache .hypothesis .import_linter_cache
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
