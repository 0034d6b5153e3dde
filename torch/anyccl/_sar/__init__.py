"""The parts of `anyccl.sar`.

    addresses   which address of this host others can use, and files that tell it
    state       the communication of this process: set up once, asked for ever after
    exchange    tensors from every rank to every rank
    parameters  parameters from one rank to all, gradients summed over all
"""
