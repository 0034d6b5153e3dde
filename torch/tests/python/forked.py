"""Runs a program on ranks of a job that are forked after one import of torch: forked.py RANKS PROGRAM ARGUMENT..."""

import os
import runpy
import signal
import sys
import tempfile

import torch

SECONDS = 300


def end_of(program):
    """Runs the program, and ends this process as its interpreter would, without giving back what torch has."""
    try:
        runpy.run_path(program, run_name="__main__")
        status = 0
    except SystemExit as end:
        status = end.code if isinstance(end.code, int) else int(end.code is not None)
    except BaseException:
        sys.excepthook(*sys.exc_info())
        status = 1
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(status)


def main():
    size, program = int(sys.argv[1]), sys.argv[2]
    del sys.argv[:2]
    # The threads of torch's own thread pool do not survive a fork.
    torch.set_num_threads(1)
    with tempfile.TemporaryDirectory() as folder:
        os.environ |= {"ANYCCL_WORLD_SIZE": str(size), "ANYCCL_STORE": f"file:{folder}/store"}
        children = []
        for rank in range(size):
            os.environ["ANYCCL_RANK"] = str(rank)
            children.append(os.fork())
            if children[-1] == 0:
                # A rank does not outlive a parent that was killed.
                signal.alarm(SECONDS)
                end_of(program)
        sys.exit(wait_for(children))


def wait_for(children):
    """Waits for all ranks. When one has failed, the others are ended. Returns what to say about it; None if none failed."""
    failed = None
    for _ in range(len(children)):
        child, status = os.wait()
        status = os.waitstatus_to_exitcode(status)
        rank, children[children.index(child)] = children.index(child), None
        if status and failed is None:
            failed = f"rank {rank} has ended with status {status}"
            for other in filter(None, children):
                os.kill(other, signal.SIGTERM)
    return failed


if __name__ == "__main__":
    main()
