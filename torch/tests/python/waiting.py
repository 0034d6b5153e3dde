"""Time that a test may judge on a busy machine, and the interruption of calls that block."""

import os
import signal
import threading
import time
from pathlib import Path


def _starved():
    """Returns the seconds for which the threads of this process and of its parent's other children, the ranks of a job,
    were ready to run and did not."""
    own, parent = os.getpid(), os.getppid()
    nanoseconds = 0
    try:
        processes = {own, *map(int, Path(f"/proc/{parent}/task/{parent}/children").read_text().split())}
    except OSError:
        processes = {own}
    for process in processes:
        for thread in Path(f"/proc/{process}/task").glob("*/schedstat"):
            try:
                nanoseconds += int(thread.read_text().split()[1])
            except OSError:
                pass  # It has ended meanwhile.
    return nanoseconds / 1e9


class Stopwatch:
    """Measures from its creation on."""

    def __init__(self):
        self._begun, self._starved = time.monotonic(), _starved()

    def seconds(self):
        """Returns the seconds that have passed."""
        return time.monotonic() - self._begun

    def own_seconds(self):
        """Returns the seconds that have passed, without those for which a rank of the job waited for a processor."""
        return self.seconds() - max(0, _starved() - self._starved)


def interrupted(call):
    """Makes a call that blocks, and sends this process SIGINT from another thread once it does. Returns the seconds
    from the signal to the exception."""
    caller, sent = threading.get_native_id(), []

    def interrupt():
        # The caller is asleep, and not only for a moment. It would not be asleep if it waited for a processor.
        quiet = 0
        while quiet < 20:
            with open(f"/proc/self/task/{caller}/stat") as file:
                quiet = quiet + 1 if file.read().rpartition(")")[2].split()[0] == "S" else 0
            time.sleep(0.001)
        sent.append(Stopwatch())
        signal.pthread_kill(threading.main_thread().ident, signal.SIGINT)

    thread = threading.Thread(target=interrupt)
    # A shell makes its background jobs ignore SIGINT, and Python then keeps that.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        thread.start()
        call()
    except KeyboardInterrupt:
        took = sent[0].own_seconds()
        thread.join()
        return took
    finally:
        signal.signal(signal.SIGINT, before)
    raise AssertionError("not interrupted")
