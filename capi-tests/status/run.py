#!/usr/bin/env python3
"""Asks `anyccl status` about jobs that hang or have failed: one rank is stopped, has ended, has made another call, or computes for
ever; a link is slow, or swallows everything; a rank ends one communicator while the others wait in another one, or the reverse.
Programs of each interface are asked about: the C API, NCCL's and MPI's.

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
    """Ranks of a program that are killed at the end. on_hosts: each pretends to be on a host of its own."""

    def __init__(self, tool, door, trouble, folder, settings, on_hosts=False):
        self.tool, self.folder, self.communicator = tool, folder, COMMUNICATORS[door]
        program = WORK / f"trouble-{door}"
        unwanted = ("ANYCCL_", "NCCL_", "PMI", "OMPI_")
        clean = {name: value for name, value in os.environ.items() if not name.startswith(unwanted)}
        common = {"ANYCCL_WORLD_SIZE": str(RANKS), "ANYCCL_STORE": f"file:{folder / 'store'}", "ANYCCL_JOB_KEY": "5" * 64,
                  "ANYCCL_DUMP": str(folder / "written"), "ANYCCL_LOG": "off"}
        ends = [*os.pipe(), *os.pipe(), *os.pipe()]
        common["TROUBLE_PIPES"] = ",".join(map(str, ends))
        self.ranks = []
        for rank in range(RANKS):
            own = {"ANYCCL_RANK": str(rank)} | ({"ANYCCL_HOST_ID": f"host-{rank}"} if on_hosts else {})
            self.ranks.append(subprocess.Popen([program, trouble], env=clean | common | settings | own, pass_fds=ends,
                                               stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL))
        for end in ends:
            os.close(end)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for rank in self.ranks:
            rank.kill()
        for rank in self.ranks:
            rank.wait()

    def ask_all(self, *options):
        """Returns the communicators of all ranks, as the tool sees them."""
        command = [self.tool, "status", "--json", str(self.ranks[0].pid), *options]
        said = subprocess.run([str(word) for word in command], text=True, capture_output=True)
        if said.returncode != 0:
            return []
        (job,) = json.loads(said.stdout)["jobs"]
        return [comm for comm in job["communicators"] if comm["size"] == RANKS]

    def ask(self, *options):
        """Returns the communicator on which the program calls, or None while the tool sees none."""
        return next((comm for comm in self.ask_all(*options) if comm["name"] == self.communicator), None)

    def dump(self, rank, folder):
        """Writes what is seen of the job of a rank to files."""
        subprocess.run([self.tool, "status", str(self.ranks[rank].pid), "--dump", folder], check=True, capture_output=True)

    def wait_for(self, is_expected, ask=None):
        """Asks until the answer is as expected, and returns it."""
        end = time.monotonic() + LIMIT_S
        said = None
        while time.monotonic() < end:
            said = (ask or self.ask)() or said
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


def check_silent(job):
    """All ranks are in the call, and the link from rank 0 to rank 1 swallows everything."""
    said = job.wait_for(lambda comm: comm["silent_links"] and [rank["state"] for rank in comm["ranks"]] == ["waits"] * RANKS)
    check_silent_link(said)
    if "all_reduce" not in said["call"] or "count 4" not in said["call"]:
        raise Wrong(f"the call: {said['call']}")


def check_silent_link(said):
    """The link is named, with the call, and no other one is."""
    (link,) = said["silent_links"]
    equal("the silent link", (link["from"], link["to"], link["transport"]), (0, 1, "tcp"))
    equal("the call that waits for it", link["call_number"], said["call_number"])
    for rank in said["ranks"]:
        equal(f"the call of rank {rank['rank']}", rank["call_number"], said["call_number"])
    if not ((link["bytes"] or 0) > 0 and link["seconds"] >= 0.1):
        raise Wrong(f"the silent link: {link}")


def check_slow(job):
    """The link from rank 0 to rank 1 is slow, then swallows everything."""
    def ends(comm):
        return {rank["rank"]: rank for rank in comm["ranks"] if rank["rank"] < 2}

    said = job.wait_for(lambda comm: [rank["state"] for rank in ends(comm).values()] == ["moves"] * 2)
    equal("silent links of a slow one", said["silent_links"], [])
    before = ends(said)
    job.wait_for(lambda comm: all((rank["bytes_moved"] or 0) > before[number]["bytes_moved"] for number, rank in ends(comm).items()))
    job.ranks[1].send_signal(signal.SIGUSR1)
    said = job.wait_for(lambda comm: comm["silent_links"] and [rank["state"] for rank in comm["ranks"]] == ["waits"] * RANKS)
    check_silent_link(said)
    for rank in ends(said).values():
        if not (0 < rank["bytes_moved"] < rank["bytes_asked"] and rank["last_moved_seconds"] >= 0.1):
            raise Wrong(f"how far the call has come: {rank}")


def check_destroy(job):
    """Rank 1 ends a communicator, and the others wait for it in a call on another one."""
    check_ends(job, [1], [0, 2])


def check_stay(job):
    """The others end a communicator, and rank 1 waits for them in a call on another one."""
    check_ends(job, [0, 2], [1])


def check_ends(job, ending, calling):
    """Ranks that end a communicator wait for those that call on another one, and the reverse. Both say so."""
    def looks_so(comm, late, waiting):
        expected = {rank: "late" for rank in late} | {rank: "waits" for rank in waiting}
        return {rank["rank"]: rank["state"] for rank in comm["ranks"]} == expected

    def find():
        comms = job.ask_all()
        ended = [comm for comm in comms if "finalize" in str(comm["call"]) and looks_so(comm, calling, ending)]
        called = [comm for comm in comms if "all_reduce" in str(comm["call"]) and looks_so(comm, ending, calling)]
        found = [(one, other) for one in ended for other in called]
        return found[0] if found else comms and {"comms": comms}

    ended, called = job.wait_for(lambda said: isinstance(said, tuple), find)
    for comm, late, elsewhere in ((ended, calling, "all_reduce"), (called, ending, "finalize")):
        for rank in comm["ranks"]:
            has_made = rank["rank"] not in late
            equal("the number of a call", rank["call_number"] == comm["call_number"], has_made)
            if not has_made and not (elsewhere in rank["waits_elsewhere_for"] and rank["waits_elsewhere_seconds"] > 0):
                raise Wrong(f"what rank {rank['rank']} waits for elsewhere: {rank}")


def check_message(job):
    """Rank 0 waits for a message that rank 1 does not send. Its last messages outlive it."""
    job.wait_for(lambda comm: {rank["rank"]: rank["state"] for rank in comm["ranks"]}[0] == "waits")
    for turn in ("waits", "killed"):
        if turn == "killed":
            job.ranks[0].kill()
            job.ranks[0].wait()
        folder = job.folder / turn
        job.dump(1, folder)
        messages = job.shown(folder)["messages"]
        equal("messages that have come", (messages["sent"], messages["received"]), (RANKS, RANKS))
        (message,) = messages["unfinished"]
        equal("the rank that waits for one", (message["rank"], message["state"]), (0, "running"))
        # MPI's messages are bytes.
        is_it = message["message"].startswith(("receive(float32, count 4, from rank 1, tag ", "receive(byte, count 16, from rank 1, tag "))
        if not is_it or message["begun_seconds_ago"] < 0:
            raise Wrong(f"the message: {message}")
    said = check_torch_says(job.tool, folder, job.folder)
    if said and ("recv" not in said or "has errors" in said or "Traceback" in said):
        raise Wrong(f"PyTorch's analyser says\n{said}")


def check_torch(tool, folder, work):
    """Lets PyTorch's analyser read the files."""
    said = check_torch_says(tool, folder, work)
    if said and "Not all ranks joining collective" not in said:
        raise Wrong(f"PyTorch's analyser says\n{said}")


