"""How communicators are made and closed, and what happens if a rank is missing."""

import os
import pickle
import sys
import traceback

import numpy as np

import anyccl
import harness
from waiting import interrupted


def test_world_is_one(comm):
    assert anyccl.Communicator.world(timeout=1) is comm
    assert comm.Get_rank() == comm.rank == int(os.environ.get("ANYCCL_RANK", os.environ.get("RANK", 0)))
    assert comm.Get_size() == comm.size and comm.local_size == comm.size and comm.local_rank == comm.rank
    assert comm.failure() is None


def test_split_dup_and_lists_of_ranks(comm):
    halves = comm.split(comm.rank % 2, key=-comm.rank, name="half")
    members = [rank for rank in range(comm.size) if rank % 2 == comm.rank % 2][::-1]
    assert halves.allgather(comm.rank) == members and halves.rank == members.index(comm.rank)
    assert comm.split(None if comm.rank else 0) is None or comm.rank == 0
    with comm.dup() as copy:
        assert copy.allreduce(1) == comm.size
    last = comm.create_from_ranks([comm.size - 1])
    assert (last is None) == (comm.rank != comm.size - 1)
    assert comm.split_by_host().size == comm.size
    halves.Free()
    halves.Free()
    harness.refused(anyccl.InvalidArgumentError, lambda: halves.Barrier())


class FolderStore:
    """A store with set and get, for from_store."""

    def __init__(self, folder):
        self.folder = folder

    def path(self, key):
        return os.path.join(self.folder, key.encode().hex())

    def set(self, key, value):
        with open(self.path(key) + ".new", "wb") as file:
            file.write(value)
        os.replace(self.path(key) + ".new", self.path(key))

    def get(self, key):
        try:
            with open(self.path(key), "rb") as file:
                return file.read()
        except FileNotFoundError:
            return None


def test_close_waits_for_requests_that_were_dropped(comm):
    name = comm.bcast(anyccl.unique_id() if comm.rank == 0 else None)
    right, left = (comm.rank + 1) % comm.size, (comm.rank - 1) % comm.size
    for copy in (comm.dup(timeout=60), anyccl.Communicator.from_id(name, comm.size, comm.rank, timeout=60)):
        sums = [np.empty(100_000) for _ in range(20)]
        for one in sums:
            copy.Iallreduce(np.ones(100_000), one)
        got = np.empty(100_000)
        copy.Irecv(got, left, 5)
        copy.Isend(np.full(100_000, float(comm.rank)), right, 5)
        copy.irecv(left, 6)
        copy.isend(bytes(100_000), right, 6)
        copy.close()
        assert all((one == comm.size).all() for one in sums) and (got == left).all()
        harness.refused(anyccl.Error, copy.Barrier)


def test_a_communicator_that_has_failed_is_closed_with_requests_that_were_dropped(comm):
    copy = comm.dup()
    copy.irecv(comm.rank, 6)
    copy.Irecv(np.empty(1), comm.rank, 5)
    # The abort of one rank ends what the others begin.
    comm.Barrier()
    copy.abort()
    copy.close()
    harness.refused(anyccl.Error, copy.Barrier)


def test_close_refuses_while_the_program_has_an_open_request(comm):
    with comm.dup() as copy:
        request = copy.Irecv(np.empty(1), comm.rank, 5)
        harness.refused(anyccl.InvalidUsageError, copy.close, "1 calls or requests of the communicator are not finished")
        copy.Send(np.ones(1), comm.rank, 5)
        request.Wait()


def test_from_id_from_store_and_from_file(comm):
    folder = harness.shared_folder(comm)
    name = comm.bcast(anyccl.unique_id() if comm.rank == 0 else None)
    for other in (
        anyccl.Communicator.from_id(name, comm.size, comm.rank, timeout=30),
        anyccl.Communicator.from_store(FolderStore(folder), comm.size, comm.rank, timeout=30),
        anyccl.Communicator.from_file(os.path.join(folder, "meeting"), comm.size, comm.rank, timeout=30),
    ):
        # The numbers may be turned round, too.
        assert other.allgather(other.rank) == list(range(comm.size))
        other.close()
        assert "closed" in repr(other)


