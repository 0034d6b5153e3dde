"""Measures a put and a signal of 8 bytes between 2 ranks of a host.

    torchrun --standalone --nproc-per-node 2 torch/bench/put_signal.py
    chrt -r 20 torchrun --standalone --nproc-per-node 2 torch/bench/put_signal.py      # beside other work

Both ranks put and wait in turns. The time is that of one direction: put, signal, and the wait of the other rank.
It is measured for torch's windows (`new_window`) and for symmetric memory, each in Python and in C++. The C++
loops (put_signal.cpp) call the interfaces of torch, c10d::Window and SymmetricMemory; g++ compiles them first, which
takes a minute. `--python` leaves them out. The table has the median of the rounds, and the fastest one. Below it
are the times of single calls in Python, which wait for nobody.
"""

import argparse
import importlib.util
import os
import shlex
import statistics
import subprocess
import sysconfig
import tempfile
import time
from pathlib import Path

import torch
import torch.distributed as dist
import torch.distributed._symmetric_memory as symmetric
from torch.utils import cpp_extension

SOURCE = Path(__file__).with_suffix(".cpp")
IN_PYTHON, IN_CPP = 2_000, 100_000


def compile_loops(folder):
    """Compiles the loops, on rank 0, and returns their module."""
    output = Path(folder) / "put_signal_loops.so"
    if dist.get_rank() == 0:
        command = [*shlex.split(os.environ.get("CXX", "g++")), "-std=c++20", "-O2", "-fPIC", "-shared"]
        command += ["-DTORCH_EXTENSION_NAME=put_signal_loops", "-D_GLIBCXX_USE_CXX11_ABI=1"]
        for include in [*cpp_extension.include_paths(), sysconfig.get_path("include")]:
            command += ["-isystem", include]
        libraries = ["-L", str(Path(torch.__file__).parent / "lib"), "-lc10", "-ltorch_cpu", "-ltorch_python"]
        subprocess.run([*command, str(SOURCE), "-o", str(output), *libraries], check=True)
    dist.barrier()
    spec = importlib.util.spec_from_file_location("put_signal_loops", output)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def in_turns(rounds, send, wait):
    """Returns the nanoseconds of one direction."""
    dist.barrier()
    is_first = dist.get_rank() == 0
    begin = time.perf_counter_ns()
    for _ in range(rounds):
        if is_first:
            send()
            wait()
        else:
            wait()
            send()
    return (time.perf_counter_ns() - begin) / (2 * rounds)


def nanoseconds(call, times=20_000):
    begin = time.perf_counter_ns()
    for _ in range(times):
        call()
    return (time.perf_counter_ns() - begin) / times


def report(name, times):
    if dist.get_rank() == 0:
        print(f"| {name} | {statistics.median(times):.0f} ns | {min(times):.0f} ns |", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--python", action="store_true")
    args = parser.parse_args()
    dist.init_process_group("anyccl")
    rank, peer = dist.get_rank(), 1 - dist.get_rank()
    backend = dist.group.WORLD._get_backend(torch.device("cpu"))
    own, source = backend.allocate_tensor(1, dtype=torch.int64, device=torch.device("cpu")), torch.zeros(1, dtype=torch.int64)
    window = dist._new_window(own)
    tensor = symmetric.empty(1, dtype=torch.int64, device="cpu")
    handle = symmetric.rendezvous(tensor, dist.group.WORLD)
    remote = handle.get_buffer(peer, (1,), torch.int64)

    def send_by_window():
        window.put(source, peer, 0, False)
        window.signal(peer, False)

    def send_by_handle():
        remote.copy_(source)
        handle.put_signal(peer)

    cases = {
        "window, Python": lambda: in_turns(IN_PYTHON, send_by_window, lambda: window.wait_signal(peer, False)),
        "symmetric memory, Python": lambda: in_turns(IN_PYTHON, send_by_handle, lambda: handle.wait_signal(peer)),
    }
    with tempfile.TemporaryDirectory() as own_folder:
        folder = [own_folder]
        dist.broadcast_object_list(folder, 0)
        if not args.python:
            loops = compile_loops(folder[0])
            cases["window, C++"] = lambda: loops.by_window(window, source, own, peer, IN_CPP)
            cases["symmetric memory, C++"] = lambda: loops.by_handle(handle, peer, IN_CPP)
        if rank == 0:
            print(f"torch {torch.__version__}, {args.rounds} rounds\n\n| one direction | median | fastest |\n| --- | --- | --- |")
        for name, case in cases.items():
            dist.barrier()
            report(name, [case() for _ in range(args.rounds + 1)][1:])
        dist.barrier()
    if rank == 0:
        print("\n| one call in Python | median | fastest |\n| --- | --- | --- |")
    alone = {
        "window.put": lambda: window.put(source, rank, 0, False),
        "window.signal": lambda: window.signal(rank, False),
        "window.wait_signal": lambda: window.wait_signal(rank, False),
        "handle.put_signal and wait_signal": lambda: (handle.put_signal(rank), handle.wait_signal(rank)),
        "Tensor.copy_ of 8 bytes": lambda: remote.copy_(source),
    }
    for name, call in alone.items():
        report(name, [nanoseconds(call) for _ in range(args.rounds)])
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
