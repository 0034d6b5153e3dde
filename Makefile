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
# Of `make bench-peers`; RANKS and PEERS may be lists with commas, no PEERS means all.
MODE     ?= shm
ROUNDS   ?= 3
PEERS    ?=
SIZES    ?= 8,1024,65536,4194304,33554432
PICTURES := target/peers/pictures

PROGRAMS := 00-hello-world 01-broadcast 02-allreduce 03-all-to-all 04-equivalence 05-train 06-isend-all-to-all 07-halo 08-survive 09-cpp
# The order of `make test`; python takes the place of torch where there is none.
PARTS    := check build unit c-api examples nccl mpi-quick benches torch python launchers backends
# How many parts run at a time.
JOBS     ?= 2

.PHONY: help demo test docs install uninstall wheels dist test-wheels lint-workflows install-cuda-double examples tools bench bench-peers clean test-mpi test-gpu mpi4py-table $(PARTS:%=test-%)
.DEFAULT_GOAL := help
.DELETE_ON_ERROR:

help:
	@echo "make demo       build, install to $(PREFIX), run the examples on $(RANKS) ranks"
	@echo "make test       the tests; the parts alone: $(PARTS:%=test-%)"
	@echo "make test-mpi   all tests of MPI: an hour"
	@echo "make test-gpu   what uses memory of GPUs, on those of this machine, else on a driver for tests"
	@echo "make install    build and install to PREFIX (now $(PREFIX)), below DESTDIR if that is set; make uninstall removes it"
	@echo "make install-cuda-double  install a CUDA driver for tests, for anyccl run --fake-gpu"
	@echo "make examples   build the examples against the installed library"
	@echo "make bench      micro-benchmarks, start-up time and memory"
	@echo "make bench-peers  measure beside MPICH, Open MPI, Intel MPI, oneCCL, gloo; MODE=shm|tcp RANKS=2,4 ROUNDS=3 PEERS="
	@echo "make docs       one site of the header and docs/: target/site/index.html; Doxygen comes from PyPI"
	@echo "make wheels     the Python packages, target/dist; make dist: all that a release offers; make test-wheels: on Debian 11 to 13"
	@echo "make clean      remove target/"

tools:
	@command -v cargo >/dev/null || { echo "cargo is missing: install Rust 1.95 or newer, https://rustup.rs"; exit 1; }
	@command -v $(CC) >/dev/null || { echo "$(CC) is missing: install a C compiler, or set CC"; exit 1; }
	@command -v $(CXX) >/dev/null || { echo "$(CXX) is missing: install a C++ compiler, or set CXX"; exit 1; }
	@command -v $(PYTHON) >/dev/null || { echo "$(PYTHON) is missing: install Python 3, or set PYTHON"; exit 1; }

# INSTALLED=1: they are there, and in use by others.
install: tools
ifeq ($(INSTALLED),)
	cargo build --release -p anyccl-native -p anyccl-nccl -p anyccl-audit -p anyccl-cli
	$(XTASK) install --prefix $(PREFIX) --destdir "$(DESTDIR)"
endif

uninstall: tools
	$(XTASK) uninstall --prefix $(PREFIX) --destdir "$(DESTDIR)"

# docs/releasing.md: what a release offers, in target/dist; tools for that come from PyPI and crates.io into target/.
wheels dist: tools
	$(XTASK) $@

# Installs and runs what is in target/dist on bare systems of Debian 11, 12 and 13; needs root and debootstrap.
test-wheels: tools
	$(XTASK) wheels-on-debian

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
	@MAKE="$(MAKE)" $(PYTHON) xtask/make_test.py --jobs $(JOBS) $(PARTS)

docs: tools
	$(PYTHON) docs/site/make.py

# What the other parts use, made once; they get INSTALLED=1.
test-build:
	@$(MAKE) --no-print-directory INSTALLED= examples
