"""Tests with unchanged programs of Debian, which were built with Open MPI and find anyccl by the library path alone.

Debian's Open MPI runs each program, too, and the numbers must agree.
"""

import re
import shutil

import debian
import debian_open_mpi
import fortran
import fortran_clients
import mpi4py_suite
from clients import numbers, passed
from debian_open_mpi import built, on_both, reference, run
from programs import first_difference
from setting import HERE, WORK, Failure, mpi4py_tests

SOURCES = HERE / "open_mpi"
LINEAR_ALGEBRA = ["libblas3", "liblapack3", "libgfortran5", "libquadmath0"]
LAMMPS = ["lammps", "liblammps0", "libfftw3-double3", "libkim-api2", "libvoro++1", "libgfortran5", "libquadmath0"]
HPCC = ["hpcc", *LINEAR_ALGEBRA]
GROMACS = ["gromacs", "gromacs-data", "libgromacs7", "libfftw3-single3", "libhwloc15", "libmuparser2v5", *LINEAR_ALGEBRA]
SCOTCH = ["ptscotch", "libptscotch-7.0", "libscotch-7.0"]
FFTW = ["libfftw3-mpi3", "libfftw3-double3", "libfftw3-mpi-dev", "libfftw3-dev"]
BOOST = ["libboost-mpi1.74.0", "libboost-serialization1.74.0", "libboost-mpi1.74-dev", "libboost-serialization1.74-dev", "libboost1.74-dev"]
# GROMACS' energies agree to five digits between runs of Open MPI, and no further.
RELATIVE = 1e-4
PETSC_HEADERS = ["libpetsc-real3.18-dev", "libpetsc3.18-dev-common", "libslepc-real3.18-dev"]
OPENFOAM = ["openfoam", "libopenfoam", "openfoam-examples", "libboost-system1.74.0", "libfftw3-double3", "libptscotch-7.0", "libscotch-7.0"]
PYTHON = ["python3.11-minimal", "libpython3.11-minimal", "libpython3.11-stdlib", "python3-distutils", "python3-numpy", "libexpat1",
          *LINEAR_ALGEBRA]
MPI4PY = ["python3-mpi4py", *PYTHON]
MPI4PY_VERSION = "3.1.4"
SCALAPACK = ["scalapack-mpi-test", "scalapack-test-common", "libscalapack-openmpi2.2", *LINEAR_ALGEBRA]


def lammps(library, launcher):
    """A melt has the temperatures, energies and pressures that it has on Open MPI."""
    root = debian.unpack(*LAMMPS)
    return on_both(library, launcher, root, [root / "usr" / "bin" / "lmp", "-in", HERE / "lammps_melt.in", "-log", "none"], numbers)


def hpcc(library, launcher):
    """The HPC Challenge: every check of a result passes."""
    root, folder = debian.unpack(*HPCC), WORK / "hpcc"
    program, example = root / "usr" / "bin" / "hpcc", root / "usr" / "share" / "doc" / "hpcc" / "examples" / "_hpccinf.txt"
    for ranks in debian_open_mpi.RANKS:
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        # The grid of processes has as many places as there are ranks, or fewer.
        settings = re.sub(r"^\d+( +Ns)", r"200\1", example.read_text(), flags=re.M)
        settings = re.sub(r"^\d+( +[PQ]s)", lambda found: f"{'2' if 'Q' in found[1] else ranks // 2}{found[1]}", settings, flags=re.M)
        (folder / "hpccinf.txt").write_text(settings)
        run(library, ranks, ["sh", "-c", f"cd {folder} && exec {program}"], root, launcher)
        out = (folder / "hpccoutf.txt").read_text()
        failed = sum(map(int, re.findall(r"(\d+) tests completed and failed", out)))
        passed = sum(map(int, re.findall(r"(\d+) tests completed and passed", out)))
        if "Success=1" not in out or failed or not passed or "FAILED" in out:
            raise Failure(f"{ranks} ranks: {passed} passed, {failed} failed: {out[-300:]}")
    return "all checks pass"