def test_a_store_that_fails_or_times_out(comm):
    class Broken:
        def set(self, key, value):
            raise OSError("no such luck")

        get = set

    error = harness.refused(anyccl.BootstrapError, lambda: anyccl.Communicator.from_store(Broken(), 2, 0, timeout=1),
                            "no such luck")
    assert isinstance(error, ConnectionError) and isinstance(error.__cause__, OSError)
    harness.refused(anyccl.TimeoutError,
                    lambda: anyccl.Communicator.from_store(FolderStore(harness.own_folder()), 2, 1, timeout=0.1))
    harness.refused(anyccl.InvalidArgumentError, lambda: anyccl.Communicator.from_id(b"short", 1, 0), "128")
    harness.refused(anyccl.InvalidArgumentError, lambda: comm.dup(timeout=0), "timeout 0")


def test_errors_can_be_pickled_and_tell_code_rank_and_message(comm):
    error = harness.refused(anyccl.InvalidArgumentError, lambda: comm.Bcast(np.ones(1), -1))
    copy = pickle.loads(pickle.dumps(error))
    assert (copy.code, copy.rank, copy.message) == (error.code, comm.rank, error.message) and type(copy) is type(error)
    assert str(copy).startswith(f"rank {comm.rank}: ")


def test_different_calls_are_an_error_on_every_rank(comm):
    if comm.size < 2:
        raise harness.Skipped("needs two ranks")
    with comm.dup() as copy:
        mine = np.ones(4 if copy.rank == 0 else 3)
        harness.refused(anyccl.MismatchError, lambda: copy.Allreduce(mine, mine), "Allreduce", "count 3", "count 4")
        assert isinstance(copy.failure(), anyccl.MismatchError)


def test_a_wrong_count_is_one_exception_with_a_short_traceback_on_every_rank(comm):
    if comm.size == 1 or sys.version_info < (3, 11):
        raise harness.Skipped("needs two ranks, and Python 3.11")
    copy, count = comm.dup(), 5 if comm.rank == 1 else 4
    error = harness.refused(anyccl.MismatchError, lambda: copy.Allreduce(np.ones(count), np.empty(count)), "count 5", "count 4")
    text = "".join(traceback.format_exception(type(error), error, error.__traceback__))
    assert [frame.name for frame in traceback.extract_tb(error.__traceback__)] == ["refused", "<lambda>", "Allreduce"], text
    assert "NOT_SERVED" not in text and text.splitlines()[-1] == f"anyccl.MismatchError: {error}"


def test_a_rank_that_leaves_a_block_by_an_exception_ends_the_waits_of_the_others(comm):
    copy = comm.dup()
    try:
        with copy:
            if copy.rank == comm.size - 1:
                raise KeyError("as intended")
            copy.recv(source=comm.size - 1)
        raise AssertionError("nothing was raised")
    except KeyError:
        assert comm.rank == comm.size - 1
    except anyccl.AbortedError:
        assert comm.rank != comm.size - 1


def test_a_rank_that_does_not_come_is_a_timeout(comm):
    if comm.size < 2:
        raise harness.Skipped("needs two ranks")
    copy = comm.dup(timeout=0.3)
    if comm.rank:
        error = harness.refused(anyccl.TimeoutError, copy.Barrier, "rank 0")
        assert isinstance(error, TimeoutError)
    comm.Barrier()
    copy.close()


def test_a_forked_child_is_refused_and_does_no_harm(comm):
    child = os.fork()
    if child == 0:
        try:
            harness.refused(anyccl.InvalidUsageError, comm.Barrier)
            harness.refused(anyccl.InvalidUsageError, anyccl.Communicator.world)
            os._exit(0)
        except BaseException:
            os._exit(1)
    assert os.waitpid(child, 0)[1] == 0


