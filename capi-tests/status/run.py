#!/usr/bin/env python3
"""Asks `anyccl status` about jobs that hang or have failed: one rank is stopped, has ended, has made another call, or computes for
ever. Programs of each interface are asked about: the C API, NCCL's and MPI's.

    python3 capi-tests/status/run.py --prefix INSTALLED [DOOR...]

The answer must name the rank, the call, its number and the kind of trouble. The last operations, written by the ranks or by
`anyccl status --dump`, must say the same; PyTorch's analyser reads them where it is installed (ANYCCL_TEST_TORCHFRTRACE). The
same is asked by the protocol of NCCL's RAS (ras.py).
"""

import argparse
import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import ras

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
WORK = ROOT / "target" / "capi-tests" / "status"
RANKS = 3
CALLS = 5
# A limit for what should take a second, on a machine that is busy.
LIMIT_S = 120
# Files of the libraries below the prefix, and flags of the compiler.
DOORS = {"native": ("lib/libanyccl.so", []),
         "nccl": ("lib/anyccl/nccl/libnccl.so.2", ["-DDOOR_NCCL"]),
         "mpi": ("lib/anyccl/mpi/lib/libmpi_abi.so.1", ["-DDOOR_MPI", f"-I{ROOT / 'include' / 'mpi'}"])}


# Name of the communicator on which the program calls. A library has others.
COMMUNICATORS = {"native": "world", "nccl": "comm", "mpi": "MPI_COMM_WORLD"}


class Wrong(Exception):
    pass


def build(prefix, door):
    """Compiles the program for a door."""
    library, flags = DOORS[door]
    program = WORK / f"trouble-{door}"
    program.parent.mkdir(parents=True, exist_ok=True)
    file = prefix / library
    command = [os.environ.get("CC", "cc"), "-std=c11", "-D_GNU_SOURCE", "-Wall", "-Wextra", "-O1", *flags, f"-I{prefix / 'include'}",
               f"-I{HERE.parent / 'common'}", HERE / "trouble.c", "-o", program, file, f"-Wl,-rpath,{file.parent}"]
    subprocess.run([str(word) for word in command], check=True)


class Job:
    """Ranks of a program that are killed at the end."""

    def __init__(self, tool, door, trouble, folder, settings):
        self.tool, self.folder, self.communicator = tool, folder, COMMUNICATORS[door]
        program = WORK / f"trouble-{door}"
        unwanted = ("ANYCCL_", "NCCL_", "PMI", "OMPI_")
        clean = {name: value for name, value in os.environ.items() if not name.startswith(unwanted)}
        common = {"ANYCCL_WORLD_SIZE": str(RANKS), "ANYCCL_STORE": f"file:{folder / 'store'}", "ANYCCL_JOB_KEY": "5" * 64,
                  "ANYCCL_DUMP": str(folder / "written"), "ANYCCL_LOG": "off"}
        ends = [*os.pipe(), *os.pipe()]
        common["TROUBLE_PIPES"] = ",".join(map(str, ends))
        self.ranks = [subprocess.Popen([program, trouble], env=clean | common | settings | {"ANYCCL_RANK": str(rank)}, pass_fds=ends,
                                       stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL) for rank in range(RANKS)]
        for end in ends:
            os.close(end)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for rank in self.ranks:
            rank.send_signal(signal.SIGKILL)
            rank.wait()

    def ask(self, *options):
        """Returns the communicator of all ranks, as the tool sees it, or None while it sees none."""
        command = [self.tool, "status", "--json", str(self.ranks[0].pid), *options]
        said = subprocess.run([str(word) for word in command], text=True, capture_output=True)
        if said.returncode != 0:
            return None
        (job,) = json.loads(said.stdout)["jobs"]
        comms = [comm for comm in job["communicators"] if comm["size"] == RANKS and comm["name"] == self.communicator]
        return comms[0] if comms else None

    def wait_for(self, is_expected):
        """Asks until the answer is as expected, and returns it."""
        end = time.monotonic() + LIMIT_S
        said = None
        while time.monotonic() < end:
            said = self.ask() or said
            if said and is_expected(said):
                return said
            for number, rank in enumerate(self.ranks):
                if rank.poll() not in (None, 0):
                    raise Wrong(f"rank {number} has ended with {rank.returncode}")
        raise Wrong(f"this never came; the last answer was\n{json.dumps(said, indent=1)}")

    def wait_for_files(self, folder):
        """Waits for the file of each rank, and returns what `anyccl trace show` says of the communicator."""
        end = time.monotonic() + LIMIT_S
        while len(list(folder.glob("anyccl-*.json"))) < RANKS:
            if time.monotonic() > end:
                raise Wrong(f"{folder} has only {os.listdir(folder)}")
            os.sched_yield()
        return self.shown(folder)

    def shown(self, folder):
        """Returns what `anyccl trace show` says of the communicator."""
        said = subprocess.run([self.tool, "trace", "show", folder, "--json"], text=True, capture_output=True)
        if said.returncode != 0:
            raise Wrong(said.stderr)
        comms = json.loads(said.stdout)["communicators"]
        return next(comm for comm in comms if comm["size"] == RANKS and comm["compared"] >= CALLS)


