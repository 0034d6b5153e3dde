"""Lets a torch from PyPI run on the CPU without the packages of CUDA, which have 3 GB.

torch's libraries name those of CUDA, so that none of them can be loaded without. One library stands in for all: it has
each function that torch's libraries take from them, and each returns cudaErrorNoDevice. torch then finds no GPU.
"""

import re
import shutil
import subprocess
from pathlib import Path

# Where a library has no versions of symbols, the name tells that a function is of CUDA.
OF_CUDA = re.compile(r"_*(cu|nccl|nv)\w*")
SYSTEM = re.compile(r"ld-linux|lib(c|m|dl|rt|pthread|gcc_s|stdc\+\+|z|quadmath)\.so")
# torch takes the texts of errors as they come.
TEXTS = {"cudaGetErrorString", "cudaGetErrorName"}
SOURCE = """int anyccl_no_device(void) {{ return 100; }}
const char *anyccl_text(void) {{ return "there is no device"; }}
{}
"""


def output_of(*command):
    return subprocess.run(list(map(str, command)), capture_output=True, text=True, check=True).stdout


def missing_libraries(libraries):
    """Returns the names of the libraries that these ones need, without those of the system."""
    needed = set(re.findall(r"\(NEEDED\).*\[(.*)\]", output_of("readelf", "-dW", *libraries)))
    return sorted(name for name in needed - {library.name for library in libraries} if not SYSTEM.match(name))


def versions_of(libraries, names):
    """Returns the versions of symbols that these libraries ask from those of the names."""
    versions, file = set(), None
    for line in output_of("readelf", "-VW", *libraries).splitlines():
        if found := re.search(r"File: (\S+)", line):
            file = found[1]
        elif (found := re.search(r"Name: (\S+) +Flags:", line)) and file in names:
            versions.add(found[1])
    return versions


def symbols(libraries, names):
    """Returns {version: symbols} of what these libraries take from those of the names. A version may be ""."""
    versions = versions_of(libraries, names)
    found = {version: set() for version in versions}
    for line in output_of("nm", "-D", "--undefined-only", "--with-symbol-versions", *libraries).splitlines():
        symbol, _, version = line.split()[-1].partition("@") if line.strip() else ("", "", "")
        if version in versions or (not version and OF_CUDA.fullmatch(symbol)):
            found.setdefault(version, set()).add(symbol)
    return found


def stand_in(torch):
    """Puts the library into this folder of torch, under the names of all that are missing."""
    # libcaffe2_nvrtc is loaded with the first GPU. It needs the driver, and nothing may stand in for that.
    libraries = [*(torch / "lib").glob("lib[!c]*.so*"), *(torch / "lib").glob("libc10*.so"), *torch.glob("_C.*.so")]
    names = missing_libraries(libraries)
    by_version = symbols(libraries, names)
    work = torch / "stand-in"
    work.mkdir(exist_ok=True)
    every = sorted(set().union(*by_version.values()))
    answer = lambda one: "anyccl_text" if one in TEXTS else "anyccl_no_device"
    aliases = (f'__asm__(".globl {one}\\n.set {one}, {answer(one)}");' for one in every)
    (work / "cuda.c").write_text(SOURCE.format("\n".join(aliases)))
    nodes = [f"{version} {{ global: {' '.join(f'{one};' for one in sorted(those))} }};" for version, those in by_version.items() if version]
    (work / "cuda.map").write_text("\n".join(nodes))
    first, *others = (torch / "lib" / name for name in names)
    subprocess.run(["gcc", "-shared", "-fPIC", work / "cuda.c", "-o", first, f"-Wl,--version-script={work / 'cuda.map'}"], check=True)
    for other in others:
        other.symlink_to(first.name)
    shutil.rmtree(work)