def test_every_call_that_waits_can_be_interrupted(comm):
    """An interrupted operation goes on: its message is still received."""
    got = [np.zeros(2), np.zeros(2)]
    request = comm.Irecv(got[0], comm.rank, 1)
    object_request = comm.irecv(comm.rank, 2)
    for call in (
        request.Wait,
        object_request.wait,
        lambda: comm.Recv(got[1], comm.rank, 3),
        lambda: comm.recv(comm.rank, 4),
        lambda: comm.Probe(comm.rank, 5),
        lambda: anyccl.Request.Waitall([request]),
        lambda: anyccl.Communicator.from_store(FolderStore(harness.own_folder()), 2, 1, timeout=5),
    ):
        assert interrupted(call) < 2
    comm.Send(np.ones(2), comm.rank, 1)
    comm.send("object", comm.rank, 2)
    comm.Send(np.full(2, 3.0), comm.rank, 3)
    comm.send("again", comm.rank, 4)
    request.Wait()
    assert object_request.wait() == "object" and comm.recv(comm.rank, 4) == "again"
    assert got[0].tolist() == [1, 1]
    # The receive of the interrupted Recv gets its message, too.
    while got[1].tolist() != [3, 3]:
        comm.Iprobe(comm.rank, 99)


def test_the_others_read_which_exception_has_ended_a_block(comm):
    if comm.size < 2:
        return print("skipped: a block that an exception ends needs two ranks")
    for exception in (SystemExit("no input"), SystemExit(3), KeyboardInterrupt(), ValueError("two\n words")):
        copy = comm.dup()
        comm.Barrier()
        if comm.rank == 0:
            try:
                with copy:
                    raise exception
            except BaseException as error:
                assert error is exception
        else:
            told = f"rank 0: its with block ended by {type(exception).__name__}"
            error = harness.refused(anyccl.AbortedError, copy.Barrier, told, " ".join(str(exception).split()))
            assert "abort()" not in str(error)
            copy.close()


def test_sys_exit_without_an_error_is_no_abort(comm):
    copy = comm.dup()
    assert copy.allgather(comm.rank) == list(range(comm.size))
    try:
        with copy:
            sys.exit()
    except SystemExit:
        pass


class InterruptedAtTheEnd:
    """The library, with a KeyboardInterrupt right after the first return of anyccl_wait_for."""

    def __init__(self, library):
        self.library, self.left = library, 1

    def __getattr__(self, name):
        function = getattr(self.library, name)

        def call(*arguments):
            result = function(*arguments)
            if name == "anyccl_wait_for" and self.left:
                self.left -= 1
                raise KeyboardInterrupt
            return result

        return call


def test_what_has_ended_while_it_was_interrupted_is_not_forgotten(comm):
    got = np.zeros(1)
    received, object_received = comm.Irecv(got, comm.rank, 1), comm.irecv(comm.rank, 2)
    comm.Send(np.ones(1), comm.rank, 1)
    comm.send("object", comm.rank, 2)
    comm._arrivals.look()
    aborted = comm.dup()
    failing = aborted.Irecv(np.zeros(1))
    comm.Barrier()
    aborted.abort()
    for request, check in (
        (received, lambda: received.Wait().source == comm.rank),
        (object_received, lambda: object_received.wait() == "object"),
        (failing, lambda: harness.refused(anyccl.AbortedError, failing.Wait)),
    ):
        pending = getattr(request._pending, "_pending", request._pending)
        pending._library = InterruptedAtTheEnd(pending._library)
        try:
            request.Wait()
            raise AssertionError("not interrupted")
        except KeyboardInterrupt:
            assert check() and check()
    aborted.close()


def test_a_barrier_can_be_interrupted(comm):
    if comm.size < 2:
        raise harness.Skipped("needs two ranks")
    copy = comm.dup()
    if comm.rank:
        assert interrupted(copy.Barrier) < 2
        comm.send("interrupted", 0)
    else:
        for _ in range(1, comm.size):
            comm.recv()
        copy.Barrier()  # Ends the barriers of the others, which are still under way.
    comm.Barrier()


if __name__ == "__main__":
    harness.run(globals())
