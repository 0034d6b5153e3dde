# What most people need, in two commands: `make demo` and `make test`. `make help` lists the rest.

PREFIX   ?= target/demo-prefix
DESTDIR  ?=
EXAMPLES ?= target/examples
RANKS    ?= 4
CC       ?= cc
CXX      ?= c++
PYTHON   ?= python3
CFLAGS   ?= -O2
XTASK    ?= cargo xtask
C_FLAGS  := -std=c11 -Wall -Wextra -Wpedantic $(CFLAGS) -Ic-examples -I$(PREFIX)/include
CXX_FLAGS := -std=c++17 -Wall -Wextra -Wpedantic $(CFLAGS) -I$(PREFIX)/include
C_LIBS   := -L$(PREFIX)/lib -Wl,-rpath,$(abspath $(PREFIX))/lib -lanyccl -lm
RUN      := $(PREFIX)/bin/anyccl run
DIGITS   := target/digits.csv
# Of `make install`: dev is that of the tests.
PROFILE  ?= release
# Of `make bench-peers`; RANKS and PEERS may be lists with commas, no PEERS means all.
MODE     ?= shm
ROUNDS   ?= 3
PEERS    ?=
SIZES    ?= 8,1024,65536,4194304,33554432
PICTURES := target/peers/pictures
# Of `make bench-before`: a tag, a branch or a commit. The last release; without one, the commit before this.
REF      ?= $(shell git describe --tags --abbrev=0 2>/dev/null || echo HEAD~1)

PROGRAMS := 00-hello-world 01-broadcast 02-allreduce 03-all-to-all 04-equivalence 05-train 06-isend-all-to-all 07-halo 08-survive 09-cpp
# What the tests use is of the profile dev, so that it is built once, with the Rust tests.
TEST_PREFIX   := target/test-prefix
TEST_PROGRAMS := target/test-examples
PARTS := build compile check unit waiting c-api examples nccl mpi-quick benches torch python launchers backends
LONG  := before full seeds worlds rustdoc features release mpi windows learners releases wire fuzz miri asan tsan repeats wheels bare-machine
# Minutes of each target of `make test-fuzz`.
FUZZ_MINUTES ?= 10
# How many parts run at a time; empty: one of each lane (xtask/make_test.py).
JOBS  ?=
MAKE_TEST = MAKE="$(MAKE)" $(PYTHON) xtask/make_test.py $(JOBS:%=--jobs %)

.PHONY: help demo test test-long quick docs install uninstall wheels dist lint-workflows install-cuda-double examples tools bench bench-peers bench-before clean test-gpu mpi4py-table \
    $(PARTS:%=test-%) $(PARTS:%=part-%) $(LONG:%=test-%) $(LONG:%=part-%)
.DEFAULT_GOAL := help
.DELETE_ON_ERROR:

help:
	@echo "make demo       build, install to $(PREFIX), run the examples on $(RANKS) ranks"
	@echo "make quick      what to run before each commit: a minute or two"
	@echo "make test       the tests; the parts alone: $(PARTS:%=test-%)"
	@echo "make test-long  what takes hours; the parts alone: $(LONG:%=test-%)"
	@echo "make test-gpu   what uses GPU memory, on the GPUs of this machine, else on a driver for tests; QUICK=1: a quarter of an hour of it"
	@echo "make install    build and install to PREFIX (now $(PREFIX)), below DESTDIR if that is set; make uninstall removes it"
	@echo "make install-cuda-double  install a CUDA driver for tests, for anyccl run --fake-gpu"
	@echo "make examples   build the examples against the installed library"
	@echo "make bench      micro-benchmarks, start-up time and memory"
	@echo "make bench-peers  measure beside MPICH, Open MPI, Intel MPI, oneCCL, gloo; MODE=shm|tcp RANKS=2,4 ROUNDS=3 PEERS="
	@echo "make bench-before  measure beside the commit REF of this repository, and print what is slower; MODE= RANKS= ROUNDS="
	@echo "make docs       one site of the header and docs/: target/site/index.html; Doxygen comes from PyPI"
	@echo "make wheels     the Python packages, target/dist; make dist: all that a release offers"
	@echo "make clean      remove target/"

