"""Installs packages from PyPI for the tests, once, into virtual environments under target/.

Python may have neither pip nor ensurepip, as on Debian without python3-pip and python3-venv. Then pip comes from the index, too.

    python3 capi-tests/pypi.py FOLDER PACKAGE...

The index is the one that pip would use: PIP_INDEX_URL, the one in pip's configuration files, or PyPI. Several scripts may ask for
the same environment at the same time: one installs it, and the others wait.

If ANYCCL_CACHE names a folder, environments and what is built from packages lie there, under names with a hash of what they were
made from. target/ then has links to them, so the next clone finds them ready. The folder may be removed at any time.
"""

import base64
import configparser
import contextlib
import fcntl
import hashlib
import importlib.util
import os
import re
import ssl
import subprocess
import sys
import urllib.parse
import urllib.request
import venv
from pathlib import Path

TARGET = Path(__file__).resolve().parent.parent / "target"
PIP_WHEEL = "pip-26.3-py3-none-any.whl"
PIP_SHA256 = "f3b60b20ffaadd4415ed7957212a38ac63fa4c5fa375bd0f4a797777940fad13"
# PyTorch has 5 GB.
SECONDS = 1800


class Missing(Exception):
    """Raised with the reason why a package is not available."""


def setting(name, default=None):
    """Returns a setting of pip, from the environment or from pip's configuration files."""
    if value := os.environ.get(f"PIP_{name.upper().replace('-', '_')}"):
        return value
    files = configparser.RawConfigParser(strict=False)
    home = Path.home()
    config = Path(os.environ.get("XDG_CONFIG_HOME") or home / ".config")
    named = [os.environ["PIP_CONFIG_FILE"]] if "PIP_CONFIG_FILE" in os.environ else []
    # A later file overrides an earlier one.
    files.read(["/etc/pip.conf", home / ".pip" / "pip.conf", config / "pip" / "pip.conf", *named])
    return files.get("global", name, fallback=default)


def open_index(path, timeout):
    """Opens a page of the index, or a URL that the index has named."""
    url = urllib.parse.urljoin(setting("index-url", "https://pypi.org/simple").rstrip("/") + "/", path)
    parts, headers = urllib.parse.urlsplit(url), {"Accept": "text/html"}
    if parts.username:
        account = f"{urllib.parse.unquote(parts.username)}:{urllib.parse.unquote(parts.password or '')}"
        headers["Authorization"] = "Basic " + base64.b64encode(account.encode()).decode()
        url = parts._replace(netloc=parts.netloc.rpartition("@")[2]).geturl()
    request = urllib.request.Request(url, headers=headers)
    return urllib.request.urlopen(request, timeout=timeout, context=ssl.create_default_context(cafile=setting("cert")))


def why_unreachable(timeout=2):
    """Returns the reason why PyPI cannot be used, or None if it answers."""
    if setting("no-index"):
        return "pip's settings say no-index"
    try:
        with open_index("pip/", timeout):
            return None
    except OSError as error:
        return f"PyPI does not answer: {getattr(error, 'reason', None) or error}"


def pip_wheel():
    """Returns the wheel of pip, which Python can run without installing it."""
    file = TARGET / "pypi" / PIP_WHEEL
    with locked(file):
        if not file.exists():
            try:
                with open_index("pip/", 30) as answer:
                    page, base = answer.read().decode(), answer.url
                link = re.search(rf'href="([^"]*{re.escape(PIP_WHEEL)}[^"]*)"', page)
                if link is None:
                    raise Missing(f"the index has no {PIP_WHEEL}")
                with open_index(urllib.parse.urljoin(base, link[1].partition("#")[0]), SECONDS) as answer:
                    data = answer.read()
            except OSError as error:
                raise Missing(f"{PIP_WHEEL} cannot be had: {getattr(error, 'reason', None) or error}") from None
            if hashlib.sha256(data).hexdigest() != PIP_SHA256:
                raise Missing(f"{PIP_WHEEL} from the index is another file than the one this was written for")
            write_whole(file, data)
    return file


