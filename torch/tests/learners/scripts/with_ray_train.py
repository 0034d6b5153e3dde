"""Trains by Ray Train, whose workers take gloo on CPUs.

    python with_ray_train.py 2
"""

import sys

import ray.train
import ray.train.torch
import tiny
import torch


def train():
    model = ray.train.torch.prepare_model(tiny.model())
    rows = torch.utils.data.DataLoader(tiny.Data(ray.train.get_context().get_world_size()), tiny.SAMPLES)
    optimizer = torch.optim.AdamW(model.parameters(), tiny.RATE)
    losses = []
    for tokens in ray.train.torch.prepare_data_loader(rows):
        optimizer.zero_grad()
        loss = model(tokens)
        loss.backward()
        optimizer.step()
        losses.append(tiny.mean(loss))
    tiny.report(losses)


def main():
    ranks = int(sys.argv[1])
    ray.init(num_cpus=ranks + 1, include_dashboard=False)
    ray.train.torch.TorchTrainer(train, scaling_config=ray.train.ScalingConfig(num_workers=ranks)).fit()


if __name__ == "__main__":
    main()