# Formats, words, licences, clippy, rustdoc; the committed header, symbol list and generated pages against fresh ones; the site without
# warnings, where Doxygen can be had.
test-check:
	@$(PYTHON) capi-tests/pypi.py target/clang-format "clang-format==23.*" || \
	    echo "clang-format cannot be had: the format of C and C++ is not compared"
	@$(PYTHON) capi-tests/pypi.py target/nvrtc "nvidia-cuda-nvrtc-cu11==11.8.89" || \
	    echo "NVRTC cannot be had: the kernels of GPUs are not compiled again"
	@$(PYTHON) capi-tests/pypi.py target/ptxas "nvidia-cuda-nvcc-cu12==12.9.86" || \
	    echo "ptxas cannot be had: the kernels of GPUs are not assembled"
	cargo xtask check
	cargo xtask ptx --assemble
	$(PYTHON) benches/peers/report.py --check
	$(PYTHON) mpi-tests/mpi4py_page.py --check
	$(PYTHON) docs/site/make.py --check
test-unit:
	cargo test --workspace --no-fail-fast
	cargo test -p anyccl --features half,complex --test operators
test-c-api:
	$(PYTHON) capi-tests/run.py
test-examples: examples
	$(PYTHON) c-examples/run_tests.py --prefix $(PREFIX) --programs $(EXAMPLES)
	$(PYTHON) docs/run_snippets.py --prefix $(PREFIX)
# mpiexec of MPICH, Intel MPI and Open MPI from PyPI; skipped, with the reason, where they cannot be had.
test-launchers: examples
	$(PYTHON) capi-tests/launchers.py --prefix $(PREFIX) --programs $(EXAMPLES)
# Every collective by each engine that can be had: MPICH, Intel MPI and Open MPI from PyPI, each under its own mpiexec; oneCCL. NCCL is
# opened and says what it misses.
test-backends: install
	$(PYTHON) capi-tests/backends/run.py --prefix $(PREFIX)
	$(PYTHON) capi-tests/nccl_shaped/run.py --prefix $(PREFIX)
# Against NCCL's own header, cupy and nccl4py from PyPI; left out, with the reason, where they cannot be had.
test-nccl: install
	$(PYTHON) capi-tests/nccl/run.py --prefix $(PREFIX)
	$(PYTHON) capi-tests/nccl/ways_in.py --prefix $(PREFIX)
	$(PYTHON) capi-tests/nccl/clients.py --prefix $(PREFIX)

# Our programs and mpi4py's own tests, on both MPI libraries; MPICH and mpi4py from PyPI. An hour; left out, with the reason, where
# they cannot be had. test-mpi-quick: what takes under three minutes of it.
test-mpi: install
	$(PYTHON) mpi-tests/starting.py --prefix $(PREFIX)
	$(PYTHON) mpi-tests/run.py --prefix $(PREFIX)
test-mpi-quick: install
	$(PYTHON) mpi-tests/starting.py --prefix $(PREFIX)
	$(PYTHON) mpi-tests/run.py --prefix $(PREFIX) --quick

# Memory of GPUs: on the GPUs of this machine, or on the CUDA driver for tests. docs/gpu.md has what was run where.
test-gpu: install
	$(PYTHON) capi-tests/gpu.py --prefix $(PREFIX)

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

# That they run, and that their results are right; nothing is measured.
test-benches: install
	PREFIX=$(PREFIX) $(PYTHON) benches/peers/install.py --build anyccl
	$(RUN) -n 3 target/peers/programs/anyccl --sizes 8,100000 --seconds 0
	$(RUN) -n 2 target/peers/programs/anyccl --sizes 8,100000 --seconds 0 --memory library
	PREFIX=$(PREFIX) $(PYTHON) benches/startup.py --ranks 1,3 --runs 1

# PyTorch is 5 GB: downloaded once, into target/torch-venv; what is there already is used as it is.
test-torch: install
	ANYCCL_ROOT=$(abspath $(PREFIX)) $(PYTHON) torch/tests/install.py
	torch/tests/run.sh
	ANYCCL_ROOT=$(abspath $(PREFIX)) $(PYTHON) torch/tests/cuda/run.py
	target/torch-venv/bin/python torch/tests/python/run.py --prefix $(PREFIX)
	$(PYTHON) capi-tests/nccl/clients.py --prefix $(PREFIX) --torch target/torch-venv/bin/python
	target/torch-venv/bin/python c-examples/run_torch_tests.py --prefix $(PREFIX)

# The Python package alone, out of this folder.
test-python: install
	$(PYTHON) torch/tests/install.py --numpy
	$(XTASK) cuda-double
	target/numpy/bin/python torch/tests/python/run.py --source --prefix $(PREFIX)

clean:
	cargo clean