def write_whole(file, data):
    """Writes a file and renames it into place, so an interrupted run leaves no incomplete file."""
    partial = file.with_name(f"{file.name}.{os.getpid()}")
    partial.write_bytes(data)
    partial.replace(file)


@contextlib.contextmanager
def locked(path):
    """Holds a lock, so that only one process at a time makes `path`. The lock ends with the process."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with open(path.with_name(f".{path.name}.lock"), "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def pip(*words, python=sys.executable):
    """Runs the pip of `python`, or pip's wheel with `python`. A failure raises Missing with the last line of pip's errors."""
    has_pip = subprocess.run([python, "-c", "import pip"], capture_output=True, cwd="/").returncode == 0
    command = [python, "-m", "pip"] if has_pip else [python, pip_wheel() / "pip"]
    command += ["--quiet", "--disable-pip-version-check", *words]
    try:
        subprocess.run([str(word) for word in command], check=True, capture_output=True, text=True, timeout=SECONDS)
    except (subprocess.SubprocessError, OSError) as error:
        said = (getattr(error, "stderr", None) or str(error)).strip().splitlines()
        raise Missing(said[-1] if said else str(error)) from None


def download(package, folder):
    """Downloads the wheel of a package, without its dependencies, and returns its path."""
    pip("download", "--no-deps", "--only-binary", ":all:", "--dest", folder, package)
    return next(Path(folder).glob("*.whl"))


def make_environment(folder, *, clear=False):
    """Makes a virtual environment with pip, and returns its Python."""
    has_pip = importlib.util.find_spec("ensurepip") is not None
    venv.create(folder, with_pip=has_pip, clear=clear)
    python = Path(folder) / "bin" / "python"
    if not has_pip:
        pip("install", "--no-index", "--no-deps", pip_wheel(), python=python)
    return python


def kept(folder, *made_from):
    """Returns the place of `folder`, a folder in target/ that is made from things with these names or hashes.

    That is `folder` itself. With ANYCCL_CACHE, it is a folder there, and `folder` becomes a link to it."""
    cache = os.environ.get("ANYCCL_CACHE")
    if not cache or (folder.exists() and not folder.is_symlink()):
        return folder
    key = hashlib.sha256("\0".join([sys.executable, sys.version, *map(str, made_from)]).encode()).hexdigest()[:16]
    place = Path(cache).resolve() / f"{folder.absolute().relative_to(TARGET)}-{key}"
    place.parent.mkdir(parents=True, exist_ok=True)
    folder.parent.mkdir(parents=True, exist_ok=True)
    link = folder.with_name(f".{folder.name}.{os.getpid()}")
    link.symlink_to(place)
    link.replace(folder)
    return place


def environment(folder, packages, beside=()):
    """Returns the Python of a virtual environment with these packages. An environment with other packages is made anew.

    It also finds the packages in the folders `beside`, and pip installs none of them again."""
    beside = [str(place.resolve()) for place in beside]
    home, wanted = kept(folder, *packages, *beside), "\n".join([*packages, *beside])
    stamp = home / "installed.txt"
    with locked(home):
        if not stamp.exists() or stamp.read_text() != wanted:
            try:
                python = make_environment(home, clear=True)
                if beside:
                    next(home.glob("lib/python*/site-packages")).joinpath("beside.pth").write_text("\n".join(beside))
                pip("install", *packages, python=python)
            except (subprocess.SubprocessError, OSError, Missing) as error:
                raise Missing(f"{', '.join(packages)} cannot be installed: {error}") from None
            stamp.write_text(wanted)
    return folder / "bin" / "python"


if __name__ == "__main__":
    try:
        environment(Path(sys.argv[1]).absolute(), sys.argv[2:])
    except Missing as reason:
        sys.exit(str(reason))
