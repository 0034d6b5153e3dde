"""Tests with Debian's unchanged programs in Fortran that were built with Open MPI. Debian's Open MPI runs each, too, and the numbers
must agree."""

import gzip
import re
import shutil

import debian
import debian_open_mpi
from clients import passed
from debian_open_mpi import on_both, run
from setting import HERE, WORK, Failure

SOURCES = HERE / "open_mpi"
LINEAR_ALGEBRA = ["libblas3", "liblapack3", "libgfortran5", "libquadmath0"]
SCALAPACK = ["scalapack-mpi-test", "scalapack-test-common", "libscalapack-openmpi2.2", *LINEAR_ALGEBRA]

# By ranks, how many tests pass on Open MPI. With four ranks on a loaded machine, it fails in every second run of xdllt itself.
PASSED = {"xdlu": {2: 61, 4: 241}, "xdllt": {2: 109, 4: 433}}


def in_folder(name, *files):
    """Returns an empty folder with copies of files."""
    folder = WORK / name
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    for file in files:
        shutil.copy(file, folder)
    return folder


def in_turn(library, launcher, root, words, folder, take, **more):
    """Compares what `take` finds in the output of a program. On Open MPI it runs with one rank: more of them poll, and take minutes where
    others use the cores, too. The program runs in a copy of `folder`."""
    def found(where, ranks):
        place = folder.with_name(f"{folder.name}-{where}-{ranks}")
        shutil.rmtree(place, ignore_errors=True)
        shutil.copytree(folder, place)
        return take(run(where, ranks, ["sh", "-c", f"cd {place} && exec {' '.join(map(str, words))}"], root, launcher, **more))

    its = found(debian_open_mpi.reference(), 1)
    for ranks in debian_open_mpi.RANKS:
        if not its or (got := found(library, ranks)) != its:
            raise Failure(f"{ranks} ranks: {got if its else 'no energy'}, on Open MPI {its}")
    return its[0]


def energies(pattern):
    """Returns a function that finds the lines with a pattern."""
    return lambda out: [" ".join(line.split()) for line in out.splitlines() if re.search(pattern, line)]


def nwchem(library, launcher):
    """NWChem computes the energy of water by SCF, on Global Arrays over windows. Each printed digit of the energy is Open MPI's."""
    root = debian.unpack(*debian.with_needed("nwchem-openmpi"), "nwchem-data")
    share = root / "usr" / "share" / "nwchem"
    folder = in_folder("nwchem", SOURCES / "water.nw")
    return in_turn(library, launcher, root, [root / "usr" / "bin" / "nwchem.openmpi", "water.nw"], folder,
                   energies("Total SCF energy"), NWCHEM_BASIS_LIBRARY=f"{share}/libraries/", NWCHEM_NWPW_LIBRARY=f"{share}/libraryps/")


def cp2k(library, launcher):
    """CP2K computes the energy of water, to eleven decimals. Sums of more ranks differ in the last two of fifteen."""
    root = debian.unpack(*debian.with_needed("cp2k"), "cp2k-data")
    folder = in_folder("cp2k", SOURCES / "water.cp2k")
    return in_turn(library, launcher, root, [root / "usr" / "bin" / "cp2k.psmp", "-i", "water.cp2k"], folder,
                   lambda out: [line[:-4] for line in energies(r"ENERGY\| Total FORCE_EVAL")(out)], CP2K_DATA_DIR=str(root / "usr" / "share" / "cp2k"))


def quantum_espresso(library, launcher):
    """pw.x of Quantum ESPRESSO computes the energy of silicon."""
    root = debian.unpack(*debian.with_needed("quantum-espresso"), "quantum-espresso-data")
    folder = in_folder("espresso", SOURCES / "silicon.pw")
    potential = next(root.rglob("Si.pz-vbc.UPF*"))
    text = gzip.open(potential).read() if potential.suffix == ".gz" else potential.read_bytes()
    (folder / "Si.pz-vbc.UPF").write_bytes(text)
    return in_turn(library, launcher, root, [root / "usr" / "bin" / "pw.x", "-in", "silicon.pw"], folder, energies(r"^!"))


def mumps(library, launcher):
    """MUMPS solves its small systems in four precisions."""
    root = debian.unpack(*debian.with_needed("mumps-test"))
    folder = root / "usr" / "lib" / "mumps"
    for letter, kind in (("s", "real"), ("d", "real"), ("c", "cmplx"), ("z", "cmplx")):
        words = ["sh", "-c", f"cd {folder} && exec ./{letter}simpletest < input_simpletest_{kind}"]
        solution = on_both(library, launcher, root, words, lambda out: re.findall(r"Solution is.*(?:\n.*)*", out))
    return solution


def scalapack(library, launcher):
    """ScaLAPACK's tests of LU and of Cholesky's decomposition pass, as many as on Open MPI."""
    root = debian.unpack(*SCALAPACK)
    folder = debian.library_folder(root) / "scalapack" / "openmpi-tests"
    for ranks in debian_open_mpi.RANKS:
        for name, wanted in PASSED.items():
            out = run(library, ranks, ["sh", "-c", f"cd {folder} && exec ./{name}"], root, launcher)
            if (got := passed(name, out)) != wanted[ranks]:
                raise Failure(f"{name}, {ranks} ranks: {got} tests passed, on Open MPI {wanted[ranks]}")
    return "as many tests passed as on Open MPI"


TESTS = {"NWChem": nwchem, "CP2K": cp2k, "Quantum ESPRESSO": quantum_espresso, "MUMPS": mumps, "ScaLAPACK in Fortran": scalapack}
