"""Communicators for Python: collectives and messages without torch and without NumPy.

Methods in upper case take NumPy arrays, tensors in host memory, and any object with the buffer protocol or
DLPack. Methods in lower case take any object that can be pickled.

    import anyccl, numpy
    with anyccl.Communicator.world() as comm:
        sums = numpy.empty(3)
        comm.Allreduce(numpy.full(3, comm.rank + 1.0), sums)

Run it by `anyccl run -n 4 python program.py`, mpiexec, torchrun or srun. docs/python.md tells the rest.
"""

import os
import traceback
from ctypes import byref, c_int

from ._arrays import gpu
from ._capi import check, header, load
from ._capi.errors import Error, briefly, called, rank_or_tag
from ._capi.fast_path import WITHOUT_EXTENSION, calls_of
from ._communicator.arrivals import Arrivals
from ._communicator.collectives import Collectives
from ._communicator.core import Core, assembled
from ._communicator.messages import Messages
from ._communicator.objects import Objects
from ._communicator.unequal import Unequal
from ._communicator.starting import StoreAdapter, created, id_of, seconds_of, settings
from ._communicator.waiting import interruptibly

COLOR_NONE = header.COLOR_NONE


@assembled(Core, Collectives, Unequal, Messages, Objects)
class Communicator:
    """Ranks that make calls together.

    Made by world(), from_id(), from_store(), from_file(), or from another communicator.

    Methods in upper case take arrays: of NumPy, CuPy, PyTorch, JAX, or anything with the buffer protocol or DLPack. A
    send buffer may have any strides. A receive buffer must be contiguous and writable. Lengths are in elements. A
    blocking method uses its buffers until it returns. A method that starts with I returns a Request and uses them until
    that has ended.

    Methods in lower case take any object that can be pickled.

    Collective methods are called by all ranks, in the same order and with arguments that fit. Every error is an
    anyccl.Error. InvalidArgumentError means that nothing was sent. After PeerLostError, TimeoutError, MismatchError and
    AbortedError the communicator has failed: use shrink() or close().
    """

    _world = None

    @classmethod
    def world(cls, *, timeout=None, name=None, interface=None, backend=None, for_devices=False):
        """Returns the communicator of the job that the environment describes. Without a launcher, it has this
        process alone.

        The first call is collective. Later calls return the same communicator and ignore their arguments.
        timeout: seconds that a wait may last without progress; interface: as ANYCCL_SOCKET_IFNAME; backend:
        as ANYCCL_BACKEND; for_devices: whether it is made for memory of GPUs (docs/gpu.md).
        """
        if cls._world is None or cls._world._is_closed or cls._world._process != os.getpid():
            config = settings(timeout, name, interface, backend, for_devices)
            interruptibly(lambda: check(load(), load().anyccl_init_with(byref(config))))
            cls._world = cls(None, seconds_of(config), is_world=True)
            cls._world._process = os.getpid()
        return cls._world

    @classmethod
    def from_id(cls, unique_id, size, rank, *, timeout=None, name=None, interface=None, backend=None, for_devices=False):
        """Joins the communicator of an id that anyccl.unique_id() has made. Collective."""
        config = settings(timeout, name, interface, backend, for_devices)
        handle = created("comm_create", byref(id_of(unique_id)), size, rank, byref(config), rank=rank)
        return cls(handle, seconds_of(config))

    @classmethod
    def from_store(cls, store, size, rank, *, timeout=None, name=None, interface=None, backend=None, for_devices=False):
        """Joins the ranks that share a store: an object with set(key, value) and get(key), such as a store of
        torch.distributed. Collective. The store is used during the call only."""
        config, adapter = settings(timeout, name, interface, backend, for_devices), StoreAdapter(store)
        try:
            handle = created("comm_create_with_store", byref(adapter.struct), size, rank, byref(config), rank=rank,
                             on_interrupt=adapter.give_up)
        except Error as error:
            raise error from adapter.failure
        return cls(handle, seconds_of(config))

    @classmethod
    def from_file(cls, path, size, rank, *, timeout=None, name=None, interface=None, backend=None, for_devices=False):
        """Joins the ranks that name the same file, on a file system that all of them see. Collective. A file
        that an earlier run has left there does no harm."""
        config, made = settings(timeout, name, interface, backend, for_devices), header.UniqueId()
        interruptibly(lambda: check(load(), called(
            load(), "anyccl_unique_id_exchange_by_file", os.fsencode(path), size, rank, byref(config), byref(made), None), rank))
        handle = created("comm_create", byref(made), size, rank, byref(config), rank=rank)
        return cls(handle, seconds_of(config))

    def __init__(self, handle, timeout, is_world=False, is_derived=False):
        Core.__init__(self, handle, timeout, is_world, is_derived)
        self._arrivals = Arrivals(self)

    @property
    def rank(self):
        """This rank: 0 to size - 1."""
        return self._rank

    @property
    def size(self):
        """The number of ranks."""
        return self._size

    @property
    def local_rank(self):
        """This rank's position among those of the same host."""
        return self._number("local_rank")

    @property
    def local_size(self):
        """The number of ranks on this host."""
        return self._number("local_size")

    def split(self, color, key=0, *, timeout=None, name=None):
        """Splits the communicator: ranks with the same color form a new one, in the order of key. With a
        color of None, this rank joins none and gets None. Collective."""
        color = COLOR_NONE if color is None else color
        return self._derived("comm_split", color, key, timeout=timeout, name=name)

    def split_by_host(self, *, timeout=None, name=None):
        """Splits the communicator by hosts. Collective."""
        return self._derived("comm_split_by_host", timeout=timeout, name=name)

    def dup(self, *, timeout=None, name=None):
        """Makes another communicator of the same ranks, with separate traffic. Collective."""
        return self._derived("comm_dup", timeout=timeout, name=name)

    def create_from_ranks(self, ranks, *, timeout=None, name=None):
        """Makes a communicator of some ranks, in the order of the list; the other ranks get None. Collective
        over all ranks of this communicator."""
        ranks = [rank_or_tag(rank, "rank") for rank in ranks]
        numbers = (c_int * len(ranks))(*ranks)
        return self._derived("comm_create_from_ranks", numbers, len(ranks), timeout=timeout, name=name)

    def shrink(self, *, timeout=None, name=None):
        """Makes a communicator of the ranks that are still alive, after a failure. Collective over these
        ranks."""
        return self._derived("comm_shrink", timeout=timeout, name=name)

    @briefly
    def _derived(self, function, *arguments, timeout, name):
        config = settings(timeout, name)
        handle = created(function, self._handle, *arguments, byref(config), rank=self._rank)
        seconds = self._timeout if timeout is None else seconds_of(config)
        return None if handle == 1 else type(self)(handle, seconds, is_derived=True)  # 1: ANYCCL_COMM_NONE

    def set_stream(self, stream):
        """Puts calls that have buffers on a GPU into a stream of CUDA, from now on: one of CuPy, PyTorch, Numba or
        cuda-core, or the address of a CUstream. A blocking call then returns when it is enqueued. Local."""
        number = gpu.stream_number(stream)
        self._check(self._library.anyccl_comm_set_stream(self._handle, number))
        self._stream = number
        # The extension waits for calls that are in no stream, and the library does not limit its waits then.
        self._sweep()
        self._fast = WITHOUT_EXTENSION

    def unset_stream(self):
        """Ends the effect of set_stream(). Calls that are in the stream stay there."""
        self._check(self._library.anyccl_comm_unset_stream(self._handle))
        self._stream = None
        self._fast = calls_of(self._handle, self._rank, self._size)

    def failure(self):
        """Returns why calls on the communicator fail, as an exception; None as long as it works."""
        try:
            self._check(self._library.anyccl_comm_failure(self._handle))
        except Error as error:
            return error
        return None

    def abort(self, reason="abort() was called"):
        """Fails the communicator on all ranks. Calls that wait, in any thread, end by AbortedError, whose
        sentence quotes the reason. No process is ended."""
        self._check(self._library.anyccl_comm_abort_with(self._handle, str(reason).encode(errors="replace")))

    def close(self):
        """Leaves the communicator. All ranks together close the world and a communicator of from_id,
        from_store or from_file. A communicator that was made from another one is closed by this rank alone. Waits for
        requests that the program has dropped. A second call does nothing."""
        if self._is_closed:
            return
        self._finish_dropped()
        if self._is_world:
            interruptibly(lambda: self._check(self._library.anyccl_finalize()))
        elif self._is_derived:
            self._check(self._library.anyccl_comm_destroy(self._handle))
        else:
            interruptibly(lambda: self._check(self._library.anyccl_comm_destroy(self._handle)))
        self._is_closed = True

    def __enter__(self):
        return self

    def __exit__(self, kind, value, _trace):
        # sys.exit() without an error is an end like any other.
        if kind is None or isinstance(value, SystemExit) and not value.code:
            return self.close()
        # Ends the waits of the other ranks: this rank makes no more calls.
        try:
            what = " ".join(traceback.format_exception_only(kind, value)[-1].split())
            self.abort(f"its with block ended by {what}")
            self.close()
        except Error:
            pass  # The exception that ended the block says more.
        return None

    def __repr__(self):
        state = "closed" if self._is_closed else f"rank {self._rank} of {self._size}"
        return f"<anyccl.Communicator {state}>"

    # Names of mpi4py.
    def Get_rank(self):
        """Returns this rank: 0 to size - 1."""
        return self._rank

    def Get_size(self):
        """Returns the number of ranks."""
        return self._size

    def Split(self, color, key=0):
        """Splits the communicator: split() under the name of mpi4py."""
        return self.split(color, key)

    def Dup(self):
        """Makes another communicator of the same ranks: dup() under the name of mpi4py."""
        return self.dup()

    def Free(self):
        """Leaves the communicator: close() under the name of mpi4py."""
        self.close()

    def Abort(self):
        """Fails the communicator on all ranks: abort() under the name of mpi4py. No process is ended."""
        self.abort()
