# `make` lists the targets. Set-up runs by itself when a target needs it.
SYSTEM_PYTHON ?= $(shell command -v python3.11 || command -v python3)
VENV := .venv
PYTHON ?= $(VENV)/bin/python
BIN := $(dir $(PYTHON))
DONE := .make

RUST := $(shell find native runtime -name '*.rs' -o -name Cargo.toml) Cargo.toml Cargo.lock
FERROTILE_PACK ?= build/gpu-pack
CORPUS := $(or $(FERROTILE_CORPUS),../shared/corpus)
export PIP_DISABLE_PIP_VERSION_CHECK := 1

.DEFAULT_GOAL := help
.PHONY: help setup build test test-slow test-sweep fuzz conformance mutants demo bench lint types imports size docs fmt check-rust kill gpu-pack gpu tilegym lock clean

help: ## this list
	@sed -n 's/^\([a-z-]*\):.*## /  \1\t/p' $(MAKEFILE_LIST) | expand -t 16

setup: $(DONE)/installed ## everything that the other targets need: .venv, wheels, the native extension

build: $(DONE)/native ## compile the native extension into src/ferrotile

mutants: $(DONE)/installed ## mutate the example kernels and a sample of the corpus; check must catch each
	$(PYTHON) tests/mutants/run.py $(ARGS)

conformance: $(DONE)/installed ## the interpreter against exact arithmetic: operations x types
	$(PYTHON) tests/interp/conformance/table.py

test: $(DONE)/installed ## all tests that need no GPU, without the long sweeps
	$(PYTHON) -m pytest -n 2 -m "not gpu and not slow and not sweep" $(ARGS)

test-slow: $(DONE)/installed ## the long sweeps: every form of every operation, the whole corpus, hundreds of random kernels
	$(PYTHON) -m pytest -n 2 -m "slow and not gpu and not sweep" $(ARGS)

test-sweep: $(DONE)/installed ## all that there is of something: every launch of the corpus, every foreign module, whole runs; not in CI
	$(PYTHON) -m pytest -n 2 -m "sweep and not gpu" $(ARGS)

fuzz: $(DONE)/installed ## 10,000 generated kernels: each equal or refused by code, and run alike; failures go to build/fuzz
	$(PYTHON) tests/fuzz/fuzz_run.py $(ARGS)

kill: $(DONE)/installed ## kill -9 a run at fifty random moments; each must end with the same files
	nice $(PYTHON) tests/workflow/kill.py $(ARGS)

demo: $(DONE)/installed ## translate every example, compare machine code, print the table
	$(BIN)ferrotile translate examples --out build/demo --sass

bench: $(DONE)/installed ## seconds a kernel, decoding an operation, growth with size: from one run of the corpus
	@mkdir -p build
	$(BIN)ferrotile translate $(CORPUS)/tilegym-ops --json > build/bench.jsonl || true
	$(PYTHON) -m ferrotile.bench build/bench.jsonl

lint: $(DONE)/installed ## ruff, rustfmt and clippy
	$(BIN)ruff check
	$(BIN)ruff format --check
	$(PYTHON) build_backend/extension.py cargo fmt --all --check
	$(PYTHON) build_backend/extension.py cargo clippy --quiet --release --locked --workspace --all-targets -- -D warnings
	$(PYTHON) build_backend/extension.py cargo clippy --quiet --release --locked --package ferrotile-launch --all-targets --features jit,mutants -- -D warnings

types: $(DONE)/installed ## pyright
	$(BIN)pyright --pythonpath $(PYTHON)

imports: $(DONE)/installed ## which room may import which
	$(BIN)lint-imports

size: $(DONE)/installed ## short files, short functions; the list of exceptions only shrinks
	$(PYTHON) tests/build/size.py

docs: $(DONE)/installed ## write the generated pages, and all of them as a site to build/site
	$(PYTHON) docs/generate.py
	$(PYTHON) -m mkdocs build

fmt: $(DONE)/installed ## lay out Python and Rust
	$(BIN)ruff check --fix --select I
	$(BIN)ruff format
	$(PYTHON) build_backend/extension.py cargo fmt --all

check-rust: $(DONE)/installed ## rustc's check of all kernel.rs below DIR=..., in one crate
	@test -n "$(DIR)" || { echo "usage: make check-rust DIR=<folder that translate wrote>"; exit 2; }
	$(PYTHON) -m ferrotile.host $(DIR) build/check-rust .
	$(PYTHON) build_backend/extension.py cargo check --quiet --release --manifest-path build/check-rust/Cargo.toml

gpu-pack: $(DONE)/installed ## what `make gpu` needs, for a machine without a compiler: in FERROTILE_PACK, build/gpu-pack if not set
	$(BIN)ferrotile translate examples --out build/translated
	$(BIN)ferrotile translate tests/gpu/kernels --out build/translated-gpu
	$(PYTHON) tests/gpu/pack_c_abi.py $(FERROTILE_PACK) build/translated build/translated-gpu
	$(PYTHON) tests/gpu/pack_transplant.py $(FERROTILE_PACK) build/translated

gpu: ## on a machine with a GPU, torch, cuda-tile, tileiras and a pack: the tests that need one, and host times; results so far in docs/results
	FERROTILE_PACK=$(abspath $(FERROTILE_PACK)) python3 -m pytest -m gpu tests/gpu
	FERROTILE_PACK=$(abspath $(FERROTILE_PACK)) python3 tests/gpu/host_time.py

tilegym: $(DONE)/installed ## the kernels of TileGym's wheel, captured and translated to docs/tilegym.md; needs the network and 3 GB
	$(PYTHON) tests/tilegym/make_page.py $(ARGS)

lock: $(DONE)/venv ## write the installed versions to requirements.lock
	$(PYTHON) -m pip freeze --exclude-editable --exclude ferrotile > requirements.lock

clean: ## remove what set-up made in the tree; compiled crates stay in the user's cache folder
	rm -rf $(VENV) $(DONE) build dist src/ferrotile/_native.abi3.so .pytest_cache .ruff_cache .import_linter_cache
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

# `make PYTHON=...` uses that interpreter as it is.
$(DONE)/venv: $(if $(filter $(VENV)/%,$(PYTHON)),requirements.lock)
ifneq ($(filter $(VENV)/%,$(PYTHON)),)
	$(SYSTEM_PYTHON) -c 'import sys; sys.exit("ferrotile needs Python 3.11 or newer" if sys.version_info < (3, 11) else 0)'
	$(SYSTEM_PYTHON) -m venv $(VENV)
	$(VENV)/bin/python -m pip install --quiet --requirement requirements.lock
endif
	@mkdir -p $(DONE) && touch $@

# The .so is named too: it may be missing although nothing changed.
$(DONE)/native: $(DONE)/venv $(RUST) build_backend/extension.py $(if $(wildcard src/ferrotile/_native.abi3.so),,missing)
	$(PYTHON) build_backend/extension.py
	@touch $@

$(DONE)/installed: $(DONE)/venv $(DONE)/native pyproject.toml
	$(PYTHON) -m pip install --quiet --no-build-isolation --no-deps --editable .
	@touch $@

.PHONY: missing
missing:
