"""Trains by Lightning, which starts the other ranks.

    python with_lightning.py 2
"""

import sys

import lightning
import tiny
import torch


class Module(lightning.LightningModule):
    def __init__(self):
        super().__init__()
        self.model, self.losses = tiny.model(), []

    def training_step(self, tokens):
        loss = self.model(tokens)
        self.losses.append(tiny.mean(loss))
        return loss

    def configure_optimizers(self):
        return torch.optim.AdamW(self.parameters(), tiny.RATE)


class Report(lightning.Callback):
    def on_train_end(self, trainer, module):
        tiny.report(module.losses)


def main():
    ranks = int(sys.argv[1])
    trainer = lightning.Trainer(accelerator="cpu", strategy="ddp", devices=ranks, max_epochs=1, callbacks=[Report()],
                                logger=False, enable_checkpointing=False, enable_progress_bar=False,
                                enable_model_summary=False)
    trainer.fit(Module(), torch.utils.data.DataLoader(tiny.Data(ranks), tiny.SAMPLES))


if __name__ == "__main__":
    main()