def equal(what, got, expected):
    if got != expected:
        raise Wrong(f"{what}: {got!r} instead of {expected!r}")


def check_stopped(job):
    said = job.wait_for(lambda comm: [rank["state"] for rank in comm["ranks"]] == ["stopped", "waits", "waits"])
    check_late(said)


def check_computing(job):
    said = job.wait_for(lambda comm: [rank["state"] for rank in comm["ranks"]] == ["late", "waits", "waits"])
    check_late(said)
    # It is asked again: the time since its last call has grown.
    before = said["ranks"][0]["since_last_call_seconds"]
    job.wait_for(lambda comm: comm["ranks"][0]["since_last_call_seconds"] > before)
    folder = job.folder / "asked"
    job.ask("--dump", folder)
    unmade = job.shown(folder)["unmade"]
    equal("the call that was not made", (unmade["number"], unmade["not_made_by"]), (said["call_number"], [1]))
    check_torch(job.tool, folder, job.folder)


def check_late(said):
    """Checks a rank that has not made the call in which the others wait."""
    first, others = said["ranks"][0], said["ranks"][1:]
    equal("the rank in trouble", first["rank"], 1)
    if "all_reduce" not in said["call"] or "count 4" not in said["call"]:
        raise Wrong(f"the call: {said['call']}")
    equal("the number of its last call", first["call_number"], said["call_number"] - 1)
    if not (first["since_last_call_seconds"] >= 0 and first["in_call_for_seconds"] is None):
        raise Wrong(f"its times: {first}")
    for other in others:
        equal("the number of the others' call", other["call_number"], said["call_number"])
        if not (other["in_call_for_seconds"] > 0 and f"#{said['call_number']}" in other["waits_for"]):
            raise Wrong(f"the others' wait: {other}")


def check_gone(job):
    said = job.wait_for(lambda comm: [rank["state"] for rank in comm["ranks"]] == ["ended", "failed", "failed"])
    first, others = said["ranks"][0], said["ranks"][1:]
    # Another rank has kept what it was.
    equal("the rank in trouble", (first["rank"], first["pid"]), (1, job.ranks[1].pid))
    equal("the number of its last call", first["call_number"], others[0]["call_number"] - 1)
    for other in others:
        if "rank 1" not in other["failure"]:
            raise Wrong(f"the reason of a failure: {other['failure']}")
    folder = job.folder / "asked"
    job.ask("--dump", folder)
    shown = job.shown(folder)
    equal("ranks without a file", shown["unknown"], [])
    equal("ranks that have not made the last call", shown["unmade"]["not_made_by"], [1])


def check_left(job):
    """The rank is in the call by which it leaves, or has left: then it looks like one that has ended or makes no call."""
    said = job.wait_for(lambda comm: [rank["state"] for rank in comm["ranks"]][1:] == ["failed", "failed"])
    first, others = said["ranks"][0], said["ranks"][1:]
    equal("the rank in trouble", first["rank"], 1)
    if first["state"] not in ("mismatch", "ended", "late"):
        raise Wrong(f"the rank that leaves: {first}")
    for other in others:
        equal("the number of the others' call", other["call_number"], said["call_number"])
        if "rank 1" not in other["failure"]:
            raise Wrong(f"the reason of a failure: {other['failure']}")


def check_root(job):
    """Each call ends: each root has sent, and the third rank has received from one. So nobody has failed yet."""
    said = job.wait_for(lambda comm: [rank["state"] for rank in comm["ranks"]] == ["mismatch", "runs", "runs"])
    for rank, root in zip(said["ranks"], ("root 1", "root 0", "root 0")):
        equal("the number of the call", rank["call_number"], said["call_number"])
        if root not in rank["last_call"]:
            raise Wrong(f"the call of rank {rank['rank']}: {rank}")
    equal("the rank in trouble", said["ranks"][0]["rank"], 1)