def check_torch_says(tool, folder, work):
    """Returns what PyTorch's analyser says of the files, or None if it is not there."""
    analyser = os.environ.get("ANYCCL_TEST_TORCHFRTRACE")
    output = work / "torch"
    said = subprocess.run([tool, "trace", "torch", folder, output], text=True, capture_output=True, check=True)
    if not analyser:
        return None
    prefix = said.stdout.splitlines()[0].split()[-1]
    found = subprocess.run([*analyser.split(), output, "-p", prefix], text=True, capture_output=True)
    return found.stdout + found.stderr


TROUBLES = {"stop": check_stopped, "gone": check_gone, "count": check_count, "root": check_root, "leave": check_left,
            "compute": check_computing, "silent": check_silent, "slow": check_slow, "destroy": check_destroy, "stay": check_stay,
            "message": check_message}

# Ranks of these pretend to be on hosts of their own. The link from rank 0 to rank 1 is part of a ring.
NETWORK = {"silent", "slow"}
RING = {"ANYCCL_ALGORITHM": "all_reduce:ring"}
# These are looked at on one host, and on several.
EVERYWHERE = {"destroy", "stay"}


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
    for trouble in TROUBLES:
        for on_hosts in [False, True] if trouble in EVERYWHERE else [trouble in NETWORK]:
            try:
                check_trouble(tool, door, trouble, on_hosts)
            except (Wrong, AssertionError, RuntimeError, OSError) as wrong:
                raise Wrong(f"{door}, {trouble}: {wrong!r}") from wrong
            print(f"{door}: {trouble}{' on several hosts' if on_hosts else ''} is seen", flush=True)
    check_taken_port(tool, door)


def check_trouble(tool, door, trouble, on_hosts):
    """Looks at one trouble of one door."""
    with tempfile.TemporaryDirectory() as folder, ras.Port() as port:
        settings, is_served = ras_settings(door, trouble, port.place)
        settings |= RING if trouble in NETWORK else {}
        with Job(tool, door, trouble, Path(folder), settings, on_hosts) as job:
            TROUBLES[trouble](job)
            if is_served and trouble in ras.CHECKS:
                ras.CHECKS[trouble](job, port, RANKS)
            elif not is_served and not port.is_silent():
                raise Wrong("RAS is served although nobody wants it")


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
