"""Serves the backend "ccl" of torch.distributed by anyccl, for programs that import Intel's module of this name.

    import oneccl_bindings_for_pytorch
    torch.distributed.init_process_group("ccl")

Nothing of oneCCL is in it. Where Intel's package is installed too it refuses to be imported: whoever installed that wants
that.
"""

import importlib.metadata

__version__ = "0.1.0"
_OURS = "anyccl-ccl-compat"


def _refuse_to_shadow():
    owners = importlib.metadata.packages_distributions().get(__name__, [])
    if theirs := sorted({name for name in owners if name.lower().replace("_", "-") != _OURS}):
        raise ImportError(f"{', '.join(theirs)} is installed, and its module {__name__} is hidden by that of {_OURS}: uninstall "
                          "one of the two, and install the other anew")


def register():
    """Makes "ccl" known to torch.distributed; again does nothing. RuntimeError: somebody else serves it."""
    import torch.distributed as dist
    from anyccl import torch_backend

    known = dist.Backend._plugins.get("CCL")
    if known is not None:
        if known.creator_fn is not torch_backend._create:
            raise RuntimeError('another module has registered the backend "ccl" in this process')
        return
    dist.Backend.register_backend("ccl", torch_backend._create, extended_api=True, devices=torch_backend.DEVICES)


_refuse_to_shadow()
register()
