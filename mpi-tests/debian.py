"""Unpacks packages of Debian under target/, without installing them. Makes folders in which a library has the names that they need."""

import hashlib
import re
import shutil
import subprocess

from setting import WORK, pypi

SECONDS = 300
# Names of MPICH's library: Debian's, and the usual one.
NAMES = ["libmpich.so.12", "libmpi.so.12"]


def unpack(*packages):
    """Returns a folder with the files of these packages. Downloads them once, by apt-get. Raises pypi.Missing."""
    folder = WORK / "debian" / hashlib.sha256(" ".join(packages).encode()).hexdigest()[:8]
    home = pypi.kept(folder, *packages)
    with pypi.locked(home):
        if not home.exists():
            if not shutil.which("apt-get") or not shutil.which("dpkg-deb"):
                raise pypi.Missing("packages of Debian cannot be had: there is no apt-get, or no dpkg-deb")
            got, whole = home.with_suffix(".download"), home.with_suffix(".partial")
            for place in (got, whole):
                shutil.rmtree(place, ignore_errors=True)
                place.mkdir(parents=True)
            command(["apt-get", "--quiet", "download", *packages], got)
            for package in got.glob("*.deb"):
                command(["dpkg-deb", "--extract", package, whole], got)
            shutil.rmtree(got)
            whole.rename(home)
    return folder


def with_needed(package):
    """Returns the names of a package and of all packages that it needs and that are not installed."""
    if not shutil.which("apt-get"):
        return [package]
    would = subprocess.run(["apt-get", "--simulate", "--no-install-recommends", "install", package], capture_output=True, text=True)
    return sorted({package, *re.findall(r"^Inst (\S+)", would.stdout, re.M)})


def command(words, folder):
    try:
        subprocess.run([str(word) for word in words], cwd=folder, check=True, capture_output=True, text=True, timeout=SECONDS)
    except (subprocess.SubprocessError, OSError) as error:
        said = [line for line in (getattr(error, "stderr", None) or str(error)).splitlines() if not line.startswith("W:")]
        raise pypi.Missing(f"packages of Debian cannot be had: {said[-1] if said else error}") from None


def library_folder(root):
    """Returns the folder with the libraries of an unpacked package."""
    return next((root / "usr" / "lib").glob("*-linux-gnu"))


def named(library, more=()):
    """Returns a folder with links to the library, by each name in NAMES, and the links (name, file) of `more`."""
    key = f"{library.folder}{[*more]}"
    folder = WORK / "named" / hashlib.sha256(key.encode()).hexdigest()[:8]
    folder.mkdir(parents=True, exist_ok=True)
    for name, file in [*((name, library.folder / "libmpi.so.12") for name in NAMES), *more]:
        (folder / name).unlink(missing_ok=True)
        (folder / name).symlink_to(file.resolve())
    return folder
