"""Keeps what cargo has built of other people's crates in ANYCCL_CACHE, for the next clone.

Such a crate is the same in every clone: it depends on Cargo.lock, the profiles, the compiler and the flags. The name of the folder
has a hash of these. Crates of the workspace are built in each clone.
"""

import hashlib
import json
import os
import shutil
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
BUILT = ROOT / "target" / "debug"
# cargo has files of each crate in all of them.
FOLDERS = ("deps", "build", ".fingerprint")


def place():
    """Returns the folder of these crates, which may not exist yet. None: nothing is kept."""
    cache = os.environ.get("ANYCCL_CACHE")
    if not cache or "CARGO_TARGET_DIR" in os.environ:
        return None
    made_from = [(ROOT / name).read_text() for name in ("Cargo.lock", "Cargo.toml", ".cargo/config.toml")]
    made_from.append(subprocess.run(["rustc", "-vV"], cwd=ROOT, capture_output=True, text=True, check=True).stdout)
    made_from += [os.environ.get(name, "") for name in ("RUSTFLAGS", "CARGO_ENCODED_RUSTFLAGS", "RUSTC_WRAPPER")]
    key = hashlib.sha256("\0".join(made_from).encode()).hexdigest()[:16]
    return Path(cache).resolve() / f"crates-{key}"


def names_of_workspace():
    """Returns the names of packages and targets of the workspace."""
    command = ["cargo", "metadata", "--no-deps", "--offline", "--format-version=1"]
    packages = json.loads(subprocess.run(command, cwd=ROOT, capture_output=True, check=True).stdout)["packages"]
    targets = {target["name"] for package in packages for target in package["targets"]}
    return {name.replace("-", "_") for name in targets | {package["name"] for package in packages}}


def crate(file):
    """Returns the name of the crate that a file or folder of cargo belongs to."""
    name = file.rpartition("-")[0].replace("-", "_")
    return name.removeprefix("lib") if file.startswith("lib") and "." in file else name


def copy(source, target, left_out):
    """Copies files with their times, by which cargo tells what is out of date."""
    for folder in FOLDERS:
        (target / folder).mkdir(parents=True, exist_ok=True)
        for entry in os.scandir(source / folder):
            if crate(entry.name) in left_out:
                continue
            if entry.is_dir():
                shutil.copytree(entry.path, target / folder / entry.name)
            else:
                shutil.copy2(entry.path, target / folder / entry.name)


def restore():
    """Fills an empty build folder."""
    kept = place()
    if kept and kept.exists() and not BUILT.exists():
        copy(kept, BUILT, set())
        print(f"crates that the workspace depends on are built already: {kept}", flush=True)


def keep():
    """Keeps the crates of a build folder, if they are not kept yet."""
    kept = place()
    if not kept or kept.exists():
        return
    partial = kept.with_name(f".{kept.name}.{os.getpid()}")
    try:
        copy(BUILT, partial, names_of_workspace())
        partial.rename(kept)
    except OSError as error:
        # Another clone was quicker, or the disk is full. The next run builds the crates again.
        print(f"built crates are not kept: {error}", flush=True)
        shutil.rmtree(partial, ignore_errors=True)
