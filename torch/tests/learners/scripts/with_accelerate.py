"""Trains by Accelerate, which starts several ranks on CPUs by the mpirun of the PATH.

    accelerate launch --cpu --num_processes 2 --mpirun_hostfile HOSTS with_accelerate.py
"""

import tiny
import torch
import turns
from accelerate import Accelerator


def main():
    accelerator = Accelerator()
    data = torch.utils.data.DataLoader(tiny.Data(accelerator.num_processes), tiny.SAMPLES)
    model = tiny.model()
    model, optimizer, data = accelerator.prepare(model, torch.optim.AdamW(model.parameters(), tiny.RATE), data)
    losses = []
    for tokens in turns.take(data):
        loss = model(tokens)
        accelerator.backward(loss)
        accelerator.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        optimizer.zero_grad()
        losses.append(accelerator.gather(loss.detach().reshape(1)).mean().item())
    tiny.report(losses)
    accelerator.end_training()


if __name__ == "__main__":
    main()
