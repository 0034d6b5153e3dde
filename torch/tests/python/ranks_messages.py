"""Messages of buffers and of objects."""

import numpy as np

import anyccl
import harness
from oracle import equal, given


def neighbours(comm):
    return (comm.rank + 1) % comm.size, (comm.rank - 1) % comm.size


def test_a_ring_of_every_way_to_send(comm):
    right, left = neighbours(comm)
    mine, theirs = given(comm.rank, 50), given(left, 50)
    for send in (comm.Isend, comm.Issend):
        got = np.empty(50, "int64")
        request = send(mine, right, tag=3)
        status = comm.Recv(got, left, 3)
        request.Wait()
        equal(got, theirs)
        assert (status.source, status.tag, status.count, status.bytes) == (left, 3, 50, 400)
    got = np.empty(50, "int64")
    status = comm.Sendrecv(mine, right, 1, got, left, 1)
    equal(got, theirs)
    assert (status.Get_source(), status.Get_tag(), status.Get_count()) == (left, 1, 50)


def test_send_and_receive_between_two(comm):
    if comm.size < 2:
        raise harness.Skipped("needs two ranks")
    if comm.rank == 0:
        comm.Send(np.arange(5.0), 1)
        comm.Ssend(np.arange(6.0), 1, tag=9)
    elif comm.rank == 1:
        got, status = np.full(8, -1.0), anyccl.Status()
        assert comm.Recv(got, 0, 0, status) is status
        # A message may be shorter than the room for it.
        equal(got, np.array([0.0, 1, 2, 3, 4, -1, -1, -1]))
        assert status.count == 5
        comm.Recv(got, anyccl.ANY_SOURCE, anyccl.ANY_TAG, status)
        assert (status.source, status.tag, status.count) == (0, 9, 6)


def test_probe_tells_how_much_room_a_message_needs(comm):
    right, left = neighbours(comm)
    assert comm.Iprobe(left, 77) is None
    request = comm.Isend(np.arange(10 + comm.rank, dtype="int16"), right, 5)
    status = comm.Probe(left, 5)
    assert comm.Iprobe(left, 5)
    got = np.empty(status.count, "int16")
    comm.Recv(got, status.source, status.tag)
    equal(got, np.arange(10 + left, dtype="int16"))
    request.Wait()


def test_a_receive_can_be_cancelled(comm):
    request = comm.Irecv(np.empty(1), tag=12345)
    assert not request.Test()
    request.Cancel()
    assert request.Wait().Is_cancelled()
    request = comm.irecv(tag=12345)
    request.Cancel()
    assert request.Wait().Is_cancelled() and request.wait() is None


def test_objects_of_any_size(comm):
    right, left = neighbours(comm)
    for thing in (None, {"rank": [1, (2, 3)]}, "x" * 3_000_000, np.arange(20_000)):
        request = comm.isend((comm.rank, thing), right, tag=1)
        sender, got = comm.recv(source=left, tag=1)
        request.wait()
        assert sender == left and np.array_equal(got, thing)
    status = anyccl.Status()
    assert comm.sendrecv(comm.rank, right, source=left, status=status) == left
    assert status.source == left


def test_receives_of_objects_meet_messages_in_the_order_in_which_they_were_started(comm):
    right, left = neighbours(comm)
    first, second, other = comm.irecv(left, 4), comm.irecv(left, 4), comm.irecv(left, 5)
    for number, tag in ((1, 4), (2, 4), (3, 5)):
        comm.isend(number, right, tag)
    # Waits in another order.
    assert other.wait() == 3
    assert second.wait() == 2
    assert first.test() == (True, 1)


def test_a_receive_from_anywhere_does_not_stop_a_later_one_that_it_does_not_accept(comm):
    right, left = neighbours(comm)
    earlier, later = comm.irecv(tag=6), comm.irecv(left, anyccl.ANY_TAG)
    comm.isend("later", right, 7)
    assert later.wait() == "later"
    comm.isend("earlier", right, 6)
    assert anyccl.Request.waitall([earlier]) == ["earlier"]


def test_a_wait_for_an_object_has_a_timeout(comm):
    request = comm.irecv(tag=8)
    try:
        request.wait(timeout=0.05)
        raise AssertionError("nobody has sent")
    except TimeoutError as error:
        assert not isinstance(error, anyccl.Error), error
    comm.send("now", comm.rank, 8)
    assert request.wait(timeout=harness.PATIENCE_SECONDS) == "now"


def test_an_array_is_not_taken_for_an_object(comm):
    request = comm.Isend(np.arange(3), comm.rank, 2)
    harness.refused(anyccl.InvalidArgumentError, lambda: comm.recv(comm.rank, 2), "upper case", "int64")
    request.Wait()


def test_an_error_of_a_receive_names_the_receive_and_no_call_inside_it(comm):
    impatient = comm.dup(timeout=0.05)
    for name in ("recv", "Probe", "probe"):
        harness.refused(anyccl.TimeoutError, getattr(impatient, name), f"rank {comm.rank}: {name}: no message from any rank")
    impatient.close()
    failed = comm.dup()
    room, request = np.empty(1), failed.irecv(0)
    if comm.rank == comm.size - 1:
        failed.abort("no more")
    for name, call in (("recv", lambda: failed.recv(0)), ("Recv", lambda: failed.Recv(room, 0)), ("probe", lambda: failed.probe(0)),
                       ("sendrecv", lambda: failed.sendrecv(1, 0, 0, 0)), ("irecv", request.wait)):
        harness.refused(anyccl.AbortedError, call, f"rank {comm.rank}: {name}: ", "no more")
    failed.close()


def test_collectives_of_objects(comm):
    ranks, rank = list(range(comm.size)), comm.rank
    names = [f"{r}" * r for r in ranks]
    for root in ranks:
        assert comm.bcast({"from": root} if rank == root else None, root) == {"from": root}
        assert comm.gather(names[rank], root) == (names if rank == root else None)
        assert comm.scatter(names if rank == root else None, root) == names[rank]
        assert comm.reduce([rank], root=root) == (ranks if rank == root else None)
    assert comm.allgather(names[rank]) == names
    assert comm.alltoall([(rank, to) for to in ranks]) == [(sender, rank) for sender in ranks]
    assert comm.allreduce(rank + 1, anyccl.PROD) == np.prod([r + 1 for r in ranks])
    assert comm.allreduce(names[rank], lambda a, b: a + "," + b) == ",".join(names)
    assert comm.scan([rank]) == ranks[: rank + 1]
    assert comm.exscan([rank]) == (ranks[:rank] or None)
    assert comm.allreduce(rank, anyccl.MAX) == comm.size - 1


def test_threads_each_with_a_communicator(comm):
    import threading

    copies, failures = [comm.dup(name=f"thread {number}") for number in range(3)], []

    def work(number, own):
        try:
            for step in range(20):
                assert own.allreduce(step * number) == step * number * own.size
                own.send(step, (own.rank + 1) % own.size)
                assert own.recv() == step
        except BaseException as failure:
            failures.append(failure)

    threads = [threading.Thread(target=work, args=pair) for pair in enumerate(copies)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures, failures
    comm.Barrier()
    for own in copies:
        own.close()


if __name__ == "__main__":
    harness.run(globals())
