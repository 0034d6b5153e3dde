#!/usr/bin/env python3
"""Tests of the ways in which programs get the MPI of anyccl, start, and end: `anyccl run`, `run --as mpi`, `info --mpi-of`,
`anyccl-mpiexec`.

    starting.py [--prefix INSTALLED]

Needs a C compiler, and no other MPI, because the tests use stand-ins for that.
"""

import argparse
import json
import os
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent
SOURCE = HERE / "starting"
WORK = ROOT / "target" / "mpi-starting"
LIMIT_S = 60
FOREIGN = ("ANYCCL_", "PMI", "OMPI_", "SLURM_", "MPI", "RANK", "WORLD_SIZE", "MASTER_")


class Installed:
    """The installed anyccl that is tested, and the programs to test it with."""

    def __init__(self, prefix):
        self.prefix, self.tool, self.mpiexec = prefix, prefix / "bin" / "anyccl", prefix / "bin" / "anyccl-mpiexec"
        self.lib = prefix / "lib" / "anyccl" / "mpi" / "lib"
        WORK.mkdir(parents=True, exist_ok=True)
        self.program = WORK / "program"
        execute(prefix / "bin" / "anyccl-mpicc", "-Wall", SOURCE / "program.c", "-o", self.program)
        self.other = stand_in("libmpi.so.12")
        self.linked = linked("linked", self.other)
        self.as_debian = linked("as-debian", stand_in("libmpich.so.12"))
        self.open_mpi = linked("open-mpi", stand_in("libmpi.so.40", "-DOPEN_MPI"), "-DOPEN_MPI")
        # Open MPI's objects lie in the library, or the loader copies them into the program, perhaps below 4 GiB.
        self.ways = [linked(f"open-mpi{flags[-1]}", WORK / "other" / "libmpi.so.40", "-DOPEN_MPI", *flags)
                     for flags in (("-fPIC",), ("-fPIC", "-mno-direct-extern-access"), ("-fno-pie", "-no-pie"))]
        # A program in Fortran may need only Open MPI's library for that.
        self.fortran = linked("fortran", stand_in("libmpi_mpifh.so.40", "-DOPEN_MPI"), "-DOPEN_MPI")
        self.static = WORK / "static"
        execute("cc", "-static", SOURCE / "asks.c", SOURCE / "other.c", "-o", self.static)

    def run(self, *words, ranks=2, **environment):
        """Runs `anyccl run --no-prefix`. Returns the exit code, the output, and the errors."""
        return said(self.tool, "run", "--no-prefix", "-n", ranks, *words, **environment)

    def of(self, *words, **environment):
        """Returns what `anyccl info --mpi-of` reports of a command."""
        code, out, err = said(self.tool, "info", "--json", "--deadline", 20, "--mpi-of", *words, **environment)
        check(code == 0, f"info --mpi-of {words}: {err}")
        return json.loads(out)


def execute(*words):
    subprocess.run([str(word) for word in words], check=True)


def stand_in(name, *more):
    library = WORK / "other" / name
    library.parent.mkdir(exist_ok=True)
    execute("cc", "-shared", "-fPIC", *more, f"-Wl,-soname,{name}", SOURCE / "other.c", "-o", library)
    return library


def linked(name, library, *more):
    # A DT_RPATH, which comes before LD_LIBRARY_PATH.
    rpath = f"-Wl,--disable-new-dtags,-rpath,{library.parent}"
    execute("cc", *more, SOURCE / "asks.c", library, rpath, "-o", WORK / name)
    return WORK / name


def said(*words, **environment):
    clean = {name: value for name, value in os.environ.items() if not name.startswith(FOREIGN)}
    done = subprocess.run([str(word) for word in words], capture_output=True, text=True, timeout=LIMIT_S,
                          env=clean | environment, stdin=subprocess.DEVNULL)
    return done.returncode, done.stdout, done.stderr


def check(holds, what):
    if not holds:
        sys.exit(f"starting.py: {what}")


def ring(size, what=""):
    return sorted(f"rank {rank} of {size} got {(rank - 1) % size} {what}".strip() for rank in range(size))


def lines(text):
    return sorted(line.strip() for line in text.splitlines())


