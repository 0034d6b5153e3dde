"""The release of torch that the extension was compiled for. It is found without importing torch."""

import importlib

# The first and the last release for which the extension was compiled; docs/torch-releases.md tells what was run with each.
# In the headers of all of them ProcessGroupGloo begins like AnycclBackend (backend.hpp), so that anyccl can serve the name
# gloo.
OLDEST, NEWEST = (2, 6), (2, 15)


def tried():
    """Returns "2.6 to 2.15", of OLDEST and NEWEST."""
    return " to ".join(".".join(map(str, release)) for release in (OLDEST, NEWEST))


def built_for():
    """Returns the package that has the extension, and the release of torch that it was compiled for. It is
    anyccl-torch, if that was installed. None: there is no extension."""
    for package in ("anyccl_torch", "anyccl"):
        try:
            return package, importlib.import_module(f"{package}._torch_version").BUILT_FOR
        except ModuleNotFoundError:
            pass
    return None, None


def mismatch(version):
    """Returns why the extension does not fit this release of torch, and what to do. None: it fits."""
    _, beside = built_for()
    if beside is not None and _minor(version) == _minor(beside):
        return None
    return (
        f"anyccl was installed {f'beside torch {beside}' if beside else 'without torch'}, and this is torch "
        f"{version}. Install it again with this one: pip install --force-reinstall --no-deps "
        "--no-build-isolation ./torch (in anyccl's sources), or anyccl-torch"
    )


def _minor(version):
    """Returns the major and minor number of a version: "2.15.0+cu132" gives ["2", "15"]."""
    return version.split("+")[0].split(".")[:2]
