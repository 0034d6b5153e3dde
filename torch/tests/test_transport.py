"""The transport "anyccl" of torch.distributed: reads and writes of tensors of one peer, who takes no part."""

import asyncio
import json
import os
import signal
import socket
from contextlib import suppress

import anyccl
import pytest
import ranks
import torch
import torch.distributed as dist

transports = pytest.importorskip("torch.distributed._transport", reason="torch has no transports before 2.15")
SECONDS = ranks.PATIENCE.total_seconds()


def pair():
    """Two endpoints of this process that are connected with each other."""
    first, second = (transports.new_transport("anyccl", timeout=SECONDS) for _ in range(2))
    urls = first.bind(), second.bind()
    assert first.connect(urls[1]) == second.connect(urls[0]) == 0 and first.connected() and second.connected()
    return first, second


def given(memory):
    """What the peer gets to know of memory."""
    descriptor = memory.to_remote_buffer()
    return type(descriptor).deserialize(descriptor.serialize())


def alone(body):
    """Runs a test in a process of its own, because it makes threads, and later tests fork."""
    ranks.values(1, lambda rank, size: body(), form_group=False)


def test_torch_finds_it():
    assert "anyccl" in transports.available_transports()


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16, torch.bool, torch.complex64])
@pytest.mark.parametrize("count", [1, 1000, 1 << 20])
def test_ranks_read_and_write_what_their_peer_has_registered(dtype, count):
    values = [torch.arange(count).remainder(3 + rank).to(dtype) for rank in range(2)]

    def body(rank, size):
        with transports.new_transport_rank("anyccl", "cpu", peer_rank=1 - rank) as transport:
            read, written = torch.zeros(count, dtype=dtype), torch.zeros(count, dtype=dtype)
            source, target, into = map(transport.register_memory, (values[rank].clone(), written, read))
            buffers = [None] * size
            dist.all_gather_object(buffers, [source.to_remote_buffer().serialize(), target.to_remote_buffer().serialize()])
            peer = [type(source.to_remote_buffer()).deserialize(buffer) for buffer in buffers[1 - rank]]
            assert transport.read(into.to_mutable_view(), peer[0]) == 0
            assert transport.write(source.to_view(), peer[1]) == 0
            dist.barrier()
            assert torch.equal(read, values[1 - rank]) and torch.equal(written, values[1 - rank])
            dist.barrier()

    ranks.values(2, body)


def test_parts_of_tensors_move_in_order_and_the_rest_is_left_alone():
    def body():
        first, second = pair()
        numbers, place = torch.arange(100, dtype=torch.uint8), torch.zeros(10, 10, dtype=torch.uint8)
        source, target = first.register_memory(numbers), given(second.register_memory(place[2]))
        works = [first.write(source.to_view(at, 5), target, async_op=True) for at in range(90)]
        assert all(work.wait() for work in works) and works[-1].is_success() and works[-1].get_future().wait() == []
        assert place[2].tolist() == [89, 90, 91, 92, 93, 0, 0, 0, 0, 0] and place.sum() == place[2].sum()
        view = source.to_mutable_view(length=10)
        assert first.read(view, target) == 0 and numbers[:11].tolist() == [*place[2].tolist(), 10]
        assert first.write(source.to_view(3, 0), target) == 0
        first.close()
        second.close()

    alone(body)


def test_coroutines_wait_for_transfers():
    async def both(first, source, target):
        await asyncio.gather(*(first.write_async(source.to_view(), target) for _ in range(20)))
        await first.read_async(source.to_mutable_view(), target)
        await first.close_async()

    def body():
        first, second = pair()
        place = torch.zeros(3)
        asyncio.run(both(first, first.register_memory(torch.ones(3)), given(second.register_memory(place))))
        assert place.tolist() == [1, 1, 1]
        second.close()

    alone(body)


def test_many_peers_read_from_one_endpoint():
    def body(rank, size):
        weights = torch.full((1000,), 7.0)
        with transports.new_transport("anyccl", timeout=SECONDS) as transport:
            shown = [None]
            if rank == 0:
                shown = [(transport.bind(), transport.register_memory(weights).to_remote_buffer())]
            dist.broadcast_object_list(shown)
            url, buffer = shown[0]
            if rank > 0:
                transport.connect(url)
                weights.zero_()
                into = transport.register_memory(weights)
                for _ in range(100):
                    transport.read(into.to_mutable_view(), buffer)
                assert weights.tolist() == [7.0] * 1000
            dist.barrier()

    ranks.values(4, body)