tools:
	@command -v cargo >/dev/null || { echo "cargo is missing: install Rust 1.95 or newer, https://rustup.rs"; exit 1; }
	@command -v $(CC) >/dev/null || { echo "$(CC) is missing: install a C compiler, or set CC"; exit 1; }
	@command -v $(CXX) >/dev/null || { echo "$(CXX) is missing: install a C++ compiler, or set CXX"; exit 1; }
	@command -v $(PYTHON) >/dev/null || { echo "$(PYTHON) is missing: install Python 3, or set PYTHON"; exit 1; }

# INSTALLED=1: they are there, and in use by others.
install: tools
ifeq ($(INSTALLED),)
	$(XTASK) install --prefix $(PREFIX) --destdir "$(DESTDIR)" --profile $(PROFILE)
endif

uninstall: tools
	$(XTASK) uninstall --prefix $(PREFIX) --destdir "$(DESTDIR)"

# docs/releasing.md: what a release offers, in target/dist; tools for that come from PyPI and crates.io into target/.
wheels dist: tools
	$(XTASK) $@

lint-workflows: tools
	$(PYTHON) .github/lint.py

# The CUDA driver and runtime for tests, for `anyccl run --fake-gpu`. No other target installs them.
install-cuda-double: tools
	$(XTASK) cuda-double --prefix $(PREFIX)

ifeq ($(INSTALLED),)
examples: $(PROGRAMS:%=$(EXAMPLES)/%)
endif

