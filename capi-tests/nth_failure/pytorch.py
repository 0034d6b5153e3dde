"""A job of PyTorch's backend whose every kind of call may fail: prints "done" if all is right, else the error.

    pytorch.py SOCKET

Imports torch once, and forks a rank for each message at the socket: its variables as JSON, and two descriptors. The first is for
its output. To the second its exit status is written. A rank returns from the fork to the top level of this file, so that its
interpreter ends like any other.
"""

import gc
import json
import os
import signal
import socket
import sys
import traceback
from datetime import timedelta

import torch
import torch.distributed as dist

import anyccl.torch_backend

COUNT = 30000


def fork_ranks(orders):
    """Forks what the orders want. Returns the variables of a rank in its process; the others end here."""
    while True:
        text, descriptors, _, _ = socket.recv_fds(orders, 1 << 20, 2)
        if not text:
            os._exit(0)
        output, ending = descriptors
        # This process waits for nobody, so a second one sees how the rank ends.
        if os.fork() == 0:
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            rank = os.fork()
            if rank == 0:
                os.dup2(output, 1)
                os.dup2(output, 2)
                for descriptor in (output, ending, orders.fileno()):
                    os.close(descriptor)
                return json.loads(text)
            os.close(output)
            os.write(ending, f"{rank}\n".encode())
            _, status = os.waitpid(rank, 0)
            os.write(ending, f"{os.waitstatus_to_exitcode(status)}\n".encode())
            os._exit(0)
        os.close(output)
        os.close(ending)


def job(rank, size):
    store = dist.FileStore(os.environ["STORE"], size)
    patience = timedelta(milliseconds=int(os.environ["ANYCCL_TIMEOUT_MS"]))
    dist.init_process_group("anyccl", store=store, rank=rank, world_size=size, timeout=patience)
    mine = torch.arange(COUNT, dtype=torch.int32) + rank
    dist.all_reduce(mine)
    everybodys = torch.empty(size * COUNT, dtype=torch.int32)
    dist.all_gather_into_tensor(everybodys, mine + rank, async_op=True).wait()
    left, got = (rank + size - 1) % size, torch.empty(2 * COUNT)
    request = dist.irecv(got, left)
    dist.send(torch.full((2 * COUNT,), float(rank)), (rank + 1) % size)
    request.wait()
    halves = [dist.new_group([one]) for one in range(size)]
    dist.barrier(halves[rank])
    dist.barrier()
    sums = size * torch.arange(COUNT, dtype=torch.int32) + size * (size - 1) // 2
    if not (torch.equal(mine, sums) and torch.equal(everybodys, torch.cat([sums + one for one in range(size)]))
            and bool((got == left).all())):
        print("WRONG VALUE", flush=True)
        os.abort()
    dist.destroy_process_group()


torch.set_num_threads(1)
anyccl.torch_backend.load()
# The end of a rank need not look through torch's objects.
gc.freeze()
signal.signal(signal.SIGCHLD, signal.SIG_IGN)
os.environ.update(fork_ranks(socket.socket(fileno=int(sys.argv[1]))))
signal.signal(signal.SIGCHLD, signal.SIG_DFL)
try:
    job(int(os.environ["RANK"]), int(os.environ["WORLD_SIZE"]))
except (dist.DistBackendError, dist.DistStoreError) as error:
    if len(str(error)) < 20:
        print("WRONG SENTENCE")
    sys.exit(f"anyccl: {type(error).__name__}: {error}")
except MemoryError as error:
    # A std::bad_alloc of C++.
    sys.exit(f"anyccl: MemoryError: {error}")
except BaseException:
    print("WRONG EXCEPTION")
    traceback.print_exc()
    sys.exit(1)
print("done")