def gromacs(library, launcher):
    """Twenty steps of a small box of water have the energies that they have on Open MPI, to five digits."""
    root, folder = debian.unpack(*GROMACS), WORK / "gromacs"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    (folder / "water.top").write_text('#include "oplsaa.ff/forcefield.itp"\n#include "oplsaa.ff/spce.itp"\n'
                                      "[ system ]\nwater\n[ molecules ]\n")
    shutil.copy(SOURCES / "water.mdp", folder)
    data = {"GMXLIB": str(root / "usr" / "share" / "gromacs" / "top")}
    tool = f"cd {folder} && {root / 'usr' / 'bin' / 'gmx'} -quiet"
    for words in ("solvate -cs spc216 -box 2.5 2.5 2.5 -o box.gro -p water.top",
                  "grompp -f water.mdp -c box.gro -p water.top -o water.tpr -maxwarn 3"):
        run(library, 1, ["sh", "-c", f"{tool} {words}"], root, None, **data)
    for ranks in debian_open_mpi.RANKS:
        def energies(where):
            log = folder / f"{where}-{ranks}.log"
            words = f"cd {folder} && exec {root / 'usr' / 'bin' / 'gmx_mpi'} -quiet mdrun -s water.tpr -ntomp 1 -reprod -g {log}"
            run(where, ranks, ["sh", "-c", words], root, launcher, **data)
            found = re.search(r"LJ \(SR\).*\n(.*)\n.*\n(.*)", log.read_text())
            return [float(number) for line in found.groups() for number in line.split()]

        its, got = energies(reference()), energies(library)
        if len(its) != len(got) or any(abs(a - b) > RELATIVE * abs(a) for a, b in zip(its, got)):
            raise Failure(f"{ranks} ranks: {got}, on Open MPI {its}")
    return "the energies of Open MPI"


