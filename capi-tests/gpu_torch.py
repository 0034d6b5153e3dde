"""One rank of PyTorch's nccl backend on device 0, which all ranks share: `make test-gpu` starts it with anyccl's libnccl.so.2."""

import os
from datetime import timedelta

import torch
import torch.distributed as dist

RANK, SIZE = int(os.environ["ANYCCL_RANK"]), int(os.environ["ANYCCL_WORLD_SIZE"])


def main():
    torch.cuda.set_device(0)
    dist.init_process_group("nccl", init_method=os.environ["TORCH_STORE"], rank=RANK, world_size=SIZE,
                            timeout=timedelta(seconds=120))
    for count in (1, 1000, 1 << 20):
        own = torch.full((count,), float(RANK + 1), device="cuda")
        dist.all_reduce(own)
        assert bool((own == SIZE * (SIZE + 1) / 2).all())
        parts = [torch.empty(count, device="cuda") for _ in range(SIZE)]
        dist.all_gather(parts, torch.full((count,), float(RANK), device="cuda"))
        assert all(bool((part == rank).all()) for rank, part in enumerate(parts))
        sent, got = torch.arange(SIZE * count, device="cuda") + RANK, torch.empty(SIZE * count, dtype=torch.int64, device="cuda")
        dist.all_to_all_single(got, sent)
        wanted = torch.cat([torch.arange(RANK * count, (RANK + 1) * count, device="cuda") + rank for rank in range(SIZE)])
        assert bool((got == wanted).all())
    dist.barrier()
    dist.destroy_process_group()
    print(f"rank {RANK} of {SIZE}: right")


if __name__ == "__main__":
    main()
