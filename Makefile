# `make` lists the targets.
PYTHON ?= .venv/bin/python

.DEFAULT_GOAL := help
.PHONY: help build

help: ## this list
	@sed -n 's/^\([a-z-]*\):.*## /  \1\t/p' $(MAKEFILE_LIST) | expand -t 16

build: ## compile the native extension into src/ferrotile
	$(PYTHON) build_backend/native.py
