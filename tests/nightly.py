"""Whether the toolchain nightly of Rust is here, with the components that a part of the long tests needs."""

import shutil
import subprocess

# The components that the parts of `make test-long` need.
NEEDED = {"miri": ("miri", "rust-src"), "asan": (), "tsan": ("rust-src",)}


def why_missing(*components):
    """The sentence that tells what is missing and how it is installed, or None."""
    if not shutil.which("rustup"):
        return "rustup is missing, which chooses the toolchain nightly: https://rustup.rs"
    installed = subprocess.run(["rustup", "component", "list", "--toolchain", "nightly", "--installed"], text=True, check=False,
                               capture_output=True).stdout.splitlines()
    missing = [name for name in ("rustc", *components) if not any(line.startswith(name) for line in installed)]
    if not missing:
        return None
    words = "".join(f" --component {name}" for name in components)
    return f"{' and '.join(missing)} of the toolchain nightly is missing: rustup toolchain install nightly{words}"