# `install` is phony, so these are always rebuilt: it takes a second, and they always fit the library.
$(EXAMPLES)/05-train: $(wildcard c-examples/05-train/*.c) install
	@mkdir -p $(@D)
	$(CC) $(C_FLAGS) $(filter %.c,$^) -o $@ $(C_LIBS)
$(EXAMPLES)/%: c-examples/%.c install
	@mkdir -p $(@D)
	$(CC) $(C_FLAGS) $< -o $@ $(C_LIBS)
$(EXAMPLES)/%: c-examples/%.cpp install
	@mkdir -p $(@D)
	$(CXX) $(CXX_FLAGS) $< -o $@ $(C_LIBS)

$(DIGITS): c-examples/05-train/digits.csv.gz
	@mkdir -p $(@D)
	@gunzip -c $< > $@

demo: examples $(DIGITS)
	@set -e; for program in $(filter-out 05-train,$(PROGRAMS)); do \
	    echo; echo "== $$program, ranks: $(RANKS)"; \
	    case $$program in 08-survive) keep=--keep-going;; *) keep=;; esac; \
	    $(RUN) -n $(RANKS) $$keep $(EXAMPLES)/$$program; \
	done; \
	for n in 1 $(RANKS); do \
	    echo; echo "== 05-train, ranks: $$n"; \
	    $(RUN) -n $$n $(EXAMPLES)/05-train $(DIGITS) target/weights-$$n.txt; \
	done; \
	echo; $(PYTHON) c-examples/05-train/compare_weights.py target/weights-1.txt target/weights-$(RANKS).txt
	@echo; echo "The demo is complete: all examples ran on $(RANKS) ranks."

# Runs every part, whatever becomes of the others; says first what will be left out, and last what failed.
test: tools
	@$(MAKE_TEST)
$(PARTS:%=test-%): test-%: tools
	@$(MAKE_TEST) $*
# What takes too long for each commit: docs/testing.md has the list.
test-long: tools
	@$(MAKE_TEST) --long
$(LONG:%=test-%): test-%: tools
	@$(MAKE_TEST) --long $*
# Formats, words, lints, and the Rust tests without those that are exhaustive or wait.
quick: tools
	cargo build-all
	ANYCCL_TEST_BUILT=1 target/debug/xtask check --quick
	$(PYTHON) tests/nextest.py --profile quick

docs: tools
	$(PYTHON) docs/site/make.py

# The recipes of the parts begin here. xtask/make_test.py runs them with INSTALLED=1.
part-%: PREFIX := $(TEST_PREFIX)
part-%: TORCH_OF_TESTS = $(wildcard target/torch-venv/bin/python)
part-%: EXAMPLES := $(TEST_PROGRAMS)

# What the other parts use, made once.
part-build:
	cargo build-all
	@$(MAKE) --no-print-directory INSTALLED= PREFIX=$(PREFIX) EXAMPLES=$(EXAMPLES) PROFILE=dev examples
	$(XTASK) cuda-double
# Formats, words, licences, clippy; the committed header, symbol list and generated pages against fresh ones; the site without
# warnings, where Doxygen can be had.
part-check:
	@$(PYTHON) capi-tests/pypi.py target/clang-format "clang-format==23.*" || \
	    echo "clang-format cannot be had: the format of C and C++ is not compared"
	@$(PYTHON) capi-tests/pypi.py target/nvrtc "nvidia-cuda-nvrtc-cu11==11.8.89" || \
	    echo "NVRTC cannot be had: the kernels of GPUs are not compiled again"
	@$(PYTHON) capi-tests/pypi.py target/ptxas "nvidia-cuda-nvcc-cu12==12.9.86" || \
	    echo "ptxas cannot be had: the kernels of GPUs are not assembled"
	$(XTASK) check
	$(XTASK) ptx --assemble
	$(PYTHON) benches/peers/report.py --check
	$(PYTHON) mpi-tests/mpi4py_page.py --check
	$(PYTHON) docs/site/make.py --check
part-compile:
	$(PYTHON) tests/nextest.py --no-run
part-unit:
	$(PYTHON) tests/nextest.py --profile waiting --ignore-default-filter -E 'not default()'
	cargo test --doc --workspace --features anyccl/half,anyccl/complex
part-waiting:
	$(PYTHON) tests/nextest.py --profile waiting
part-c-api:
	$(PYTHON) capi-tests/run.py --profile dev
part-examples:
	$(PYTHON) c-examples/run_tests.py --prefix $(PREFIX) --programs $(EXAMPLES)
	$(PYTHON) docs/run_snippets.py --prefix $(PREFIX)
# mpiexec of MPICH, Intel MPI and Open MPI from PyPI; skipped, with the reason, where they cannot be had.
part-launchers:
	$(PYTHON) capi-tests/launchers.py --prefix $(PREFIX) --programs $(EXAMPLES)
	$(PYTHON) tests/lossy_wire/endings.py --prefix $(PREFIX)
	$(PYTHON) tests/lossy_wire/joining.py --prefix $(PREFIX)
	$(PYTHON) capi-tests/nth_failure/run.py --prefix $(PREFIX)
# Every collective by each engine that can be had: MPICH, Intel MPI and Open MPI from PyPI, each under its own mpiexec; oneCCL. NCCL is
# opened and says what it misses.
part-backends:
	$(PYTHON) capi-tests/backends/run.py --prefix $(PREFIX)
	$(PYTHON) capi-tests/backends/fabrics.py --prefix $(PREFIX)
	$(PYTHON) capi-tests/nccl_shaped/run.py --prefix $(PREFIX)
# Against NCCL's own header, cupy and nccl4py from PyPI; left out, with the reason, where they cannot be had.
part-nccl:
	$(PYTHON) capi-tests/nccl/run.py --prefix $(PREFIX)
	$(PYTHON) capi-tests/nccl/ways_in.py --prefix $(PREFIX)
	$(PYTHON) capi-tests/nccl/clients.py --prefix $(PREFIX)
# Our programs and mpi4py's own tests, on both MPI libraries; MPICH and mpi4py from PyPI. Left out, with the reason, where they cannot
# be had. `mpi` of `make test-long` has all of them.
part-mpi-quick:
	$(PYTHON) mpi-tests/starting.py --prefix $(PREFIX)
	$(PYTHON) mpi-tests/run.py --prefix $(PREFIX) --quick
# That they run, and that their results are right; nothing is measured.
part-benches:
	PREFIX=$(PREFIX) $(PYTHON) benches/peers/install.py --build anyccl
	$(PREFIX)/bin/anyccl run -n 3 target/peers/programs/anyccl --sizes 8,100000 --seconds 0
	$(PREFIX)/bin/anyccl run -n 2 target/peers/programs/anyccl --sizes 8,100000 --seconds 0 --memory library
	PREFIX=$(PREFIX) $(PYTHON) benches/startup.py --ranks 1,3 --runs 1
# PyTorch is 5 GB: downloaded once into target/torch-packages. target/torch-venv has our package.
part-torch:
	ANYCCL_ROOT=$(abspath $(PREFIX)) $(PYTHON) torch/tests/install.py
	torch/tests/run.sh
	ANYCCL_ROOT=$(abspath $(PREFIX)) $(PYTHON) torch/tests/cuda/run.py
	target/torch-venv/bin/python torch/tests/python/run.py --prefix $(PREFIX)
	$(PYTHON) capi-tests/nth_failure/run.py --prefix $(PREFIX) --python target/torch-venv/bin/python
	$(PYTHON) capi-tests/nccl/clients.py --prefix $(PREFIX) --torch target/torch-venv/bin/python
	target/torch-venv/bin/python c-examples/run_torch_tests.py --prefix $(PREFIX)
# The Python package alone, out of this folder.
part-python:
	$(PYTHON) torch/tests/install.py --numpy
	target/numpy/bin/python torch/tests/python/run.py --source --prefix $(PREFIX)

# The parts of `make test-long`.
# The speed beside that of the last release, over both transports. The builds of `make demo` have the profile of releases.
part-before:
	$(MAKE) --no-print-directory INSTALLED= PREFIX=target/demo-prefix RANKS=2,4 MODE=shm bench-before
	$(MAKE) --no-print-directory INSTALLED= PREFIX=target/demo-prefix RANKS=2,4 MODE=tcp bench-before
# Every cell of collective, datatype and operator with every count, placement, form, transport and number of ranks.
part-full:
	ANYCCL_TEST_LONG=1 $(PYTHON) tests/nextest.py --profile long
	ANYCCL_TEST_LONG=1 $(MAKE) --no-print-directory part-c-api part-nccl part-backends part-torch
	ANYCCL_TEST_LONG=1 $(PYTHON) capi-tests/nth_failure/run.py --prefix $(PREFIX)
# Calls on GPU memory with 500 seeds of the double's delays.
part-seeds:
	ANYCCL_TEST_SEEDS=500 $(PYTHON) tests/nextest.py --profile long -E 'binary(devices) & test(/^seeds::/)'
# A million seeds of the simulated world.
part-worlds:
	$(PYTHON) tests/worlds.py
part-rustdoc:
	RUSTDOCFLAGS="-D warnings" cargo doc --workspace --no-deps
# The crate without its features, and the micro-benchmarks.
part-features:
	cargo test -p anyccl
	cargo bench -p anyccl-engine --no-run
# What users get: the tests of the C API, NCCL and MPI on a release build, and the instructions of small calls against their budgets.
part-release:
	$(MAKE) --no-print-directory INSTALLED= PREFIX=target/demo-prefix demo
	ANYCCL_TEST_LONG=1 $(PYTHON) capi-tests/run.py --profile release
	$(PYTHON) capi-tests/nccl/run.py --prefix target/demo-prefix
	$(PYTHON) mpi-tests/run.py --prefix target/demo-prefix --quick
part-mpi:
	$(PYTHON) mpi-tests/run.py --prefix $(PREFIX)
# 1,000 random programs on windows, by each transport, on 1 to 8 ranks.
part-windows:
	$(PYTHON) mpi-tests/window_seeds.py --prefix $(PREFIX)
# PyTorch's programs run where `make test-torch` has made its environment.
part-wire:
	ANYCCL_TEST_LONG=1 $(PYTHON) tests/lossy_wire/joining.py --prefix $(PREFIX)
	ANYCCL_TEST_LONG=1 $(PYTHON) tests/lossy_wire/endings.py --prefix $(PREFIX) $(TORCH_OF_TESTS:%=--torch %)
# Each parser of bytes that others have written; needs a nightly toolchain and cargo-fuzz.
part-fuzz:
	$(PYTHON) fuzz/run.py --minutes $(FUZZ_MINUTES)
# Undefined behaviour, wrong accesses, data races; by the toolchain nightly.
part-miri:
	$(PYTHON) tests/miri.py
part-asan:
	$(PYTHON) tests/sanitizers.py address --prefix $(PREFIX)
part-tsan:
	$(PYTHON) tests/sanitizers.py thread
# LightGBM and Ray from PyPI.
part-learners:
	$(PYTHON) torch/tests/learners/run.py --prefix $(PREFIX)
# Ten releases of PyTorch, one after the other; writes docs/torch-releases.md.
part-releases:
	ANYCCL_ROOT=$(abspath $(PREFIX)) $(PYTHON) torch/tests/releases.py
# 50 times beside four busy loops.
part-repeats:
	$(PYTHON) tests/beside_load.py $(PYTHON) tests/nextest.py --profile default
	$(PYTHON) tests/beside_load.py $(MAKE) INSTALLED=1 part-c-api
	$(PYTHON) tests/beside_load.py $(MAKE) INSTALLED=1 part-torch
# Installs and runs what is in target/dist on bare systems of Debian 11, 12 and 13; needs root and debootstrap.
part-wheels:
	$(XTASK) dist
	$(XTASK) wheels-on-debian
part-bare-machine:
	$(XTASK) bare-machine

# Memory of GPUs: on the GPUs of this machine, or on the CUDA driver for tests. docs/gpu.md has what was run where.
test-gpu: install
	$(PYTHON) capi-tests/gpu.py --prefix $(PREFIX) $(if $(QUICK),--quick)

# mpi4py's own tests alone; what becomes of them is kept, and makes docs/mpi-mpi4py.md. Goes on where it was stopped with
# MISSING=--missing.
mpi4py-table: install
	$(PYTHON) mpi-tests/run.py --prefix $(PREFIX) --keep $(MISSING)
	$(PYTHON) mpi-tests/mpi4py_page.py

bench: install
	cargo bench -p anyccl-engine
	PREFIX=$(PREFIX) $(PYTHON) benches/startup.py

# docs/performance.md says what is measured and how.
bench-peers: install
	PREFIX=$(PREFIX) $(PYTHON) benches/peers/install.py
	PREFIX=$(PREFIX) $(PYTHON) benches/peers/compare.py --mode $(MODE) --ranks $(RANKS) --rounds $(ROUNDS) \
	    --sizes $(SIZES) --peers "$(PEERS)" --json target/peers/results-$(MODE).json
	$(PYTHON) capi-tests/pypi.py $(PICTURES) "matplotlib==3.10.*"
	$(PICTURES)/bin/python benches/peers/plots.py target/peers/results-$(MODE).json

# Builds the other commit in target/before. What is slower in three runs of three is a loss.
bench-before: install
	PREFIX=$(PREFIX) $(PYTHON) benches/peers/before.py $(REF) --mode $(MODE) --ranks $(RANKS) --rounds $(ROUNDS) --sizes $(SIZES)

clean:
	cargo clean