def test_a_peer_that_dies_fails_transfers():
    def body(rank, size):
        transport = transports.new_transport_rank("anyccl", peer_rank=1 - rank)
        memory = transport.register_memory(torch.ones(1000))
        shown = [memory.to_remote_buffer()] * 2
        dist.broadcast_object_list(shown, 1)
        # Rank 0 is connected by now.
        dist.barrier()
        if rank == 1:
            os.kill(os.getpid(), signal.SIGKILL)
        watch = ranks.Stopwatch()
        with pytest.raises(anyccl.Error, match="rank 1"):
            while True:
                transport.read(memory.to_mutable_view(), shown[0])
        assert watch.seconds() < ranks.SOON and not transport.connected()
        transport.close()

    survivor, killed = ranks.run(2, body, clean=False)
    assert survivor is None, survivor
    assert isinstance(killed, ranks.Ended)


def test_what_is_withdrawn_is_refused_and_the_connection_goes_on():
    def body():
        first, second = pair()
        place = torch.zeros(4)
        source, memory, other = first.register_memory(torch.ones(4)), second.register_memory(place), second.register_memory(place)
        target, kept = given(memory), given(other)
        second.unregister_memory(memory)
        second.unregister_memory(memory)
        with pytest.raises(RuntimeError, match="memory.to_view|unregistered"):
            memory.to_view()
        for transfer in (first.write, first.read):
            with pytest.raises(RuntimeError, match="no memory of this key"):
                transfer(source.to_mutable_view(), target)
        assert place.sum() == 0 and first.write(source.to_view(), kept) == 0 and place.sum() == 4
        place.resize_(3)
        with pytest.raises(RuntimeError, match="resized"):
            first.write(source.to_view(), kept)
        second.close()
        with pytest.raises(RuntimeError, match="closed its transport"):
            first.write(source.to_view(), kept)
        first.close()
        for late in (first.bind, lambda: first.register_memory(place), lambda: first.unregister_memory(source)):
            with pytest.raises(RuntimeError, match="the transport is closed"):
                late()

    alone(body)


def test_misuse_is_refused_before_anything_is_sent():
    def body():
        first, second = pair()
        source, target = first.register_memory(torch.ones(4)), given(second.register_memory(torch.zeros(3)))
        third = transports.new_transport("anyccl", "cpu")
        foreign = given(third.register_memory(torch.zeros(9)))
        for expected, words, call in [
            (ValueError, "16 bytes do not fit", lambda: first.write(source.to_view(), target)),
            (ValueError, "not within memory of 16 bytes", lambda: source.to_view(8, 9)),
            (ValueError, "another endpoint", lambda: first.write(source.to_view(), foreign)),
            (ValueError, "not registered with this transport", lambda: second.write(source.to_view(), target)),
            (TypeError, "to_mutable_view", lambda: first.read(source.to_view(), target)),
            (TypeError, "register_memory", lambda: first.write(torch.ones(1), target)),
            (TypeError, "RemoteBuffer of the peer", lambda: first.write(source.to_view(), b"")),
            (RuntimeError, "has a peer already", lambda: first.connect(third.bind())),
            (RuntimeError, "no peer yet", lambda: third.write(third.register_memory(torch.ones(1)).to_view(), target)),
            (ValueError, "not what bind", lambda: third.connect(b"{}")),
            (ValueError, "contiguous", lambda: first.register_memory(torch.ones(4, 4).T)),
            (ValueError, "expected a tensor on cpu", lambda: third.register_memory(torch.ones(1, device="meta"))),
            (ValueError, "no RemoteBuffer", lambda: type(target).deserialize(target.serialize()[1:])),
            (ValueError, "accepted: seconds", lambda: first.close(timeout=-1)),
        ]:
            with pytest.raises(expected, match=words):
                call()
        for transport in (first, second, third):
            transport.close()

    alone(body)


def test_an_endpoint_that_is_gone_is_said_to_be():
    def body():
        gone = transports.new_transport("anyccl")
        url = gone.bind()
        gone.close()
        with pytest.raises(ConnectionError, match="is its process alive"):
            transports.new_transport("anyccl").connect(url)

    alone(body)


def test_strangers_are_not_received_and_others_come_meanwhile():
    def body():
        first, second = (transports.new_transport("anyccl", timeout=SECONDS) for _ in range(2))
        url = json.loads(first.bind())
        silent = socket.create_connection(("127.0.0.1", url["port"]))
        with socket.create_connection(("127.0.0.1", url["port"])) as stranger:
            stranger.sendall(bytes(4096))
            with suppress(ConnectionError):
                assert stranger.recv(1) == b""
        with pytest.raises(ConnectionError, match="no endpoint answers"):
            second.connect(json.dumps({**url, "secret": "guessed"}).encode())
        assert second.connect(json.dumps(url).encode()) == 0
        second.close()
        first.close()
        silent.close()

    alone(body)