def ours_takes_the_place_of_others(it):
    for program, name in ((it.linked, "libmpi.so.12"), (it.as_debian, "libmpi.so.12"), (it.open_mpi, "libmpi.so.40"),
                          (it.fortran, "libmpi.so.40"), *((way, "libmpi.so.40") for way in it.ways)):
        code, out, err = it.run("--as", "mpi", program, LD_BIND_NOW="1" if program in it.ways else "")
        check(code == 0 and lines(out) == ["rank 0 of 2", "rank 1 of 2"], f"{program}: code {code}, {out!r}, {err!r}")
        told = [line for line in err.splitlines() if "MPI is anyccl" in line]
        check(len(told) == 1 and name in told[0] and "by audit" in told[0], f"is to be said once: {err!r}")
    code, out, err = it.run("--as", "mpi", it.program)
    check(code == 0 and lines(out) == ring(2) and "libmpi_abi.so.1" in err, f"code {code}, {out!r}, {err!r}")
    code, out, err = said(it.linked, LD_AUDIT=str(it.lib / "libanyccl_audit.so"))
    check((code, out) == (0, "rank 0 of 1\n"), f"LD_AUDIT by hand: code {code}, {out!r}, {err!r}")
    print("run --as mpi: takes the place of MPICH, under Debian's name too, of Open MPI, and of the standard ABI")


def debians_name_is_the_same_library(it):
    program = WORK / "by-debians-name"
    execute("cc", SOURCE / "asks.c", stand_in("libmpich.so.12"), "-o", program)
    code, out, err = said(program, LD_LIBRARY_PATH=it.lib)
    check((code, out) == (0, "rank 0 of 1\n"), f"code {code}, {out!r}, {err!r}")
    names = [it.lib / name for name in ("libmpich.so.12", "libmpi.so.12")]
    for first, second in (names, reversed(names)):
        addresses = f"[ctypes.cast(ctypes.CDLL(name).MPI_Init, ctypes.c_void_p).value for name in ({str(first)!r}, {str(second)!r})]"
        code, out, err = said(sys.executable, "-c", f"import ctypes; print(len(set({addresses})))")
        check((code, out) == (0, "1\n"), f"{first.name} and then the other: {out!r} functions, {err!r}")
    print("libmpich.so.12: Debian's programs by the path, and one library under both names")


def open_mpis_fortran_is_the_same_library(it):
    program = WORK / "fortran-by-path"
    execute("cc", "-DOPEN_MPI", SOURCE / "asks.c", stand_in("libmpi_mpifh.so.40", "-DOPEN_MPI"), "-o", program)
    code, out, err = it.run("--as", "mpi", "--by", "path", program)
    check(code == 0 and lines(out) == ["rank 0 of 2", "rank 1 of 2"], f"code {code}, {out!r}, {err!r}")
    names = [it.lib / name for name in ("libmpi_mpifh.so.40", "libmpi.so.40")]
    calls = f"[ctypes.cast(getattr(ctypes.CDLL(str(name)), call), ctypes.c_void_p).value for name in {list(map(str, names))!r}]"
    for call in ("MPI_Init", "mpi_init_"):
        code, out, err = said(sys.executable, "-c", f"import ctypes; call = {call!r}; print(len(set({calls})))")
        check((code, out) == (0, "1\n"), f"{call}: {out!r} functions, {err!r}")
    print("libmpi_mpifh.so.40: by the path, and one library under both names")


def several_abis_in_one_process_are_worlds_of_their_own(it):
    """A plugin may have been built with another MPI than its program. Each library has a world of the same ranks."""
    calls = """import ctypes, sys
doors = [ctypes.CDLL(path) for path in sys.argv[1:]]
codes = [door.MPI_Init(None, None) for door in doors] + [door.MPI_Finalize() for door in reversed(doors)]
print(codes)"""
    names = ["libmpi.so.12", "libmpi.so.40", "libmpi_abi.so.1"]
    for some in (names, names[::-1]):
        code, out, err = it.run(sys.executable, "-c", calls, *(it.lib / name for name in some))
        check((code, lines(out)) == (0, [str([0] * 6)] * 2), f"{some}: code {code}, {out!r}, {err!r}")
    print("three ABIs in one process: three worlds of the same ranks")


def what_cannot_be_replaced_is_told(it):
    code, out, err = it.run("--as", "mpi", it.static)
    check(code == 1 and "other MPI" not in out and "statically" in err, f"code {code}, {out!r}, {err!r}")
    code, _, err = it.run("--as", "mpi", "--by", "path", it.linked)
    check(code == 1 and str(it.other) in err, f"an RPATH beats the path: code {code}, {err!r}")
    code, _, err = it.run("--as", "mpi", "true")
    check(code == 1 and "nobody has loaded an MPI" in err, f"code {code}, {err!r}")
    code, _, err = it.run("--as", "mpi", it.program, "without-init")
    check(code == 0 and "nobody has called MPI_Init" in err, f"code {code}, {err!r}")
    print("run --as mpi: a static program, a program without MPI")


