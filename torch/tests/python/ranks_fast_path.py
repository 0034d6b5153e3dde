"""Tests of frequent calls: each way through the extension, and from there to the general one, gives the same results
and errors. Run on every rank of a job, with the extension and without."""

import array
import gc
import sys
import threading
import time
import weakref

import anyccl
import harness
import numpy
from waiting import interrupted

TYPES = ["?", "b", "B", "h", "H", "i", "I", "q", "Q", "e", "f", "d", "F", "D"]


def test_every_type_through_the_buffer_protocol(comm):
    for code in TYPES:
        mine, got = numpy.ones(3, code), numpy.zeros(3, code)
        comm.Allreduce(mine, got, anyccl.MAX if code not in "FD" else anyccl.SUM)
        assert (got == (1 if code not in "FD" else comm.size)).all(), code
        all_of_them = numpy.zeros(3 * comm.size, code)
        comm.Allgather(mine, all_of_them)
        assert (all_of_them == 1).all(), code
    for code in "bBhHiIlLqQfd":
        own, got = array.array(code, [1, 2]), array.array(code, [0, 0])
        comm.Allreduce(own, got)
        assert got.tolist() == [comm.size, 2 * comm.size], code


def test_what_the_extension_does_not_serve(comm):
    """Strides, other byte orders, read-only memory, lists: the general way copies or refuses."""
    got = numpy.empty(2)
    comm.Allreduce(numpy.arange(4.0)[::2], got)
    assert got.tolist() == [0, 2 * comm.size]
    harness.refused(anyccl.InvalidArgumentError, lambda: comm.Allreduce(numpy.ones(2), numpy.empty(4)[::2]), "not contiguous")
    harness.refused(anyccl.InvalidArgumentError, lambda: comm.Allreduce(numpy.ones(2), bytes(16)), "may only be read")
    harness.refused(anyccl.InvalidArgumentError, lambda: comm.Allreduce(numpy.ones(2, ">f8"), got), "accepted: bool")
    harness.refused(anyccl.InvalidArgumentError, lambda: comm.Allreduce([1.0, 2.0], got), "offers no memory")
    harness.refused(anyccl.InvalidArgumentError, lambda: comm.Allreduce(numpy.ones(2), got, 77), "not an operator")
    harness.refused(anyccl.InvalidArgumentError, lambda: comm.Alltoall(numpy.ones(2 * comm.size + 1), got), "Alltoall")
    harness.refused(anyccl.InvalidArgumentError, lambda: comm.Bcast(got, comm.size), "Bcast: invalid root")
    comm.Bcast(got, numpy.int64(0))
    comm.Allreduce(numpy.ones(2), got, 0)
    assert got.tolist() == [comm.size] * 2


def test_an_error_of_the_library_is_raised(comm):
    copy = comm.dup(timeout=20)
    mine, got = numpy.ones(2), numpy.empty(2)
    harness.refused(anyccl.InvalidArgumentError, lambda: copy.Allreduce(mine, got, anyccl.BXOR), "Allreduce: invalid op",
                    f"rank {comm.rank}")
    copy.close()
    for call in (copy.Barrier, lambda: copy.allgather(1), lambda: copy.Send(mine, 0), lambda: copy.bcast(1)):
        harness.refused((anyccl.InvalidArgumentError, anyccl.InvalidUsageError), call)


def test_in_place_and_without_a_buffer(comm):
    whole = numpy.full(comm.size, -1.0)
    whole[comm.rank] = comm.rank
    comm.Allgather(anyccl.IN_PLACE, whole)
    assert whole.tolist() == list(range(comm.size))
    comm.Alltoall(anyccl.IN_PLACE, whole)
    assert whole.tolist() == [comm.rank] * comm.size
    mine = numpy.full(1, comm.rank + 1.0)
    comm.Reduce(anyccl.IN_PLACE if comm.rank == 0 else mine, mine if comm.rank == 0 else None)
    part = numpy.empty(1)
    comm.Scatter(numpy.arange(float(comm.size)) if comm.rank == 0 else None, part)
    assert part[0] == comm.rank
    comm.Gather(part, whole if comm.rank == 0 else None)
    if comm.rank == 0:
        assert mine[0] == comm.size * (comm.size + 1) / 2 and whole.tolist() == list(range(comm.size))
    comm.Reduce_scatter_block(numpy.arange(float(comm.size)), part)
    assert part[0] == comm.size * comm.rank
    comm.Scan(numpy.ones(1), part)
    assert part[0] == comm.rank + 1
    part[0] = -5
    comm.Exscan(numpy.ones(1), part)
    assert part[0] == (comm.rank or -5)


