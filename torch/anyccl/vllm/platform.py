"""vLLM's platform for CPUs, with anyccl as the backend of its groups.

An unsuitable vLLM is refused here: an exception ends the program. What `register()` raises would only be in vLLM's log
for debugging, and vLLM would go on without the plug-in.
"""

from . import NAME, refusal


def _cpu_platform():
    """Returns the class that vLLM takes on this machine without plug-ins: the one for CPUs, or one derived from it."""
    try:
        from vllm.platforms import cpu_platform_plugin
        from vllm.utils.import_utils import resolve_obj_by_qualname
    except ImportError as missing:
        raise refusal(missing) from None
    name = cpu_platform_plugin()
    if name is None:
        raise refusal("it was built for GPUs, and the plug-in is for CPUs")
    platform = resolve_obj_by_qualname(name)
    for attribute in ("dist_backend", "get_device_communicator_cls"):
        if not hasattr(platform, attribute):
            raise refusal(f"{name} has no {attribute}")
    return platform


class Platform(_cpu_platform()):
    """CPUs whose groups are those of anyccl."""

    dist_backend = NAME

    @classmethod
    def get_device_communicator_cls(cls):
        """Returns the name of the communicator's class."""
        return f"{__package__}.communicator.Communicator"
