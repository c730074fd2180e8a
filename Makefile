# `make` alone says what there is.
.DEFAULT_GOAL := help
SHELL := /bin/bash
PORT ?= 8000
PY := .venv/bin/python
export PYTHON PORT

help: ## this list
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## /  make \1\t/' | expand -t 24

run: ## serve the demo on 127.0.0.1:8000 (PORT=… for another port); Ctrl-C ends it
	@scripts/prepare
	@exec $(PY) manage.py serve --demo

test: ## the whole suite, on PostgreSQL, Redis, a Celery worker and Chromium (ARGS=… for pytest)
	@scripts/prepare dev
	@$(PY) -m pytest -n 3 --dist loadfile --no-loadscope-reorder $(ARGS)

test-faults: ## the long fault cases, with their figures: kills, crashes, backlogs
	@scripts/prepare dev
	@$(PY) -m pytest -m faults -s --timeout=1800 $(ARGS)

test-interop: ## releases in the libraries that load them: datasets, mlcroissant, lm-evaluation-harness; offline; reports in TeX
	@scripts/prepare interop
	@$(PY) -m pytest -m interop --timeout=600 tests/interop $(ARGS)

test-oracle: ## our own statistics beside those of scikit-learn, statsmodels and SciPy, on the same votes
	@scripts/prepare oracle
	@$(PY) -m pytest -m oracle tests/oracle $(ARGS)

test-deploy: ## the Helm chart rendered by Helm and held to Kubernetes' schemas; its alerts fire; another Python
	@scripts/prepare deploy
	@$(PY) -m pytest -m deploy tests/deploy $(ARGS)

sbom: ## what the image brings of others, as CycloneDX, into var/sbom.cdx.json
	@scripts/prepare
	@uv=$$(command -v uv || echo .venv/bin/uv); mkdir -p var; \
	  $$uv export --locked --no-dev --group s3 --format cyclonedx1.5 --quiet --output-file var/sbom.cdx.json >/dev/null
	@echo "var/sbom.cdx.json"

lint: ## style, types, templates, and that no migration is missing
	@scripts/prepare dev
	$(PY) -m ruff check .
	$(PY) -m ruff format --check .
	$(PY) -m mypy .
	$(PY) -m djlint --quiet --lint templates
	$(PY) -W error::RuntimeWarning manage.py makemigrations --check --dry-run

messages: ## merge the sources' strings into the catalogues in locale/ and compile them (docs/contributing.md, Translating)
	@scripts/prepare dev
	@$(PY) -m annotation.catalogues update

bench: ## the speed of the label loop, import and export beside the floor; ARGS=api: the REST API (docs/performance.md says how)
	@scripts/prepare dev
	@$(PY) -m bench $(ARGS)

bench-smoke: ## one short round of it, a minute: counts and ratios that say whether it runs, not how fast
	@scripts/prepare dev
	@$(PY) -m bench smoke $(ARGS)

screenshots: ## every screen, 360 and 1280 px wide, into var/screenshots (SCREENSHOTS=… for another folder)
	@scripts/prepare dev
	@$(PY) -m pytest tests/screenshots.py -q $(ARGS)

pictures: ## every answer type on a card, for docs/tasks.md, into docs/pictures
	@scripts/prepare dev
	@$(PY) -m pytest tests/flows/pictures.py -q $(ARGS)

.PHONY: help run test test-faults test-interop test-oracle test-deploy sbom lint bench bench-smoke messages screenshots pictures