def scotch(library, launcher):
    """PT-Scotch orders the vertices of a grid: each vertex has one place."""
    root, side = debian.unpack(*SCOTCH), 8
    graph, order = WORK / "grid.grf", WORK / "grid.ord"
    steps = [side ** axis for axis in range(3)]
    beside = [[at + sign * step for step in steps for sign in (-1, 1) if 0 <= at // step % side + sign < side] for at in range(side ** 3)]
    lines = [f"{len(around)} {' '.join(map(str, around))}\n" for around in beside]
    graph.write_text(f"0\n{len(beside)} {sum(map(len, beside))}\n0 000\n{''.join(lines)}")
    for ranks in debian_open_mpi.RANKS:
        run(library, ranks, [root / "usr" / "bin" / "dgord", graph, order], root, launcher)
        rows = [tuple(map(int, line.split())) for line in order.read_text().splitlines()[1:]]
        if [sorted(column) for column in zip(*rows)] != [list(range(len(beside)))] * 2:
            raise Failure(f"{ranks} ranks: {len(rows)} rows that are no order")
    return "an order of all vertices"


def fftw(library, launcher):
    """A transform by FFTW and back has the energy that it has on Open MPI."""
    root = debian.unpack(*FFTW)
    return on_both(library, launcher, root, [built(SOURCES / "fftw.c", "cc", root, "libfftw3_mpi.so.3", "libfftw3.so.3")])


def boost(library, launcher):
    """Boost.MPI gathers, reduces, exchanges and splits as on Open MPI."""
    root = debian.unpack(*BOOST)
    libraries = ["libboost_mpi.so.1.74.0", "libboost_serialization.so.1.74.0"]
    return on_both(library, launcher, root, [built(SOURCES / "boost.cpp", "c++", root, *libraries)])


def hypre(library, launcher):
    """hypre solves Poisson's equation in as many steps as on Open MPI, and the solution has the same size, under Debian's mpirun, too."""
    root = debian.unpack(*debian.with_needed("libhypre-2.26.0"), "libhypre-dev")
    program = built(SOURCES / "hypre.c", "cc", root, "libHYPRE-2.26.0.so", include=["include/hypre"])
    on_both(library, debian_open_mpi.MPIRUN, root, [program])
    return on_both(library, launcher, root, [program])


def petsc(library, launcher, name="petsc"):
    """PETSc solves a linear system in as many steps as on Open MPI, and writes a solution of the same size by MPI-IO."""
    root = debian.unpack(*debian.with_needed("libslepc-real3.18"), *PETSC_HEADERS)
    include = [f"lib/{one}dir/{one}3.18/x86_64-linux-gnu-real/include" for one in ("petsc", "slepc")]
    program = built(SOURCES / f"{name}.c", "cc", root, "libpetsc_real.so.3.18", "libslepc_real.so.3.18", include=include)
    return on_both(library, launcher, root, [program, WORK / "petsc.bin"])


def slepc(library, launcher):
    """SLEPc finds the eigenvalues that it finds on Open MPI, to nine decimals."""
    return petsc(library, launcher, "slepc")


def openfoam(library, launcher):
    """OpenFOAM's tutorial `cavity` has the residuals and errors of continuity that it has on Open MPI, in each of its 100 steps.

    The sum of these errors with their signs is left out: it is noise around zero, which differs between runs of Open MPI.
    """
    root, folder = debian.unpack(*OPENFOAM), WORK / "cavity"
    tutorial = root / "usr/share/doc/openfoam-examples/examples/incompressible/icoFoam/cavity/cavity"
    about = {"folders": [root / "usr" / "lib"], "WM_PROJECT_DIR": str(root / "usr/share/openfoam")}

    def tool(words):
        return ["sh", "-c", f"cd {folder} && exec {root}/usr/bin/{words}"]

    def steps(where, ranks):
        shutil.rmtree(folder, ignore_errors=True)
        shutil.copytree(tutorial, folder)
        (folder / "system" / "decomposeParDict").write_text(
            "FoamFile { version 2.0; format ascii; class dictionary; object decomposeParDict; }\n"
            f"numberOfSubdomains {ranks}; method simple; coeffs {{ n ({ranks // 2} 2 1); }}\n")
        for words in ("blockMesh", "decomposePar"):
            run(where, 1, tool(words), root, None, **about)
        out = run(where, ranks, tool("icoFoam -parallel"), root, launcher, **about)
        return re.findall(r"Solving for .*|sum local = [^,]*", out)

    for ranks in debian_open_mpi.RANKS:
        its, got = (steps(where, ranks) for where in (reference(), library))
        if its != got or len(got) != 600:
            raise Failure(f"{ranks} ranks, {len(got)} lines: {first_difference(chr(10).join(got), chr(10).join(its))}")
    return "the residuals of Open MPI"


def scalapack(library, launcher):
    """ScaLAPACK's own tests of LU and of QR pass, as many as on Open MPI."""
    root = debian.unpack(*SCALAPACK)
    folder = debian.library_folder(root) / "scalapack" / "openmpi-tests"
    for name in ("xdlu", "xdqr"):
        on_both(library, launcher, root, ["sh", "-c", f"cd {folder} && exec ./{name}"], lambda out: passed(name, out))
    return "as many tests passed as on Open MPI"


def mpi4py(library, launcher):
    """Debian's mpi4py passes its own tests with 1 and 2 ranks, on Debian's Python, except where anyccl refuses a function."""
    root, tests = debian.unpack(*MPI4PY), mpi4py_tests(MPI4PY_VERSION)
    libraries = debian.library_folder(root)
    path = [library.folder, libraries / "lapack", libraries / "blas", libraries]
    variables = {"PYTHONHOME": root / "usr", "PYTHONPATH": root / "usr/lib/python3/dist-packages",
                 "LD_LIBRARY_PATH": ":".join(map(str, path))}
    build = mpi4py_suite.Build(tests, root / "usr/bin/python3.11", {name: str(value) for name, value in variables.items()})
    total = refused = 0
    for ranks in (1, 2):
        for module in mpi4py_suite.modules(tests):
            if module not in mpi4py_suite.OUT_OF_SCOPE:
                outcome = mpi4py_suite.run(module, library, ranks, launcher, build=build)
                if outcome.wrong:
                    raise Failure(f"{module}, {ranks} ranks: {outcome.wrong[:8]}")
                total, refused = total + outcome.tests, refused + len(outcome.refused)
    return f"{total} tests, {refused} of them refused"


def hdf5(library, launcher):
    """Parallel HDF5 writes contiguous and chunked datasets, collectively and not, as on Open MPI: size and numbers agree."""
    root = debian.unpack(*debian.with_needed("libhdf5-openmpi-103-1"), "libhdf5-openmpi-dev")
    program = built(SOURCES / "hdf5.c", "cc", root, "libhdf5_openmpi.so.103", include=["include/hdf5/openmpi"])
    return on_both(library, launcher, root, [program, WORK / "out.h5"])


def pnetcdf(library, launcher):
    """PnetCDF writes a file with the bytes that it has on Open MPI."""
    root = debian.unpack(*debian.with_needed("libpnetcdf0d"), "libpnetcdf-dev")
    program = built(SOURCES / "pnetcdf.c", "cc", root, "libpnetcdf.so.0d")
    return on_both(library, launcher, root, [program, WORK / "out.nc"])


TESTS = {"LAMMPS of Debian": lammps, "HPCC": hpcc, "FFTW": fftw, "Boost.MPI": boost, "PT-Scotch": scotch, "GROMACS": gromacs,
         "hypre": hypre, "PETSc": petsc, "SLEPc": slepc, "OpenFOAM": openfoam, "ScaLAPACK": scalapack, "HDF5": hdf5, "PnetCDF": pnetcdf,
         "mpi4py": mpi4py, "Fortran of Open MPI": fortran.open_mpi, **fortran_clients.TESTS}
# The clients for `run.py --quick`, which runs them with two ranks.
QUICK = ["LAMMPS of Debian", "HPCC", "PT-Scotch", "Fortran of Open MPI"]
