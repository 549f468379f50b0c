# Everything sets itself up: a virtual environment in .venv, with the package built from this checkout.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
OLDEST := build/oldest
SOURCES := $(shell find core src -name '*.[ch]pp' -o -name '*.py' -path 'src/*' -o -path 'src/*/page/*.*') CMakeLists.txt
CPP := $(shell find core -name '*.[ch]pp')

.PHONY: help demo test browser oldest check format bench paper paper-quick docs sanitize clean

help:  ## what there is to make
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed 's/:.*## /\t/'

$(VENV)/tools: pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade 'pip>=25.1'
	$(BIN)/pip install --quiet --group build --group test --group check --group docs
	touch $@

$(VENV)/built: $(VENV)/tools $(SOURCES) README.md
	$(BIN)/pip install --quiet --no-build-isolation --config-settings build-dir=$(VENV)/core .
	touch $@

demo: $(VENV)/built  ## learn from the digits that come with scikit-learn, and complete images
	$(BIN)/pip install --quiet --group demo
	$(BIN)/python examples/digits.py

# By two processes, each with whole files of tests.
test: check $(VENV)/built  ## all checks and tests
	$(BIN)/pip install --quiet --group tables || echo "There are no packages with real tables, so their tests are skipped."
	$(BIN)/pytest --numprocesses 2 --dist loadfile

browser: $(VENV)/built  ## the explorer in a real Chromium: the one of the system, or one that is installed
	$(BIN)/pip install --quiet --group browser
	command -v chromium >/dev/null || command -v google-chrome >/dev/null || \
	  { apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -qq --yes chromium >/dev/null; } || \
	  $(BIN)/playwright install chromium || echo "There is no Chromium, so these tests are skipped."
	$(BIN)/pytest tests/browser

# A wheel, because the oldest environment has nothing to build with. Pages and experiments need more than the package.
oldest: $(VENV)/built  ## the tests with the oldest versions that pyproject.toml allows; needs Python 3.11 or 3.12
	rm -rf $(OLDEST)
	$(BIN)/python -m venv $(OLDEST)
	$(BIN)/pip --python $(OLDEST) install --quiet $$($(BIN)/python tests/helpers/oldest.py)
	$(BIN)/pip wheel --quiet --no-deps --no-build-isolation --config-settings build-dir=$(VENV)/core --wheel-dir $(OLDEST) .
	$(BIN)/pip --python $(OLDEST) install --quiet $(OLDEST)/learnac-*.whl
	$(OLDEST)/bin/pytest --ignore tests/docs --ignore tests/experiments

check: $(VENV)/built  ## format, lint, types, import direction
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/clang-format --dry-run --Werror $(CPP)
	$(BIN)/mypy
	$(BIN)/mypy examples
	$(BIN)/lint-imports

format: $(VENV)/tools  ## put code into the project's format
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .
	$(BIN)/clang-format -i $(CPP)

# What is slower than expected is an error, but only after README has been written.
bench: $(VENV)/paper  ## benchmarks of learning, inference, commands, service, large tables, compiling and explorer, and their tables; needs LEARNAC_DATA
	failed=0; \
	$(BIN)/python benchmarks/learning.py || failed=1; \
	$(BIN)/python benchmarks/inference.py || failed=1; \
	$(BIN)/python benchmarks/mixtures.py || failed=1; \
	$(BIN)/python benchmarks/commands.py || failed=1; \
	$(BIN)/python benchmarks/service.py || failed=1; \
	$(BIN)/python benchmarks/scale.py || failed=1; \
	$(BIN)/python benchmarks/compiling.py || failed=1; \
	$(BIN)/python benchmarks/compiling_learned.py || failed=1; \
	$(BIN)/pip install --quiet --group browser && $(BIN)/python benchmarks/explorer.py || failed=1; \
	$(BIN)/python experiments/filled.py || failed=1; \
	exit $$failed

STUDIES := table3 table4 table5 same_size tradeoff optimisations collection categorical alternatives defaults mixtures gaps tabular rowwise times again

# What could not be measured (times, on a machine that is not idle) is an error, but only after the report has been written.
paper: $(VENV)/paper  ## all experiments, in hours; begun again, what is missing; needs LEARNAC_DATA
	failed=0; \
	for study in $(STUDIES); do $(BIN)/python experiments/$$study.py || failed=1; done; \
	$(BIN)/python experiments/report.py || failed=1; \
	$(BIN)/python experiments/filled.py || failed=1; \
	exit $$failed

paper-quick: $(VENV)/paper  ## a small version of the experiments, in a minute or two; needs no data
	rm -rf build/paper-quick
	for study in $(STUDIES); do \
	  $(BIN)/python experiments/$$study.py --settings experiments/quick.toml --results build/paper-quick || exit 1; \
	done
	$(BIN)/python experiments/report.py --results build/paper-quick --settings experiments/quick.toml --out build/paper-quick

$(VENV)/paper: $(VENV)/built
	$(BIN)/pip install --quiet --group paper
	$(BIN)/pip install --quiet --no-deps spflow==0.0.48 || echo "There is no SPFlow to compare with."
	touch $@

docs: $(VENV)/built  ## the site, in build/site; its examples are run by `make test`
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --quiet --strict

sanitize: $(VENV)/tools  ## random split sequences, queries and compilations under address and undefined-behaviour sanitizers
	$(BIN)/cmake -S . -B build/sanitize -DLEARNAC_SANITIZE=ON -DCMAKE_BUILD_TYPE=Debug
	$(BIN)/cmake --build build/sanitize --parallel 2
	build/sanitize/random_splits
	build/sanitize/random_queries
	build/sanitize/random_compilations

clean:
	rm -rf $(VENV) build .mypy_cache .ruff_cache .pytest_cache
