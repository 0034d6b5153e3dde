"""The transport "anyccl" of torch.distributed: one-sided reads and writes of tensors, by shared memory or TCP.

    from torch.distributed._transport import new_transport
    with new_transport("anyccl") as transport:
        url = transport.bind()

torch has transports since 2.15, and says in `help(torch.distributed._transport.Transport)` what each call does. A
process that is bound answers its peers in threads of its own, so a program may do anything meanwhile.

    endpoint   how two endpoints meet
    memory     tensors that peers may use, and what names them
    service    answers one peer
    client     asks the peer
    transport  the class that torch finds
"""

from .memory import RemoteBuffer
from .transport import AnycclTransport

__all__ = ["AnycclTransport", "RemoteBuffer"]
