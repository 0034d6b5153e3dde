# Tests of the wheel and of the Debian packages in a bare system; wheels-on-debian.sh reads this file there. The files of
# target/dist are in /dist, and docs/ is in /repository/docs.
# shellcheck shell=bash

# The program that is compiled in several ways.
cat >/tmp/sum.c <<'C'
#include <anyccl/anyccl.h>
#include <stdio.h>

int main(void)
{
    int rank = -1, one = 1, sum = 0;
    if (anyccl_init() != ANYCCL_SUCCESS || anyccl_rank(&rank) != ANYCCL_SUCCESS ||
        anyccl_all_reduce(&one, &sum, 1, ANYCCL_INT32, ANYCCL_SUM, ANYCCL_WORLD) != ANYCCL_SUCCESS)
        return fprintf(stderr, "%s\n", anyccl_last_error()), 1;
    printf("rank %d: the sum is %d\n", rank, sum);
    return anyccl_finalize() != ANYCCL_SUCCESS;
}
C

# Runs a command, which has to print a line for each of 4 ranks.
four_ranks_say() {
    local text=$1 said
    shift
    said=$("$@") || die "failed: $*"$'\n'"$said"
    [ "$(grep -c "$text" <<<"$said")" = 4 ] || die "$* printed:"$'\n'"$said"
}

without_compiler() {
    pip install --quiet /dist/anyccl-*.whl numpy
    anyccl --version
    python -c 'import anyccl; print(anyccl.get_include(), anyccl.get_cmake_dir(), anyccl.get_pkg_config_dir())'
    python -c 'import sys; from anyccl._capi import fast_path; assert fast_path.is_used() == (sys.version_info >= (3, 11))'
    cat >/tmp/script.py <<'PYTHON'
import anyccl
import sys

with anyccl.Communicator.world() as comm:
    assert sys.prefix == "/tmp/venv", sys.prefix
    print("rank", comm.rank, "of", comm.allreduce(1))
PYTHON
    four_ranks_say "of 4" python -m anyccl run -n 4 script.py
    four_ranks_say "of 4" anyccl run -n 4 script.py
    four_ranks_say "of 4" anyccl run -n 4 python script.py
    four_ranks_say "of 4" anyccl-mpiexec -n 4 python script.py
    ! anyccl run -n 1 false 2>/dev/null || die "the exit code of a rank is lost"
    passed "anyccl run"

    local file
    for file in man/man1/anyccl-run.1 bash-completion/completions/anyccl zsh/site-functions/_anyccl fish/vendor_completions.d/anyccl.fish; do
        [ -s "/tmp/venv/share/$file" ] || die "the wheel has no share/$file"
    done

    # The programs of the page, each a file.
    python - <<'PYTHON'
import pathlib, re
text = pathlib.Path("/repository/docs/python.md").read_text(encoding="utf-8")
for number, block in enumerate(re.findall(r"^```python\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)):
    pathlib.Path(f"/tmp/page{number}.py").write_text(block, encoding="utf-8")
PYTHON
    local program
    for program in /tmp/page*.py; do
        anyccl run -n 4 "$program" >/tmp/page.log 2>&1 || die "$program of docs/python.md failed:"$'\n'"$(cat /tmp/page.log)"
    done
    passed "$(ls /tmp/page*.py | wc -l) programs of docs/python.md"

    # The loader gives the tool's libraries to a job that asks for NCCL.
    cat >/tmp/nccl.py <<'PYTHON'
import ctypes
version = ctypes.c_int()
assert ctypes.CDLL("libnccl.so.2").ncclGetVersion(ctypes.byref(version)) == 0
print("nccl", version.value > 22000)
PYTHON
    local method
    for method in audit preload; do
        four_ranks_say "nccl True" anyccl run -n 4 --as nccl --by $method /tmp/nccl.py
    done
    passed "anyccl run --as nccl"
}

with_compiler() {
    cd /tmp
    cc sum.c -o sum-flags -I"$(python -m anyccl --include-dir)" -L"$(python -m anyccl --library-dir)" -lanyccl \
        -Wl,-rpath,"$(python -m anyccl --library-dir)"
    four_ranks_say "sum is 4" anyccl run -n 4 ./sum-flags
    local folder
    folder=$(python -m anyccl --pkg-config-dir)
    # shellcheck disable=SC2046
    cc sum.c -o sum-pkg $(PKG_CONFIG_PATH=$folder pkg-config --cflags --libs anyccl)
    four_ranks_say "sum is 4" env LD_LIBRARY_PATH="$(python -m anyccl --library-dir)" anyccl run -n 4 ./sum-pkg
    mkdir -p cmake && cp sum.c cmake
    cat >cmake/CMakeLists.txt <<'CMAKE'
cmake_minimum_required(VERSION 3.16)
project(sum C)
find_package(anyccl 0.1 REQUIRED)
add_executable(sum sum.c)
target_link_libraries(sum anyccl::anyccl)
CMAKE
    cmake -S cmake -B cmake/build -Danyccl_DIR="$(python -m anyccl --cmake-dir)" >cmake.log && make -s -C cmake/build >>cmake.log ||
        die "$(cat cmake.log)"
    four_ranks_say "sum is 4" anyccl run -n 4 cmake/build/sum
    cat >mpi.c <<'C'
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    int size;
    MPI_Init(&argc, &argv);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    printf("one of %d\n", size);
    return MPI_Finalize();
}
C
    anyccl-mpicc mpi.c -o mpi
    four_ranks_say "one of 4" anyccl-mpiexec -n 4 ./mpi
    passed "C programs by flags, pkg-config, CMake and anyccl-mpicc"
}

debian_packages() {
    PATH=/usr/bin:/bin:/usr/sbin:/sbin
    hash -r
    apt-get -qq install /dist/*.deb >/tmp/apt.log 2>&1 || die "$(tail -n 20 /tmp/apt.log)"
    # shellcheck disable=SC2046
    cc sum.c -o sum-deb $(pkg-config --cflags --libs anyccl)
    four_ranks_say "sum is 4" anyccl run -n 4 ./sum-deb
    # shellcheck disable=SC2046
    cc -static sum.c -o sum-static $(pkg-config --static --cflags --libs anyccl) 2>static.log || die "$(cat static.log)"
    four_ranks_say "sum is 4" anyccl run -n 4 ./sum-static
    anyccl-mpicc mpi.c -o mpi
    four_ranks_say "one of 4" anyccl-mpiexec -n 4 ./mpi
    four_ranks_say "nccl True" anyccl run -n 4 --as nccl /tmp/nccl.py
    cmake -S cmake -B cmake/deb >cmake.log && make -s -C cmake/deb >>cmake.log || die "$(cat cmake.log)"
    four_ranks_say "sum is 4" anyccl run -n 4 cmake/deb/sum
    apt-get -qq remove anyccl anyccl-dbg libanyccl-dev libanyccl0 >/dev/null 2>&1
    [ -z "$(find /usr -name "*anyccl*" -not -path "/usr/share/*")" ] || die "files are left behind by the Debian packages"
    passed "Debian packages, also linked statically"
}