def test_objects_of_every_length(comm):
    """Around the lengths at which a second message begins."""
    right, left = (comm.rank + 1) % comm.size, (comm.rank - 1) % comm.size
    for length in (0, 1, 200, 232, 233, 234, 240, 247, 248, 256, 1000, 1008, 1009, 1024, 5000, 100_000):
        own = bytes([comm.rank]) * length
        assert comm.allgather(own) == [bytes([rank]) * length for rank in range(comm.size)]
        for root in {0, comm.size - 1}:
            assert comm.bcast(own if comm.rank == root else None, root) == bytes([root]) * length
        status = anyccl.Status()
        assert comm.sendrecv(own, right, 3, left, 3, status) == bytes([left]) * length
        assert (status.source, status.tag, status.datatype) == (left, 3, anyccl.Datatype.BYTE)
        assert comm.sendrecv(own, right) == bytes([left]) * length
    # One rank has a long object, the others have short ones.
    things = comm.allgather(list(range(1000)) if comm.rank == comm.size - 1 else comm.rank)
    assert things == [*range(comm.size - 1), list(range(1000))]
    assert comm.bcast((anyccl.Communicator, None) if comm.rank == 0 else 5) == (anyccl.Communicator, None)


def test_objects_that_cannot_be_pickled_or_unpickled(comm):
    copy = comm.dup(timeout=20)
    for call in (copy.allgather, copy.bcast, lambda thing: copy.send(thing, 0), lambda thing: copy.sendrecv(thing, 0)):
        try:
            call(lambda: None)
            assert call == copy.bcast and comm.rank > 0
        except Exception as error:
            assert "pickle" in str(error) or "local" in str(error).lower(), error
            if call == copy.bcast and comm.rank == 0:
                copy.bcast(1)  # The other ranks wait for it.
    copy.Barrier()
    copy.close()


def test_an_array_is_no_object_and_the_receive_says_so(comm):
    right, left = (comm.rank + 1) % comm.size, (comm.rank - 1) % comm.size
    request = comm.Isend(numpy.ones(3), right, 5)
    harness.refused(anyccl.InvalidArgumentError, lambda: comm.recv(left, 5), "array of float64", "upper case")
    request.Wait()


def test_receives_of_objects_match_in_their_order(comm):
    right, left = (comm.rank + 1) % comm.size, (comm.rank - 1) % comm.size
    first = comm.irecv(left, 4)
    for thing in ("a", "b", "c"):
        comm.send(thing, right, 4)
    assert comm.recv(left, 4) == "b" and first.wait() == "a" and comm.recv(left, 4) == "c"


def test_a_late_rank_is_waited_for(comm):
    """Longer than a slice of a wait, so the calls leave requests."""
    if comm.size == 1:
        raise harness.Skipped("needs two ranks")
    mine, got = numpy.full(4, comm.rank + 1.0), numpy.empty(4)
    gate = comm.dup()
    for call in (lambda: comm.Allreduce(mine, got), comm.Barrier, lambda: comm.bcast(1), lambda: comm.allgather(1),
                 lambda: comm.Sendrecv(mine, comm.size - 1 - comm.rank, 0, got, comm.size - 1 - comm.rank)):
        for is_late in (True, False):
            if is_late and comm.rank == 0:
                # The other ranks are in the call by then, or a little later.
                until = time.monotonic() + 0.25
                while time.monotonic() < until:
                    gate.Iprobe()
            call()
    gate.close()


class Owner(bytearray):
    """Memory whose life can be watched."""


def test_memory_of_an_interrupted_call_lives_until_its_end(comm):
    if comm.size == 1 or threading.current_thread() is not threading.main_thread():
        raise harness.Skipped("needs two ranks")
    copy = comm.dup()
    if comm.rank == 0:
        memory = Owner(8)
        watched = weakref.ref(memory)
        interrupted(lambda: copy.Recv(memory, 1, 9))
        sys.last_value = None
        del memory
        gc.collect()
        assert watched() is not None
        copy.send("go", 1)
        copy.recv(1)
        copy._sweep()
        copy._sweep()
        gc.collect()
        assert watched() is None
    elif comm.rank == 1:
        copy.recv(0)
        copy.Send(bytearray(8), 0, 9)
        copy.send("gone", 0)
    comm.Barrier()
    copy.close()


def test_threads_with_communicators_of_their_own(comm):
    copies = [comm.dup() for _ in range(3)]
    wrong = []

    def work(copy):
        got = numpy.empty(2)
        for turn in range(200):
            copy.Allreduce(numpy.full(2, float(turn)), got)
            if got[1] != turn * comm.size or copy.allgather(turn) != [turn] * comm.size:
                wrong.append(turn)

    threads = [threading.Thread(target=work, args=(copy,)) for copy in copies]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong
    for copy in copies:
        copy.close()


def test_references_are_given_back(comm):
    """No call keeps or loses a reference to what it was given."""
    mine, got, thing = numpy.ones(2), numpy.empty(2), ["a", 1]
    right, left = (comm.rank + 1) % comm.size, (comm.rank - 1) % comm.size
    calls = [lambda: comm.Allreduce(mine, got), lambda: comm.Bcast(mine), lambda: comm.bcast(thing),
             lambda: comm.allgather(thing), lambda: comm.sendrecv(thing, right, 1, left, 1),
             lambda: comm.Sendrecv(mine, right, 1, got, left, 1)]
    watched = (mine, got, thing, None, anyccl.SUM)
    for call in calls:
        call()
        before = [sys.getrefcount(one) for one in watched]
        for _ in range(500):
            call()
        after = [sys.getrefcount(one) for one in watched]
        # Operations by ctypes that have not been looked at again have some references to None.
        assert all(abs(now - then) < 400 for now, then in zip(after, before)), (before, after)


if __name__ == "__main__":
    harness.run(globals())
