"""The parts of `anyccl.sar`.

    addresses   the address by which other hosts reach this one, and files that tell it
    state       the communication of this process, set up once
    exchange    tensors from every rank to every rank
    parameters  parameters from one rank to all, gradients summed over all
"""
