# `make arena` and `make test` are all a newcomer needs; both set up `.venv` first, once.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
# Root needs no sudo, and a container may have none.
INSTALL := $(if $(filter 0,$(shell id -u)),,sudo) apt-get install --yes
export PIP_DISABLE_PIP_VERSION_CHECK := 1
# The checkout's folders are called envs, agents, evaluation: keep them off sys.path.
export PYTHONSAFEPATH := 1

.PHONY: arena table test test-memory test-browser fuzz mutants lint benchmark docs test-docs clean

arena: $(VENV)/installed
	$(BIN)/ludarium arena

table: $(VENV)/installed-web
	$(BIN)/ludarium table

test: $(VENV)/installed-dev
	$(BIN)/pytest -n auto --dist loadfile -q

# The whole suite where freed memory is overwritten at once: a compiled loop that still looks at it goes wrong here.
test-memory: $(VENV)/installed-dev
	GLIBC_TUNABLES=glibc.malloc.tcache_count=0:glibc.malloc.perturb=165 $(BIN)/pytest -n auto --dist loadfile -q

# Needs Debian's chromium and chromium-driver, and installs them if it may.
test-browser: $(VENV)/installed-dev
	@command -v chromedriver >/dev/null || $(INSTALL) chromium chromium-driver || { \
		echo "make test-browser needs chromium and chromedriver; install them, then try again"; exit 1; }
	$(BIN)/python -m pip install --quiet --constraint constraints.txt --editable '.[web,browser]'
	$(BIN)/pytest -q -m browser tests/evaluation/table

# Ten times as many damaged files and requests as the suite has, in a few minutes.
fuzz: $(VENV)/installed-dev
	$(BIN)/python tests/fuzz_readers.py --files 20000
	$(BIN)/python tests/fuzz_requests.py --requests 20000

# Small changes of the code that the tests ought to notice: make mutants SEED=1 COUNT=100 AREA=agents/lcs
mutants: $(VENV)/installed-dev
	$(BIN)/python tests/mutants.py --seed $(or $(SEED),0) --count $(or $(COUNT),20) --area "$(AREA)"

lint: $(VENV)/installed-dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/python tests/owners.py
	$(BIN)/oxlint evaluation examples

benchmark: $(VENV)/installed-dev
	$(BIN)/python -m pip install --quiet --constraint constraints.txt --editable '.[oracles]'
	$(BIN)/python benchmarks/throughput.py
	$(BIN)/python benchmarks/steps.py

# The documentation as a site, in the folder site; nothing in it comes from another host.
docs: $(VENV)/installed-docs
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict
	@echo "To read it, with search: $(BIN)/python -m http.server --bind 127.0.0.1 --directory site"

# Builds the site, and runs what pages tell the reader to run; the budgets are at the top of tests/test_pages.py.
test-docs: $(VENV)/installed-dev $(VENV)/installed-docs
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
	@$(BIN)/python -m pip install --quiet --constraint constraints.txt --editable '.[docs]'
	@touch $@

clean:
	rm -rf $(VENV) dist runs site
