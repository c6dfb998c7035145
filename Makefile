# `make demo` and `make test` need nothing but a Python of 3.11 or newer: each makes .venv and installs what it uses,
# once, and again when pyproject.toml changes.

SHELL := /bin/bash
.DEFAULT_GOAL := help

VENV := .venv
PYTHON = $(VENV)/bin/python
PIP = $(PYTHON) -m pip --quiet --disable-pip-version-check
TESTS ?= tests
# What makes .venv, the first that will do.
PYTHONS ?= python3 python3.14 python3.13 python3.12 python3.11 python
# Where one Python differs from another: its compiler, its own classes, its messages.
NEWEST_TESTS ?= tests/autograph tests/core tests/function tests/interop tests/util tests/tools tests/oracle
# What threads and degrees of parallelism decide. XLA sizes its thread pools by itself.
CORES_TESTS ?= tests/data tests/engines tests/util/test_thread_pool.py tests/util/test_blas_threads.py --ignore=tests/engines/xla
# Workers for the tests: a core each, at most four.
JOBS ?= $(shell n=$$(nproc 2>/dev/null || sysctl -n hw.ncpu 2>/dev/null || echo 1); echo $$(( n > 4 ? 4 : n )))

help:  ## what can be made
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## */\1\t/' | expand -t 12

demo: $(VENV)/demo.stamp  ## train the digits classifier, eager and as a graph
	@$(PYTHON) -m millrace run examples/digits.py

test: $(VENV)/test.stamp  ## run the tests
	@$(PYTHON) -m pytest -q -n $(JOBS) --dist worksteal $(TESTS)

cores: $(VENV)/test.stamp  ## run the tests of data, engines and threads as on machines of 1 and of 8 cores
	@for cores in 1 8; do \
	    echo "$$cores cores"; \
	    MILLRACE_CORES=$$cores $(MAKE) --no-print-directory test TESTS='$(CORES_TESTS)' || exit 1; \
	done

keras-tests: $(VENV)/test.stamp  ## run Keras's own tests, all 13,800, out of the installed wheel: see docs/decisions/keras-tests.md
	@$(PYTHON) -m tests.keras --jobs $(JOBS) $(KERAS_TESTS)

newest: $(VENV)/venv.stamp  ## run a selection of the tests on the newest other Python of this machine
	@found=$$($(PYTHON) tools/newest_python.py); \
	if [ -z "$$found" ]; then echo 'skipped: this machine has no other Python of 3.11 or newer'; exit 0; fi; \
	echo "Python $$found"; \
	$(MAKE) --no-print-directory test VENV=.venv-$${found%% *} PYTHONS="$${found#* }" TESTS='$(NEWEST_TESTS)'

lint: style layers sizes prose structure generated  ## style, layers, sizes, words, structure, freshness of generated files

style: $(VENV)/dev.stamp
	@$(PYTHON) -m ruff check --quiet --output-format concise .

layers: $(VENV)/dev.stamp
	@$(VENV)/bin/lint-imports --no-cache > $(VENV)/layers.log 2>&1 || { tail -n +9 $(VENV)/layers.log; exit 1; }

sizes: $(VENV)/venv.stamp
	@$(PYTHON) tools/check_sizes.py

prose: $(VENV)/venv.stamp
	@$(PYTHON) tools/check_prose.py

structure: $(VENV)/venv.stamp
	@$(PYTHON) tools/check_structure.py

generated: $(VENV)/venv.stamp
	@$(PYTHON) tools/gen_api.py --check
	@$(PYTHON) tools/gen_protos.py --check

types: $(VENV)/dev.stamp  ## mypy --strict on the library
	@$(PYTHON) -m mypy --no-error-summary

api: $(VENV)/venv.stamp  ## write the generated tables anew
	@$(PYTHON) tools/gen_api.py

stubs: $(VENV)/venv.stamp  ## write .pyi files, so that editors see the public names
	@$(PYTHON) tools/gen_stubs.py

bench: $(VENV)/bench.stamp  ## side by side with the frameworks that are installed; RECORD=1 writes docs/benchmarks.md; ROWS=..., MODES=pinned; MODELS=1: whole models
	@$(PYTHON) -m benchmarks$(if $(MODELS),.models) $(if $(PEERS),--peers $(PEERS)) $(if $(MODES),--modes $(MODES)) $(if $(RECORD),--record) $(ROWS)

clean:  ## remove everything that was made
	@rm -rf $(VENV) .venv-* build dist .pytest_cache .mypy_cache .ruff_cache .hypothesis

# --- set-up -----------------------------------------------------------------------------------------------------------

$(VENV)/venv.stamp:
	@python=$$(for p in $(PYTHONS); do \
	    "$$p" -c 'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && { echo "$$p"; break; }; \
	  done); \
	[ -n "$$python" ] || { echo 'A Python of 3.11 or newer with venv is needed (Debian, Ubuntu: apt install python3-venv).' >&2; exit 1; }; \
	echo "setting up $(VENV), once" >&2; \
	"$$python" -m venv $(VENV)
	@$(PIP) install --upgrade 'pip>=25.1'
	@touch $@

$(VENV)/demo.stamp: $(VENV)/venv.stamp pyproject.toml
	@$(PIP) install --editable . --group demo
	@touch $@

$(VENV)/test.stamp: $(VENV)/venv.stamp pyproject.toml
	@$(PIP) install --editable '.[xla,keras,image]' --group demo --group test
	@touch $@

$(VENV)/dev.stamp: $(VENV)/test.stamp
	@$(PIP) install --group lint
	@touch $@

$(VENV)/bench.stamp: $(VENV)/test.stamp
	@$(PIP) install --group bench
	@touch $@

.PHONY: help demo test cores keras-tests newest lint style layers sizes prose structure generated types api stubs bench clean
