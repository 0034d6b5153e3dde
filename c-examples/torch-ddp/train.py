"""Data-parallel training of a small convolutional net, with gloo and with anyccl side by side.

    torchrun --nproc-per-node 2 c-examples/torch-ddp/train.py c-examples/05-train/digits.csv.gz
    torchrun --nproc-per-node 2 c-examples/torch-ddp/train.py c-examples/05-train/digits.csv.gz --width 8192 --batch 240 --epochs 2

Two nets begin with the same weights and see the same samples. gloo averages the gradients of one net, anyccl those of the
other. Their steps take turns, so other load on the machine affects both alike. At the end the program prints the time of a
step, the accuracy on digits outside of the training, and how far gradients and weights of the two nets are apart.
"""

import argparse
import statistics
import time

import numpy
import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel

BACKENDS = ("gloo", "anyccl")
TRAINED_ON = 1500
# So many epochs reach the wanted accuracy. With fewer epochs only the times count.
EPOCHS, WANTED_ACCURACY = 14, 0.97


def load(path):
    """Returns the 8 x 8 images and their labels, shuffled: the file has the digits of one writer after those of another."""
    table = torch.from_numpy(numpy.loadtxt(path, delimiter=",", dtype="float32"))
    table = table[torch.randperm(len(table), generator=torch.Generator().manual_seed(0))]
    return table[:, :64].reshape(-1, 1, 8, 8) / 16, table[:, 64].long()


def net(width):
    return nn.Sequential(
        nn.Conv2d(1, 16, 3, padding=1),
        nn.ReLU(),
        nn.Conv2d(16, 32, 3, padding=1),
        nn.ReLU(),
        nn.MaxPool2d(2),
        nn.Flatten(),
        nn.Linear(32 * 4 * 4, width),
        nn.ReLU(),
        nn.Linear(width, 10),
    )


class Run:
    """A net, its optimizer, and the times of its steps."""

    def __init__(self, backend, width):
        torch.manual_seed(0)
        # Nothing else chooses the backend.
        self.model = DistributedDataParallel(net(width), process_group=dist.new_group(backend=backend))
        # More neurons need smaller steps. With large steps the last bit of a sum changes where the training ends.
        self.optimizer = torch.optim.SGD(self.model.parameters(), lr=0.1 * (64 / width) ** 0.5, momentum=0.9)
        self.seconds = []

    def step(self, images, labels):
        begun = time.perf_counter()
        self.optimizer.zero_grad()
        loss = nn.functional.cross_entropy(self.model(images), labels)
        loss.backward()
        self.optimizer.step()
        self.seconds.append(time.perf_counter() - begun)

    def gradient(self):
        return torch.cat([p.grad.flatten() for p in self.model.parameters()])

    @torch.no_grad()
    def accuracy(self, images, labels):
        return (self.model.module(images).argmax(dim=1) == labels).double().mean().item()


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("digits", help="05-train/digits.csv.gz, packed or not")
    parser.add_argument("--epochs", type=int, default=EPOCHS)
    parser.add_argument("--width", type=int, default=64, help="neurons of the hidden layer, each with 523 weights")
    parser.add_argument("--batch", type=int, default=60, help="samples of a step, of all ranks together")
    options = parser.parse_args()
    dist.init_process_group("gloo")
    torch.set_num_threads(1)
    rank, size = dist.get_rank(), dist.get_world_size()
    images, labels = load(options.digits)

    runs = {backend: Run(backend, options.width) for backend in BACKENDS}
    order = torch.Generator().manual_seed(1)
    apart = None
    for _ in range(options.epochs):
        shuffled = torch.randperm(TRAINED_ON, generator=order)
        for first in range(0, TRAINED_ON, options.batch):
            mine = shuffled[first : first + options.batch][rank::size]
            # The two nets begin in turns: the second one finds the samples in the caches.
            for run in runs.values() if first // options.batch % 2 else reversed(runs.values()):
                run.step(images[mine], labels[mine])
            if apart is None:
                # The nets were the same, so only the two averages differ.
                one, other = (run.gradient() for run in runs.values())
                apart = ((one - other).norm() / one.norm()).item()

    accuracies = {backend: run.accuracy(images[TRAINED_ON:], labels[TRAINED_ON:]) for backend, run in runs.items()}
    one, other = (torch.cat([p.detach().flatten() for p in run.model.parameters()]) for run in runs.values())
    if rank == 0:
        print(f"{size} ranks, {one.numel():,} weights, {options.batch} samples per step")
        for backend, run in runs.items():
            step = 1000 * statistics.median(run.seconds)
            print(f"{backend:6}  {step:6.2f} ms per step  accuracy {100 * accuracies[backend]:.1f} %")
        print(f"first gradient: difference of {apart:.1e}, as a share of its norm")
        print(f"largest difference of a weight: {(one - other).abs().max():.1e}")
    dist.destroy_process_group()
    if options.epochs >= EPOCHS and min(accuracies.values()) < WANTED_ACCURACY:
        raise SystemExit(f"does not learn: {accuracies}")


if __name__ == "__main__":
    main()
