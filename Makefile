PYTHON ?= python3
SF ?= 1
SCALE ?= 1
ROWS ?= 1 3 10
BENCHMARKS = "benchmarks/lint.py" "benchmarks/diff.py" "benchmarks/tpch.py --sf $(SF)" \
	"benchmarks/tpch.py --sf $(SF) --rules" "benchmarks/increment.py --sf $(SF)" "benchmarks/peers.py --sf $(SF)" \
	"benchmarks/keys.py --sf $(SF)" "benchmarks/growth.py --sf $(SF) --rows $(ROWS)" "benchmarks/provable.py --peer" \
	"benchmarks/provable.py --files 10000" "benchmarks/memory.py" "benchmarks/memory.py --gate" "benchmarks/compile.py" "-m benchmarks.tell" \
	"benchmarks/monitor.py" "benchmarks/registry.py" "benchmarks/lookup.py" "benchmarks/gates.py --sf $(SF)"
PIP = .venv/bin/pip install --quiet --disable-pip-version-check

.PHONY: install demo test soak benchmark jar format clean

install: .venv/.installed

.venv/.installed: requirements.txt pyproject.toml
	@echo "· installing floe and what it needs into .venv (once, about a minute) …"
	@test -x .venv/bin/python || $(PYTHON) -m venv .venv
	@$(PIP) --require-hashes -r requirements.txt
	@$(PIP) --no-deps --no-build-isolation --editable .
	@touch $@

demo: install
	@.venv/bin/python examples/lakehouse/demo.py --scale $(SCALE)

test: install
	@.venv/bin/ruff format --check --quiet . && .venv/bin/ruff check --quiet .
	@.venv/bin/mypy
	@.venv/bin/lint-imports > .venv/lint-imports.log || (cat .venv/lint-imports.log; exit 1)
	.venv/bin/pytest -m "not spark and not soak" -n 2 --durations=50 --doctest-modules src tests
	.venv/bin/pytest -m "spark and not soak" -n 2 --durations=50 --dist loadfile tests

soak: install
	.venv/bin/pytest -m soak
	HYPOTHESIS_PROFILE=soak .venv/bin/pytest -m "hypothesis and not soak" -n 2 tests

benchmark: install
	@missed=; for words in $(BENCHMARKS); do \
		echo "· python $$words"; .venv/bin/python $$words || missed="$$missed$$words\n"; \
	done; test -z "$$missed" || { printf "· missed a bar, or did not run:\n$$missed"; exit 1; }

jar: install
	.venv/bin/python tools/jar.py

format: install
	.venv/bin/ruff format . && .venv/bin/ruff check --fix .

clean:
	rm -rf .venv .demo .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache
