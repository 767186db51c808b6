# `make demo` and `make test` do all the set-up they need. It takes Python >= 3.11 with venv and
# pip, and gcc, make and git. Another Python: make test PYTHON=python3.13

PYTHON ?= python3
LOCK_PYTHON ?= python3.11
PYTEST_ARGS ?= -n auto

SHELL := /bin/bash
BIN := .venv/bin
READY := .venv/.ready

.DEFAULT_GOAL := help
.PHONY: help demo test check-long calibrate lint lock clean

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "make %-11s %s\n", $$1, $$2 }' Makefile

demo: $(READY) ## play a tournament of five strategies and write its report to runs/demo
	rm -rf runs/demo
	$(BIN)/prummy tournament random greedy hunter doubler miser --matches 100000 --seed 1 --out runs/demo --report

test: lint ## lint, type check and run the tests
	$(BIN)/pytest $(PYTEST_ARGS)

check-long: $(READY) ## run the long checks and keep their output in docs/check-long.txt
	@mkdir -p docs
	@set -o pipefail; { \
	  echo "make check-long, $$(date -u '+%Y-%m-%d %H:%M UTC')," \
	    "commit $$(git describe --always --dirty 2>/dev/null || echo unknown)," \
	    "$$($(BIN)/python --version)"; \
	  $(BIN)/pytest -m long --no-header --durations=0 --color=no $(PYTEST_ARGS) 2>&1 && \
	  echo "python -m benchmarks.endurance" && \
	  $(BIN)/python -m benchmarks.endurance --plot docs/endurance.png; \
	} | tee docs/check-long.txt

calibrate: $(READY) ## simulate how often intervals and tests are right, into docs/calibration.txt
	@set -o pipefail; { \
	  echo "make calibrate, $$(date -u '+%Y-%m-%d %H:%M UTC')," \
	    "commit $$(git describe --always --dirty 2>/dev/null || echo unknown)," \
	    "$$($(BIN)/python --version)"; \
	  $(BIN)/prummy calibrate; \
	} | tee docs/calibration.txt

lint: $(READY) ## ruff and mypy
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	@set -o pipefail; $(BIN)/mypy | sed 's|^\.venv/typing/persian_rummy/||'

lock: ## make requirements.lock again from pyproject.toml
	@$(LOCK_PYTHON) -c 'import sys; sys.exit(sys.version_info[:2] != (3, 11))' || \
	  { echo 'make lock needs Python 3.11, the oldest supported: LOCK_PYTHON=...'; exit 1; }
	rm -rf .venv-lock
	$(LOCK_PYTHON) -m venv .venv-lock
	.venv-lock/bin/python -m pip install --quiet --upgrade --editable '.[dev]'
	{ echo '# Python 3.11 and later. Do not edit: "make lock" makes it again from pyproject.toml.'; \
	  .venv-lock/bin/python -m pip freeze --all --exclude pip --exclude prummy; } > .venv-lock/lock
	mv .venv-lock/lock requirements.lock
	rm -rf .venv-lock

clean: ## remove what was made: .venv, builds, caches, runs/demo (other runs stay)
	rm -rf .venv .venv-lock build dist *.egg-info runs/demo
	rm -rf .pytest_cache .mypy_cache .ruff_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

# Made once, and again when one of the two files has changed. mypy finds the package under its
# import name through the link in .venv/typing.
$(READY): pyproject.toml requirements.lock
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo '$(PYTHON) is older than Python 3.11; name another: make PYTHON=...'; exit 1; }
	test -x $(BIN)/python || $(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -r requirements.lock
	$(BIN)/python -m pip install --quiet --disable-pip-version-check \
	  --no-deps --no-build-isolation --editable .
	mkdir -p .venv/typing
	ln -sfn ../.. .venv/typing/persian_rummy
	touch $@
