"""Two ranks: the second is killed while the first waits for an object. The wait ends by PeerLostError, and
the first rank goes on alone. To be run with --keep-going."""

import os
import signal

import anyccl
from waiting import Stopwatch

comm = anyccl.Communicator.world(timeout=60)
comm.barrier()
if comm.rank == 1:
    comm.send(os.getpid(), 0)
    os.kill(os.getpid(), signal.SIGKILL)
assert comm.recv(source=1) > 0
watch = Stopwatch()
try:
    comm.recv(source=1)
    raise SystemExit("a message of the dead")
except anyccl.PeerLostError as error:
    assert "rank 1" in str(error), error
assert watch.own_seconds() < 10
with comm.shrink() as alone:
    assert alone.size == 1 and alone.allreduce(5) == 5
print("ok      the survivor goes on")
