"""The programs of this folder for MPItrampoline's ABI: a header that leads them to libmpiwrapper.so, as MPItrampoline does.

It is anyccl's mpi.h with that ABI's status, at MPI 3.1. Each function has its name in the library, and converts handles by a call.
"""

import re
import subprocess

from setting import HEADER, HERE, WORK

FOLDER = WORK / "trampoline"
NAMES = HERE.parent / "abi" / "symbols" / "libmpiwrapper.txt"
STATUS = "struct {\n    int own[6];\n    int MPI_SOURCE;\n    int MPI_TAG;\n    int MPI_ERROR;\n    int padding;\n} MPI_Status;"


def functions():
    """Returns the functions of MPItrampoline's ABI, as MPI names them."""
    return [line.replace("MPIABI_", "MPI_") for line in NAMES.read_text().splitlines() if re.match(r"MPIABI_[A-Z][a-z]", line)]


def flags():
    """Writes the header, and a library to link with. Returns options for the compiler."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    write(FOLDER / "mpi.h", header())
    stubs = FOLDER / "stubs.c"
    if write(stubs, "".join(f"void {name.replace('MPI_', 'MPIABI_', 1)}(void) {{}}\n" for name in functions())):
        soname = "libmpiwrapper.so"
        subprocess.run(["cc", "-shared", "-fPIC", f"-Wl,-soname,{soname}", stubs, "-o", FOLDER / soname], check=True)
    return [f"-I{FOLDER}", f"-L{FOLDER}"]


def write(file, text):
    """Writes a file unless it has this text. Returns whether it did."""
    if file.exists() and file.read_text() == text:
        return False
    file.write_text(text)
    return True


def header():
    """Returns the text of the header."""
    text = (HEADER / "mpi.h").read_text()
    text = re.sub(r"struct \{\s*int MPI_SOURCE;[^}]*\} MPI_Status;", STATUS, text)
    text = re.sub(r"(#define MPI_VERSION +)\d+", r"\g<1>3", re.sub(r"(#define MPI_SUBVERSION +)\d+", r"\g<1>1", text))
    text = re.sub(r"^static inline ([^{;]*?)\s*\{.*?^\}", r"\1;", text, flags=re.MULTILINE | re.DOTALL)
    renamed = "".join(f"#define {name} {name.replace('MPI_', 'MPIABI_', 1)}\n" for name in functions())
    # A function of MPItrampoline's own.
    return f"{renamed}{text}#define MPI_Pcontrol(...) MPI_SUCCESS\n"
