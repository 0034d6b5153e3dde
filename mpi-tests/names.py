#!/usr/bin/env python3
"""Lists the names that the libraries must export, and the names that ready-made programs import.

    names.py LIBRARY.so                    prints the names that a library lacks
    names.py --needed NAME=FILE...         writes names_needed.txt: the MPI names that files import
    names.py --mpich FILE                  writes mpich_names.txt: the functions that MPICH's libmpi.so.12 exports to programs
    names.py --open-mpi FILE HEADER        adds to ompi_names.txt what a libmpi.so.40 exports to programs that include its mpi.h

standard_names.txt has the functions of the standard ABI. Two of them, MPI_Psend_init_c and MPI_Precv_init_c, are only in the
Forum's header: the text of the standard has one form of each, with an MPI_Count. MPICH does not export them.
"""

import argparse
import re
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
STANDARD, MPICH, OPEN_MPI, NEEDED = (
    HERE / name for name in ("standard_names.txt", "mpich_names.txt", "ompi_names.txt", "names_needed.txt"))
# Functions of Open MPI that programs call. ROMIO's own begin with MPIO, MPIOI and the like.
OPEN_MPI_FUNCTIONS = r"P?MPIX?_|OMPI_C_|OMPI_Affinity_str|mpi_|ompi_op_set_cxx_callback"
# Its data for Fortran, which no macro of mpi.h names.
OPEN_MPI_DATA = r"mpi_fortran_|MPI_F"
# In MPICH's mpi.h, MPI_COMM_DUP_FN and similar names stand for this function.
DUP_FN = "MPIR_Dup_fn"


def symbols(file, *options):
    """Returns {name: letter of nm}."""
    out = subprocess.run(["nm", "--dynamic", "--format=posix", *options, file], check=True, capture_output=True, text=True)
    words = [line.split() for line in out.stdout.splitlines()]
    return {line[0].partition("@")[0]: line[1] for line in words}


def lines(file):
    return [line for line in file.read_text().splitlines() if line and not line.startswith("#")]


def needed():
    """Returns {name: programs that need it}, from names_needed.txt."""
    return {name: users.split(",") for name, users in (line.split() for line in lines(NEEDED))}


def expected(abi):
    """Returns every name that a library of this ABI must export."""
    if abi == "std":
        return {prefix + name for name in lines(STANDARD) for prefix in ("", "P")}
    if abi == "ompi":
        return {line.partition(" ")[0] for line in lines(OPEN_MPI)}
    return {prefix + name for name in lines(MPICH) for prefix in ("", "P")} | {DUP_FN} | set(needed())


def missing(library, abi):
    """Returns the names that a library lacks, sorted. An object of another size than a program expects is missing, too."""
    lacks = expected(abi) - set(symbols(library, "--defined-only"))
    if abi == "ompi":
        there = sizes(library)
        lacks |= {line for line in lines(OPEN_MPI) if " " in line and there.get(line.split()[0]) != int(line.split()[1])}
    return sorted(lacks)


def sizes(library):
    """Returns {name: bytes} of a library's data."""
    out = subprocess.run(["nm", "--dynamic", "--defined-only", "--format=posix", library], check=True, capture_output=True, text=True)
    words = [line.split() for line in out.stdout.splitlines()]
    return {word[0]: int(word[3], 16) for word in words if word[1] in "BDR" and len(word) > 3}


def add_open_mpi(library, header):
    """Adds the names and the sizes of data of a version of Open MPI. The sizes of sentinels of Fortran differ and do not matter."""
    there = symbols(library, "--defined-only")
    functions = {name for name, letter in there.items() if letter in "TW" and re.match(OPEN_MPI_FUNCTIONS, name)}
    macros = set(re.findall(r"\bompi_\w+", Path(header).read_text()))
    data = {f"{name} {bytes_}" for name, bytes_ in sizes(library).items() if name in macros}
    data |= {name for name in there if re.match(OPEN_MPI_DATA, name)}
    before = set(lines(OPEN_MPI)) if OPEN_MPI.exists() else set()
    head = "# Made by names.py --open-mpi: what Open MPI 4.1.4 and 5.0.11 export to programs. Data has its size.\n"
    OPEN_MPI.write_text(head + "".join(f"{line}\n" for line in sorted(before | functions | data)))


def write_needed(pairs):
    users = {}
    for pair in pairs:
        user, file = pair.split("=", 1)
        for name, letter in symbols(file, "--undefined-only").items():
            if re.match(r"P?MPI_|MPII_|MPIR_", name) and letter == "U":
                users.setdefault(name, []).append(user)
    head = "# Made by names.py --needed: a name, and the programs that import it and have no other way when it is not there.\n"
    NEEDED.write_text(head + "".join(f"{name} {','.join(users[name])}\n" for name in sorted(users)))


def write_mpich(file):
    there = symbols(file, "--defined-only")
    functions = [name for name, letter in there.items() if re.match("MPIX?_", name) and letter in "TW" and f"P{name}" in there]
    head = "# Made by names.py --mpich: functions of MPICH 5.0.2 for programs, each with its PMPI twin.\n"
    MPICH.write_text(head + "".join(f"{name}\n" for name in sorted(functions)))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("library", nargs="?")
    parser.add_argument("--needed", nargs="+")
    parser.add_argument("--mpich")
    parser.add_argument("--open-mpi", nargs=2)
    args = parser.parse_args()
    if args.needed:
        write_needed(args.needed)
    if args.mpich:
        write_mpich(args.mpich)
    if args.open_mpi:
        add_open_mpi(*args.open_mpi)
    if args.library:
        there = symbols(args.library, "--defined-only")
        abi = "mpich" if DUP_FN in there else "ompi" if "ompi_mpi_comm_world" in there else "std"
        lacks = missing(args.library, abi)
        print("\n".join(lacks) or f"{args.library} has all {len(expected(abi))} names")
        sys.exit(1 if lacks else 0)


if __name__ == "__main__":
    main()
