"""Asks jobs in trouble by the protocol of NCCL's RAS, as ncclras does, or by ncclras itself (ANYCCL_TEST_NCCLRAS)."""

import json
import os
import select
import socket
import subprocess
import sys
import time

LIMIT_S = 120
HOST = "127.0.0.1"


class Port:
    """A port that the ranks of a job can listen at, and nobody else gets."""

    def __init__(self):
        self.socket = socket.socket()
        # Whoever asks for the same may listen. This socket does not listen, and gets no connection.
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
        self.socket.bind((HOST, 0))
        self.number = self.socket.getsockname()[1]
        self.place = f"{HOST}:{self.number}"

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.socket.close()

    def is_silent(self):
        """Whether nobody listens."""
        with socket.socket() as client:
            return client.connect_ex((HOST, self.number)) != 0


class Client:
    """A client that a process serves. One that is stopped accepts, and says nothing: then another connection is tried."""

    def __init__(self, port):
        tried = []
        self.socket, self.said = None, b""
        end = time.monotonic() + LIMIT_S
        while self.socket is None:
            if time.monotonic() > end:
                raise RuntimeError(f"nobody answers at {port.place}")
            try:
                tried.append(socket.create_connection((HOST, port.number)))
                tried[-1].sendall(b"CLIENT PROTOCOL 2\n")
            except ConnectionError:
                continue
            ready, _, _ = select.select(tried, [], [], 0.1)
            for one in ready:
                tried.remove(one)
                if self.socket is None and self._greets(one):
                    self.socket = one
                else:
                    one.close()
        for one in tried:
            one.close()
        self.socket.settimeout(LIMIT_S)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.socket.close()

    def _greets(self, one):
        try:
            return one.recv(100) == b"SERVER PROTOCOL 2\n"
        except ConnectionError:
            return False

    def ask(self, *lines):
        """Sends lines, each of which has to be answered by OK."""
        for line in lines:
            self.socket.sendall(line.encode() + b"\n")
            if self.line() != "OK":
                raise RuntimeError(f"{line} is refused")

    def line(self):
        while b"\n" not in self.said:
            part = self.socket.recv(4096)
            if not part:
                raise RuntimeError("the connection has ended")
            self.said += part
        line, self.said = self.said.split(b"\n", 1)
        return line.decode()

    def rest(self, line):
        """Sends a line, and returns all that is said until the connection ends."""
        self.socket.sendall(line.encode() + b"\n")
        while part := self.socket.recv(65536):
            self.said += part
        return self.said.decode()


def status(port):
    """Returns the communicators as JSON, and the text."""
    with Client(port) as client:
        client.ask("TIMEOUT 5", "SET FORMAT json")
        report = json.loads(client.rest("STATUS"))
    with Client(port) as client:
        return report, client.rest("VERBOSE STATUS")


def communicator(port, size):
    """Returns the communicator of all ranks, and the text."""
    report, text = status(port)
    comms = [comm for comm in report["communicators"] if comm["size"] == size and "all_reduce" in json.dumps(comm)]
    for comm in report["communicators"]:
        assert comm["ranks_count"] == len(comm["ranks"]) and comm["missing_ranks_count"] == len(comm["missing_ranks"]), comm
        assert comm["size"] == len(comm["ranks"]) + len(comm["missing_ranks"]), comm
    assert report["communicators_count"] == len(report["communicators"]), report
    return comms[0], text


def warnings(text, word):
    """Returns the lines of the text's paragraphs under a heading that ends with the word, besides their headings."""
    return [line for part in text.split("\n\n") if part.split("\n")[0].endswith(f" {word}") for line in part.split("\n")[1:]]


def counts(comm):
    return {rank["rank"]: rank["collective_counts"]["AllReduce"] for rank in comm["ranks"]}


