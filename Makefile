# `make check` is what CI runs. The tools come from the environment that README's second command makes.
BIN ?= .venv/bin
CODE := schedctl tests

.DEFAULT_GOAL := help
.PHONY: help check check-long check-lowest lint format-check ruff types layers test format wheel schema-dump clean

help: ## Say what there is to make
	@sed -n 's/^\([a-z-]*\):.*## /\1\t/p' $(MAKEFILE_LIST) | expand -t 14

check: lint test ## Everything: the linters, then all tests in random order

check-long: ## The long versions of the tests that have one (half an hour and more)
	$(BIN)/python -m pytest -q -n 0 -m long

check-lowest: ## The suite with the lowest versions that are admitted, and on every Python there is
	$(BIN)/python -m pytest -q -s -m lowest tests/test_dependencies.py

lint: format-check ruff types layers ## Everything that needs no test: format, ruff, types, layers

format-check: ## Is every file formatted?
	$(BIN)/ruff format --check $(CODE)

ruff: ## Lint
	$(BIN)/ruff check $(CODE)

types: ## Strict types, without an error or a warning
	$(BIN)/basedpyright --warnings --pythonpath $(BIN)/python

layers: ## A floor imports only floors below it
	$(BIN)/lint-imports

test: ## All tests but the long ones, in random order
	$(BIN)/python -m pytest -q

format: ## Put every file into its format
	$(BIN)/ruff format $(CODE)
	$(BIN)/ruff check --fix $(CODE)

wheel: ## Build dist/schedctl-*.whl
	$(BIN)/python -m hatchling build -t wheel

schema-dump: ## After a new file in sql/: keep its database, its code and its digest in tests/upgrades/ (2 minutes)
	$(BIN)/python tests/upgrades/dump.py

clean: ## Remove what the tools leave behind; the environment stays
	rm -rf dist build .pytest_cache .ruff_cache .import_linter_cache .hypothesis
	find $(CODE) -name __pycache__ -prune -exec rm -rf {} +
