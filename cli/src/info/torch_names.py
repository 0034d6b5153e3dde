"""Prints as JSON who serves the names of backends in this Python's torch. The tool gives it to python -c."""

import json
import os
import sys


def rows(dist):
    standing_in = sys.modules.get("anyccl._torch_gloo")
    for name in dist.Backend.backend_list:
        plugin = dist.Backend._plugins.get(name.upper())
        is_available = getattr(dist, f"is_{name}_available", lambda: True)
        if name in ("undefined", "fake") or not (plugin or is_available()):
            continue
        by = plugin.creator_fn.__module__.partition(".")[0] if plugin else "torch"
        if name == "gloo" and standing_in:
            by = "anyccl"
        yield {"name": name, "served_by": by, "devices": dist.Backend.backend_capability.get(name, [])}


answer = {"python": sys.executable, "torch": None, "names": [], "error": None,
          "ANYCCL_TORCH_AS": os.environ.get("ANYCCL_TORCH_AS")}
try:
    import torch
    import torch.distributed

    answer["torch"] = torch.__version__
    answer["names"] = list(rows(torch.distributed))
except Exception as error:
    answer["error"] = str(error.__cause__ or error)
print(json.dumps(answer))