def check_stopped(job, port, size):
    comm, text = communicator(port, size)
    (missing,) = comm["missing_ranks"]
    assert (missing["rank"], missing["pid"], missing["state"]) == (1, job.ranks[1].pid, "stopped"), missing
    assert missing["status"] == {"unresponsive": True, "considered_dead": False}, missing
    # An MPI program has several communicators.
    lines = [line for line in warnings(text, "INCOMPLETE") if " Rank " in line]
    assert lines and all(f"-- process {job.ranks[1].pid} on node" in line and "is stopped" in line for line in lines), text
    # Who watches hears of its end.
    with Client(port) as client:
        client.ask("MONITOR lifecycle")
        job.ranks[1].kill()
        line = client.line()
        assert f"PEER_DEAD: Process {job.ranks[1].pid} on node" in line, line


def check_gone(job, port, size):
    comm, text = communicator(port, size)
    (missing,) = comm["missing_ranks"]
    assert missing["rank"] == 1 and missing["status"]["considered_dead"], missing
    assert [rank["status"]["async_error"] for rank in comm["ranks"]] == [6, 6], comm
    assert "INCOMPLETE,ERROR" in text and "its process has ended" in text, text


def check_count(job, port, size):
    comm, text = communicator(port, size)
    assert [rank["status"]["async_error"] for rank in comm["ranks"]] == [5, 5, 5], comm
    (line,) = [line for line in warnings(text, "MISMATCH") if " Rank " in line]
    assert "Rank 1 " in line and "count 5" in line, text


def check_computing(job, port, size):
    comm, text = communicator(port, size)
    made = counts(comm)
    assert made[0] == made[2] == made[1] + 1 and not comm["missing_ranks"], comm
    (line,) = [line for line in warnings(text, "MISMATCH") if " Rank " in line]
    assert f"Rank 1 -- process {job.ranks[1].pid} on node" in line and "has not made the call" in line, text
    assert len([line for line in warnings(text, "WAITING") if " Rank " in line]) == 2, text
    check_strangers(port)
    if client := os.environ.get("ANYCCL_TEST_NCCLRAS"):
        check_ncclras(client, job, port)


# Asks, and prints what is said; nothing if the connection only ends.
STRANGER = """
import socket, sys
client = socket.create_connection((sys.argv[1], int(sys.argv[2])))
try:
    client.sendall(b"STATUS\\n")
    print(client.recv(100).decode())
except ConnectionError:
    pass
"""


def check_strangers(port):
    """Only this user and root may ask. Another user can be tried by root alone, and may lack Python then."""
    if os.geteuid() != 0 or subprocess.run(["/usr/bin/python3", "-c", ""], user=65534, cwd="/").returncode != 0:
        return
    said = subprocess.run(["/usr/bin/python3", "-c", STRANGER, HOST, str(port.number)], user=65534, cwd="/", text=True,
                          capture_output=True, timeout=LIMIT_S)
    assert said.returncode == 0 and said.stdout.strip() == "", said


def check_ncclras(client, job, port):
    """Lets NVIDIA's client ask in each of its forms."""
    def run(*options):
        command = [client, "-h", HOST, "-p", str(port.number), *options]
        return subprocess.run(command, text=True, capture_output=True, check=True, timeout=LIMIT_S)

    assert "MISMATCH" in run().stdout and run().stderr == ""
    assert f"Rank 1 -- process {job.ranks[1].pid} on node" in run("-v", "-t", "3").stdout
    assert json.loads(run("-f", "json").stdout)["nccl_version"]
    command = [client, "-h", HOST, "-p", str(port.number), "-m", "-f", "json"]
    with subprocess.Popen(command, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as watch:
        # It says that it watches. Then a rank ends.
        assert "Monitor Mode" in watch.stderr.readline()
        job.ranks[2].kill()
        text = ""
        while '"details"' not in text:
            line = watch.stdout.readline()
            assert line, text
            text += line
        assert '"event": "PEER_DEAD"' in text and f'"pid": {job.ranks[2].pid}' in text, text
        watch.kill()
    print("ncclras is served", file=sys.stderr)


CHECKS = {"stop": check_stopped, "gone": check_gone, "count": check_count, "compute": check_computing}
