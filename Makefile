# `make arena` and `make test` are all a newcomer needs; both set up `.venv` first, once.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
# Root needs no sudo, and a container may have none.
INSTALL := $(if $(filter 0,$(shell id -u)),,sudo) apt-get install --yes
export PIP_DISABLE_PIP_VERSION_CHECK := 1
# The checkout's folders are called envs, agents, evaluation: keep them off sys.path.
export PYTHONSAFEPATH := 1

.PHONY: help arena table test test-memory test-browser test-wheel fuzz mutants format lint benchmark docs test-docs clean

help: ## say what each target does
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "make %-13s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

arena: $(VENV)/installed ## set up .venv, and play the built-in agents against each other in all five games
	$(BIN)/ludarium arena

table: $(VENV)/installed-web ## open a table in the browser, to play and watch
	$(BIN)/ludarium table

test: $(VENV)/installed-dev ## set up .venv with the development tools, and run the tests
	$(BIN)/pytest -n auto --dist loadfile -q

# A compiled loop that still looks at freed memory goes wrong here.
test-memory: $(VENV)/installed-dev ## the tests where freed memory is overwritten at once
	GLIBC_TUNABLES=glibc.malloc.tcache_count=0:glibc.malloc.perturb=165 $(BIN)/pytest -n auto --dist loadfile -q

# Needs Debian's chromium and chromium-driver, and installs them if it may.
test-browser: $(VENV)/installed-dev ## the tests of the table in a real browser
	@command -v chromedriver >/dev/null || $(INSTALL) chromium chromium-driver || { \
		echo "make test-browser needs chromium and chromedriver; install them, then try again"; exit 1; }
	$(BIN)/python -m pip install --quiet --constraint constraints.txt --editable '.[web,browser]'
	$(BIN)/pytest -q -m browser tests/evaluation/table

test-wheel: $(VENV)/installed-dev ## the tests of the wheel, alone and with each extra, in empty environments
	$(BIN)/pytest -q -m wheel -o faulthandler_timeout=0 tests/wheel

# Ten times as many as the suite has.
fuzz: $(VENV)/installed-dev ## damaged files and requests, thrown at the readers and the table for a few minutes
	$(BIN)/python tests/fuzz_readers.py --files 20000
	$(BIN)/python tests/fuzz_requests.py --requests 20000

# make mutants SEED=1 COUNT=100 AREA=agents/lcs
mutants: $(VENV)/installed-dev ## small changes of the code that the tests ought to notice
	$(BIN)/python tests/mutants.py --seed $(or $(SEED),0) --count $(or $(COUNT),20) --area "$(AREA)"

format: $(VENV)/installed-dev ## format the code, and mend what can be mended without thinking
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

lint: $(VENV)/installed-dev ## style, types, the directions of imports, and memory that compiled code must not touch
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/python tests/owners.py
	$(BIN)/oxlint evaluation examples

benchmark: $(VENV)/installed-dev ## our throughput beside that of installed peers
	$(BIN)/python -m pip install --quiet --constraint constraints.txt --editable '.[oracles]'
	$(BIN)/python benchmarks/throughput.py
	$(BIN)/python benchmarks/steps.py

docs: $(VENV)/installed-docs ## the documentation as a site, in the folder site
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict
	@echo "To read it, with search: $(BIN)/python -m http.server --bind 127.0.0.1 --directory site"

# Budgets are at the top of tests/test_pages.py.
test-docs: $(VENV)/installed-dev $(VENV)/installed-docs ## what pages tell the reader to run, and the site
	$(BIN)/pytest -q -n auto -m docs tests/test_pages.py tests/test_site.py

$(VENV)/installed: pyproject.toml constraints.txt
	@$(PYTHON) -c 'import sys; sys.exit(0 if sys.version_info >= (3, 11) else "Ludarium needs Python 3.11 or newer, this is " + sys.version.split()[0] + "; try: make PYTHON=python3.12")'
	@echo "Setting up $(VENV); this is done once."
	@$(PYTHON) -m venv $(VENV)
	@$(BIN)/python -m pip install --quiet --constraint constraints.txt --editable .
	@touch $@

$(VENV)/installed-web: $(VENV)/installed
	@$(BIN)/python -m pip install --quiet --constraint constraints.txt --editable '.[web]'
	@touch $@

$(VENV)/installed-dev: $(VENV)/installed
	@echo "Installing the development tools and the oracles; this is done once."
	@$(BIN)/python -m pip install --quiet --constraint constraints.txt --editable '.[rl,web,backgammon,oracles,dev]'
	@touch $@

$(VENV)/installed-docs: $(VENV)/installed
	@$(BIN)/python -m pip install --quiet --constraint constraints.txt --editable '.[docs,rl]'
	@touch $@

clean: ## remove .venv, archives, runs and the site
	rm -rf $(VENV) dist runs site
