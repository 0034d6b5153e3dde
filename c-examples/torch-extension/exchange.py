"""A test of the operator of exchange.cpp: forwards, and backwards, where the gradients return to their ranks.

    anyccl run -n 2 python exchange.py
"""

import importlib.util

import anyccl
import torch

torch.ops.load_library(importlib.util.find_spec("example_exchange").origin)
exchange = torch.ops.example.exchange

# The gradient of a block from rank k goes back to rank k.
torch.library.register_autograd("example::exchange", lambda context, grad: exchange(grad))
# torch.compile learns the shape of the result from it.
torch.library.register_fake("example::exchange", torch.empty_like)


def main():
    with anyccl.Communicator.world() as comm:
        x = torch.arange(2.0 * comm.size).reshape(comm.size, 2) + 100 * comm.rank
        x.requires_grad_()
        y = exchange(x)
        weights = torch.full_like(y, comm.rank + 1.0)
        (y * weights).sum().backward()

        assert torch.equal(y, torch.tensor([[2.0 * comm.rank, 2.0 * comm.rank + 1]]) + 100 * torch.arange(comm.size)[:, None])
        # Block k of x went to rank k, which has multiplied it by k + 1.
        assert torch.equal(x.grad, (torch.arange(comm.size) + 1.0)[:, None].expand(-1, 2))
        print(f"rank {comm.rank}: got {y.detach().flatten().tolist()}, gradient {x.grad[:, 0].tolist()}", flush=True)


if __name__ == "__main__":
    main()