def check_count(job):
    # A rank whose call differs shows that before it has failed itself.
    said = job.wait_for(lambda comm: [rank["state"] for rank in comm["ranks"]] == ["mismatch", "failed", "failed"]
                        and comm["ranks"][0]["failure"])
    first, others = said["ranks"][0], said["ranks"][1:]
    equal("the rank in trouble", first["rank"], 1)
    for rank, what in ((first, "count 5"), (others[0], "count 4"), (others[1], "count 4")):
        equal("the number of the call", rank["call_number"], said["call_number"])
        if what not in rank["last_call"] or "disagree" not in rank["failure"]:
            raise Wrong(f"the call of rank {rank['rank']}: {rank}")
    # Each rank writes its operations after it has shown that it failed.
    mismatch = job.wait_for_files(job.folder / "written")["mismatch"]
    equal("the number of the call in the files", mismatch["number"], said["call_number"])
    equal("whose count is 5", [rank for rank, call in mismatch["calls"].items() if "count 5" in call], ["1"])


def check_torch(tool, folder, work):
    """Lets PyTorch's analyser read the files."""
    analyser = os.environ.get("ANYCCL_TEST_TORCHFRTRACE")
    output = work / "torch"
    said = subprocess.run([tool, "trace", "torch", folder, output], text=True, capture_output=True, check=True)
    if not analyser:
        return
    prefix = said.stdout.splitlines()[0].split()[-1]
    found = subprocess.run([*analyser.split(), output, "-p", prefix], text=True, capture_output=True)
    if "Not all ranks joining collective" not in found.stdout + found.stderr:
        raise Wrong(f"PyTorch's analyser says\n{found.stdout}{found.stderr}")


TROUBLES = {"stop": check_stopped, "gone": check_gone, "count": check_count, "root": check_root, "leave": check_left,
            "compute": check_computing}


def ras_settings(door, trouble, place):
    """Variables for NCCL's RAS at that place, and whether it is to be served. It is in NCCL programs, and where it is wanted."""
    if door == "nccl":
        is_off = trouble == "gone"
        return {"NCCL_RAS_ADDR": place} | ({"NCCL_RAS_ENABLE": "0"} if is_off else {}), not is_off
    if door == "mpi":
        is_off = trouble == "gone"
        return {"NCCL_RAS_ADDR": place} | ({} if is_off else {"ANYCCL_RAS": "1"}), not is_off
    return {"ANYCCL_RAS": place}, True


def check(tool, prefix, door):
    """Looks at each trouble of one door."""
    build(prefix, door)
    for trouble, look in TROUBLES.items():
        with tempfile.TemporaryDirectory() as folder, ras.Port() as port:
            settings, is_served = ras_settings(door, trouble, port.place)
            with Job(tool, door, trouble, Path(folder), settings) as job:
                try:
                    look(job)
                    if is_served and trouble in ras.CHECKS:
                        ras.CHECKS[trouble](job, port, RANKS)
                    elif not is_served and not port.is_silent():
                        raise Wrong("RAS is served although nobody wants it")
                except (Wrong, AssertionError, RuntimeError, OSError) as wrong:
                    raise Wrong(f"{door}, {trouble}: {wrong!r}") from wrong
        print(f"{door}: {trouble} is seen", flush=True)
    check_taken_port(tool, door)


def check_taken_port(tool, door):
    """A port that others have is no error."""
    with tempfile.TemporaryDirectory() as folder, socket.create_server((ras.HOST, 0)) as taken:
        place = f"{ras.HOST}:{taken.getsockname()[1]}"
        with Job(tool, door, "compute", Path(folder), {"ANYCCL_RAS": place}) as job:
            check_computing(job)


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--prefix", type=lambda text: Path(text).resolve(), required=True, help="what is installed there")
    arguments.add_argument("doors", nargs="*", metavar="DOOR", help=f"{', '.join(DOORS)} (all)")
    arguments = arguments.parse_args()
    try:
        for door in arguments.doors or DOORS:
            check(arguments.prefix / "bin" / "anyccl", arguments.prefix, door)
    except Wrong as wrong:
        sys.exit(str(wrong))


if __name__ == "__main__":
    main()
