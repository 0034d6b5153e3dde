"""Serves the backend "ccl" of torch.distributed by anyccl, for programs that import Intel's module of this
name.

    import oneccl_bindings_for_pytorch
    torch.distributed.init_process_group("ccl")

The module contains nothing of oneCCL. If Intel's package is installed too, the import fails, because a user
who installed that package wants it.

DeepSpeed takes this module for Intel's. It then compiles an operator that calls oneCCL, to use beside
torch.distributed. Without that operator, all its calls go through torch.distributed. So the module makes
DeepSpeed find no operator.
"""

import importlib.abc
import importlib.metadata
import importlib.util
import sys

__version__ = "0.1.0"
_OURS = "anyccl-ccl-compat"


def _refuse_to_shadow():
    owners = importlib.metadata.packages_distributions().get(__name__, [])
    if theirs := sorted({name for name in owners if name.lower().replace("_", "-") != _OURS}):
        raise ImportError(f"{', '.join(theirs)} is installed, and its module {__name__} is hidden by that of {_OURS}: uninstall "
                          "one of the two, and install the other anew")


def register():
    """Makes "ccl" known to torch.distributed. A second call does nothing. RuntimeError: another module serves
    "ccl"."""
    import torch.distributed as dist
    from anyccl import torch_backend

    known = dist.Backend._plugins.get("CCL")
    if known is not None:
        if known.creator_fn is not torch_backend.create:
            raise RuntimeError('another module has registered the backend "ccl" in this process')
        return
    dist.Backend.register_backend("ccl", torch_backend.create, extended_api=True, devices=torch_backend.DEVICES)


# The module of DeepSpeed that builds the operator. DeepSpeed imports it after this one, for which it looks
# when it chooses its accelerator.
_DEEPSPEED = "deepspeed.ops.op_builder.cpu.comm"


class _AfterDeepSpeed(importlib.abc.MetaPathFinder):
    """Finds that module like the other finders, and changes it after it has been executed."""

    def find_spec(self, name, path=None, target=None):
        if name != _DEEPSPEED:
            return None
        sys.meta_path.remove(self)
        spec = importlib.util.find_spec(name)
        if spec is not None and spec.loader is not None:
            execute = spec.loader.exec_module

            def exec_module(module):
                execute(module)
                _leave_out_the_operator(module)

            spec.loader.exec_module = exec_module
        return spec


def _leave_out_the_operator(module):
    """Makes the builder return None. deepspeed.comm.ccl.CCLBackend then uses torch.distributed alone."""
    module.CCLCommBuilder.load = lambda self, verbose=True: None


def _tell_deepspeed():
    if module := sys.modules.get(_DEEPSPEED):
        _leave_out_the_operator(module)
    else:
        sys.meta_path.insert(0, _AfterDeepSpeed())


_refuse_to_shadow()
register()
_tell_deepspeed()
