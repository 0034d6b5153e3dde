"""The extension of anyccl for torch.distributed. Nothing here is to be imported by programs."""
