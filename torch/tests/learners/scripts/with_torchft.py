"""Trains one replica by torchft, which takes part in steps while its lighthouse knows of it.

    torchft_lighthouse --min_replicas 2
    TORCHFT_LIGHTHOUSE=http://localhost:29510 REPLICA_GROUP_ID=0 NUM_REPLICA_GROUPS=2 torchrun --nproc-per-node 1 with_torchft.py
"""

import os

import tiny
import torch
from torchft import DistributedDataParallel, DistributedSampler, Manager, Optimizer, ProcessGroupGloo


def main():
    replica, replicas = int(os.environ["REPLICA_GROUP_ID"]), int(os.environ["NUM_REPLICA_GROUPS"])
    group, model = ProcessGroupGloo(), tiny.model()
    manager = Manager(group, model.load_state_dict, model.state_dict, replicas, replica_id=f"replica-{replica}", init_sync=False)
    optimizer = Optimizer(manager, torch.optim.AdamW(model.parameters(), tiny.RATE))
    model = DistributedDataParallel(manager, model)
    rows = tiny.Data(replicas)
    sampler = DistributedSampler(rows, replica, replicas, group_rank=0, num_replicas=1, shuffle=False)
    losses = []
    for tokens in torch.utils.data.DataLoader(rows, tiny.SAMPLES, sampler=sampler):
        optimizer.zero_grad()
        loss = model(tokens)
        loss.backward()
        optimizer.step()
        loss = loss.detach().clone()
        manager.allreduce(loss).wait()
        losses.append(loss.item())
    tiny.report(losses, group.getBackendName(), replica, group._pg)
    manager.shutdown(wait=False)


if __name__ == "__main__":
    main()