def another_mpi_is_noticed(it):
    opens = f"import ctypes; ctypes.CDLL({str(it.other)!r}); print('opened', flush=True)"
    for program in ([it.linked], [it.open_mpi], [sys.executable, "-c", opens]):
        code, _, err = it.run(*program)
        told = [line for line in err.splitlines() if "another MPI" in line]
        check(code == 0 and len(told) == 1 and "--as mpi" in told[0] and "libmpi.so" in told[0], f"{program}: code {code}, {err!r}")
    for words, more in (([it.linked], {"ranks": 1}), ([it.linked], {"ANYCCL_BACKEND": "mpi"}), ([it.program], {}), (["true"], {})):
        code, _, err = it.run(*words, **more)
        check(code == 0 and not err, f"{words}, {more}: {err!r}")
    print("run: another MPI, with which each rank is a world of its own, is one line")


def info_tells(it):
    for program, library, abi in ((it.linked, it.other, "MPICH"), (it.open_mpi, it.other.parent / "libmpi.so.40", "Open MPI")):
        wanted = {"library": str(library), "version": "Stand-in 9.8.7", "abi": abi, "anyccl": False}
        got = it.of(program)
        check({name: got.get(name) for name in wanted} == wanted, f"{got}")
    got = it.of(it.program)
    check(got["anyccl"] and got["abi"].startswith("standard") and got["version"].startswith("anyccl"), f"{got}")
    check(got["remark"] == "stopped before the first call", f"{got}")
    check(it.of("true")["library"] is None, "true has no MPI")
    print("info --mpi-of: library, version and ABI, of ours and of another")


def a_job_that_is_aborted_ends_with_one_line(it):
    for how, code, words in (
        ("abort", 7, "MPI_Abort on MPI_COMM_WORLD with error code 7"),
        ("abort-on-self", 9, "MPI_Abort on MPI_COMM_SELF with error code 9"),
        ("returning", 11, "with error code 11"),
        ("computing", 13, "with error code 13"),
        ("fatal", 6, "MPI_Send on MPI_COMM_WORLD: rank 3"),
    ):
        got, out, err = it.run(it.program, how, ranks=3)
        check(got == code and out == "", f"{how}: code {got}, {out!r}, {err!r}")
        own = [line for line in err.splitlines() if line.startswith("anyccl: ")]
        check(len(own) == 1 and own[0].startswith("anyccl: error: rank 2 of 3: ") and words in own[0], f"{how}: {err!r}")
        # The launcher names first the rank that ended first, which may be one that heard of the abort.
        check("rank 2 (pid" in err or "rank 2 exited" in err, f"{how}: the launcher names who has ended the job: {err!r}")
    print("MPI_Abort and errors that are fatal: one line, the exit code, whatever the others are in")


def mpiexec_has_the_usual_options(it):
    file = WORK / "hosts"
    file.write_text("# here\nlocalhost slots=2\n")
    for words, size in (
        (["-n", 3, it.program], 3),
        (["-np", 2, "-host", "localhost", it.program], 2),
        (["-hostfile", file, it.program], 2),
        (["-n", 1, it.program, "well", ":", "--np=2", it.program], 3),
        ([it.program], 1),
    ):
        code, out, err = said(it.mpiexec, *words)
        check(code == 0 and lines(out) == ring(size) and not err, f"{words}: code {code}, {out!r}, {err!r}")
    code, out, _ = said(it.mpiexec, "-genv", "WHAT", "all", "-n", 1, it.program, ":", "-env", "WHAT", "own", "-n", 1, it.program)
    check(lines(out) == ["rank 0 of 2 got 1 all", "rank 1 of 2 got 0 own"], f"{out!r}")
    which = [it.program, "which-program"]
    code, out, _ = said(it.mpiexec, "-n", 1, *which, ":", "-n", 2, *which)
    check(lines(out) == [f"rank {rank} is of program {number}" for rank, number in enumerate((0, 1, 1))], f"{out!r}")
    code, out, _ = it.run(*which, ranks=1)
    check(out == "rank 0 is of program -1\n", f"{out!r}")
    code, out, _ = said(it.mpiexec, "-l", "-n", 1, "-wdir", "/", "pwd")
    check((code, out) == (0, "[0] /\n"), f"{out!r}")
    code, _, _ = said(it.mpiexec, "-n", 2, it.program, "abort")
    check(code == 7, f"the code of MPI_Abort: {code}")
    for words in (["-as", "mpi", "-n", 2, it.linked], ["-n", 2, it.linked], ["-n", 1, it.linked, ":", "-n", 1, it.as_debian],
                  ["-n", 1, it.linked, ":", "-n", 1, it.open_mpi], ["-n", 2, it.fortran]):
        code, out, err = said(it.mpiexec, *words)
        check(code == 0 and "rank 1 of 2\n" in out and "other MPI" not in out, f"{words}: code {code}, {out!r}, {err!r}")
        check(("MPI is anyccl" in err) == ("-as" in words), f"{words}: {err!r}")
    code, out, _ = said(it.mpiexec, "-as", "none", "-n", 2, it.linked)
    check(code == 0 and out.count("rank 0 of 1") == 2, f"-as none: code {code}, {out!r}")
    for words in ([it.static], ["true"]):
        code, _, err = said(it.mpiexec, "-n", 2, *words)
        check(code == 0 and not err, f"{words}: without an MPI to replace it is as before: code {code}, {err!r}")
    for words, part in ((["-nonsense", "true"], "-nonsense"), (["-n", 1], "missing"), (["-host", "a,b", "true", ":", "true"], "srun")):
        code, _, err = said(it.mpiexec, *words)
        check(code == 2 and part in err, f"{words}: code {code}, {err!r}")
    for words in (["-help"], ["--version"]):
        code, out, _ = said(it.mpiexec, *words)
        check(code == 0 and "mpiexec" in out, f"{words}: {out!r}")
    print("anyccl-mpiexec: ranks, hosts, variables, folders, several programs")


