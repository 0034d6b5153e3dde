"""Makes a small model with random weights, and lets vLLM continue two prompts with it, by tensor parallelism on two workers.
The tokens are compared with those of transformers, which knows no ranks. The argument is a folder."""

import sys

import torch
import vllm
from transformers import LlamaConfig, LlamaForCausalLM

PROMPTS, NEW_TOKENS, RANKS = [[5, 9, 33, 7], [100, 200, 3]], 16, 2
WORDS = {"vocab_size": 512, "hidden_size": 256, "head_dim": 64, "intermediate_size": 512, "num_hidden_layers": 2,
         "num_attention_heads": 4, "num_key_value_heads": 2, "max_position_embeddings": 256, "bos_token_id": 1, "eos_token_id": None}


def expected(folder):
    """Saves the model. Returns the tokens that it adds to the prompts."""
    torch.manual_seed(1)
    model = LlamaForCausalLM(LlamaConfig(**WORDS)).float()
    model.save_pretrained(folder)
    return [model.generate(torch.tensor([prompt]), max_new_tokens=NEW_TOKENS, do_sample=False)[0, len(prompt):].tolist()
            for prompt in PROMPTS]


def generated(folder):
    model = vllm.LLM(folder, skip_tokenizer_init=True, tensor_parallel_size=RANKS, enforce_eager=True, dtype="float32",
                     kv_cache_memory_bytes=1 << 26, max_model_len=128)
    sampling = vllm.SamplingParams(temperature=0, max_tokens=NEW_TOKENS, detokenize=False, ignore_eos=True)
    prompts = [{"prompt_token_ids": prompt} for prompt in PROMPTS]
    served = model.collective_rpc(who_serves)
    return served, [list(request.outputs[0].token_ids) for request in model.generate(prompts, sampling, use_tqdm=False)]


def who_serves(_worker):
    from vllm.distributed import parallel_state

    return type(parallel_state.get_tp_group().device_communicator).__module__


def main():
    (folder,) = sys.argv[1:]
    right = expected(folder)
    served, got = generated(folder)
    assert served == ["anyccl.vllm.communicator"] * RANKS, served
    assert got == right, f"vLLM continues by {got}, and transformers by {right}"
    print("the model gave the right tokens")


if __name__ == "__main__":
    main()
