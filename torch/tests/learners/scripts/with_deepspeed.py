"""Trains by DeepSpeed, with ZeRO of stage 2.

    deepspeed --num_accelerators 2 with_deepspeed.py
"""

import deepspeed
import tiny
import torch
import torch.distributed as dist
import turns

CONFIG = {
    "train_micro_batch_size_per_gpu": tiny.SAMPLES,
    "optimizer": {"type": "AdamW", "params": {"lr": tiny.RATE, "torch_adam": True}},
    "gradient_clipping": 1.0,
    "zero_optimization": {"stage": 2},
}


def main():
    deepspeed.init_distributed()
    model = tiny.model()
    engine, _, data, _ = deepspeed.initialize(model=model, model_parameters=model.parameters(), config=CONFIG,
                                              training_data=tiny.Data(dist.get_world_size()))
    losses = []
    for tokens in turns.take(data):
        loss = engine(tokens)
        engine.backward(loss)
        engine.step()
        losses.append(tiny.mean(loss))
    tiny.report(losses)
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