def without_a_launcher_it_is_a_world_of_one(it):
    for variables in ({}, {"RANK": "0"}, {"WORLD_SIZE": "4"}, {"PMI_RANK": "1"}, {"OMPI_COMM_WORLD_RANK": "1"},
                      {"SLURM_PROCID": "1", "SLURM_NTASKS": "2"}, {"SLURM_PROCID": "1", "SLURM_STEP_ID": "0"}):
        code, out, err = said(it.program, **variables)
        check(code == 0 and lines(out) == ring(1), f"{variables}: code {code}, {out!r}, {err!r}")
    code, _, err = said(it.program, RANK="0", WORLD_SIZE="2")
    check(code != 0 and "MASTER_ADDR" in err, f"a launcher that says all but where to meet: {err!r}")
    print("without a launcher, or with half of one: a world of one")


def a_forked_child_ends_with_a_sentence_and_alone(it):
    program = WORK / "forked"
    execute(it.prefix / "bin" / "anyccl-mpicc", "-Wall", SOURCE / "forked.c", "-o", program)
    for transport in ("shm", "tcp"):
        code, out, err = it.run(program, ranks=3, ANYCCL_TRANSPORT=transport)
        check(code == 0 and lines(out) == [f"rank {rank} has 3" for rank in range(3)], f"code {code}, {out!r}, {err!r}")
        told = [line for line in err.splitlines() if "forked" in line]
        check(len(told) == 3 * 20 * 2 and "MPI_Barrier" in told[0] + told[1], f"{len(told)} lines: {err!r}")
    print("a forked child: MPI is finalized there, each call is refused, and the job goes on")


def ours_is_never_its_own_engine(it):
    for engine in ("mpi", "oneccl|builtin"):
        code, _, err = said(it.program, ANYCCL_BACKEND=engine)
        check(code != 0 and "cannot be its own engine" in err and err.count("\n") == 1, f"code {code}, {err!r}")
    code, _, err = said(it.program, ANYCCL_LOG="info")
    told = [line for line in err.splitlines() if "MPI is anyccl" in line]
    check(len(told) == 1 and "libmpi_abi.so.1: rank 0 of 1" in told[0], f"{err!r}")
    print("ANYCCL_BACKEND=mpi is refused; ANYCCL_LOG=info tells which library it is")


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--prefix", type=Path, default=ROOT / "target" / "demo-prefix", help="where anyccl is installed")
    it = Installed(arguments.parse_args().prefix.resolve())
    for test in (ours_takes_the_place_of_others, debians_name_is_the_same_library,
                 open_mpis_fortran_is_the_same_library, several_abis_in_one_process_are_worlds_of_their_own,
                 what_cannot_be_replaced_is_told, another_mpi_is_noticed, info_tells,
                 a_job_that_is_aborted_ends_with_one_line, mpiexec_has_the_usual_options, without_a_launcher_it_is_a_world_of_one,
                 a_forked_child_ends_with_a_sentence_and_alone, ours_is_never_its_own_engine):
        test(it)


if __name__ == "__main__":
    main()
