# An index over the CMake presets and utils/. `make help` lists the targets.

.NOTPARALLEL:
.PHONY: all help quick check check-full tsan lint fix docs docs-check coverage \
  fuzz bench demo install-deps clean

all: build/build.ninja ## build everything (default)
	@cmake --build build

help: ## this list
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/  make \1\t\2/p' Makefile | expand -t 20

quick: all ## build, then the quick tests: under a minute
	@utils/run-tests.py --build build --set quick

check: all ## build, then every test and the cheap checks
	@utils/run-tests.py --build build --set check

check-full: ## all tests, mutants; sanitizers, gcc, no assertions; how long each took
	@utils/check-full

tsan: ## tests with the thread sanitizer
	@cmake --preset tsan >/dev/null
	@cmake --build build-tsan
	@utils/run-tests.py --build build-tsan --set check

lint: all ## format, clang-tidy, layers, sizes, globals, messages, links, shell
	@utils/lint

fix: ## apply what lint can fix
	@utils/lint -f --quick || true

docs: ## write docs/generated and docs/Diagnostics.md anew, after a build
	@utils/generate-docs.py -f
	@utils/check-diagnostics.py -f >/dev/null || true
	@utils/draw-layers.py -f

docs-check: ## fail when a written page is stale or a link is broken, after a build
	@utils/generate-docs.py
	@utils/draw-layers.py
	@utils/check-links.py

coverage: ## lines of our C that the tests run, per file
	@utils/coverage

fuzz: ## fuzz one target: make fuzz T=NAME [SECONDS=60]
	@utils/fuzz "$(T)" "$(SECONDS)"

bench: all ## run the benchmarks
	@cmake --build build --target bench

demo: ## install, build, compile examples/gemm.mlir, run it, check it
	@utils/install-deps
	@$(MAKE) --no-print-directory all
	@utils/demo.py

install-deps: ## install the Debian packages that are missing
	@utils/install-deps

clean: ## remove build trees and outputs
	rm -rf build build-asan build-tsan build-gcc build-release build-coverage \
	  build-fuzz out

build/build.ninja:
	@cmake --preset default >/dev/null
