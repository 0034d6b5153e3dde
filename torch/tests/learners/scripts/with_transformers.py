"""Trains a model of Hugging Face's library by its Trainer.

    torchrun --nproc-per-node 2 with_transformers.py
"""

import tiny
import torch
import torch.distributed as dist
from transformers import GPT2Config, GPT2LMHeadModel, Trainer, TrainerCallback, TrainingArguments


class Rows(tiny.Data):
    def __getitem__(self, index):
        return {"input_ids": self.rows[index], "labels": self.rows[index]}


class Losses(TrainerCallback):
    def __init__(self):
        self.losses = []

    def on_log(self, arguments, state, control, logs, **_):
        if "loss" in logs:
            self.losses += [float(logs["loss"]), float(logs["grad_norm"])]


def main():
    arguments = TrainingArguments("unused", use_cpu=True, ddp_backend="gloo", per_device_train_batch_size=tiny.SAMPLES,
                                  num_train_epochs=1, logging_steps=1, learning_rate=tiny.RATE, save_strategy="no",
                                  report_to="none", disable_tqdm=True, seed=0)
    torch.manual_seed(0)
    model = GPT2LMHeadModel(GPT2Config(vocab_size=tiny.TOKENS, n_positions=2 * tiny.LENGTH, n_embd=tiny.WIDTH, n_layer=2,
                                       n_head=4, resid_pdrop=0.0, embd_pdrop=0.0, attn_pdrop=0.0))
    losses = Losses()
    Trainer(model, arguments, train_dataset=Rows(dist.get_world_size()), callbacks=[losses]).train()
    tiny.report(losses.losses)
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
