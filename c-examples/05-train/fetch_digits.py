"""Gets the handwritten digits: takes digits.csv out of scikit-learn's wheel.

    python3 fetch_digits.py TARGET.csv

Nothing of scikit-learn is installed or run. A file that is there already, with the right content, is kept; a copy in
an installed scikit-learn is used before anything is downloaded.
"""

import glob
import gzip
import hashlib
import importlib.util
import os
import subprocess
import sys
import tempfile
import zipfile

MEMBER = "datasets/data/digits.csv.gz"
# Of the unpacked file: 1797 lines, 64 pixels and a label each. It has been the same for many years.
SHA256 = "6ebb3d2fee246a4e99363262ddf8a00a3c41bee6014c373ed9d9216ba7f651b8"


def is_right(data):
    return hashlib.sha256(data).hexdigest() == SHA256


def from_installed_package():
    spec = importlib.util.find_spec("sklearn")
    for folder in (spec.submodule_search_locations or []) if spec else []:
        path = os.path.join(folder, MEMBER)
        if os.path.exists(path):
            with gzip.open(path) as file:
                return file.read()
    return None


def from_downloaded_wheel():
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "pip", "download", "scikit-learn", "--no-deps", "--only-binary=:all:",
                   "--disable-pip-version-check", "--quiet", "--dest", folder]
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        wheels = glob.glob(os.path.join(folder, "*.whl"))
        if done.returncode != 0 or not wheels:
            sys.exit(f"fetch_digits: pip could not download scikit-learn, whose wheel holds the digits:\n{done.stdout}"
                     "Put digits.csv at the target path yourself to do without the download.")
        with zipfile.ZipFile(wheels[0]) as wheel:
            return gzip.decompress(wheel.read("sklearn/" + MEMBER))


def main():
    if len(sys.argv) != 2:
        sys.exit("usage: fetch_digits.py TARGET.csv")
    target = sys.argv[1]
    if os.path.exists(target):
        with open(target, "rb") as file:
            if is_right(file.read()):
                return
    data = from_installed_package() or from_downloaded_wheel()
    if not is_right(data):
        sys.exit("fetch_digits: scikit-learn's digits.csv is not the file this example was written for")
    os.makedirs(os.path.dirname(os.path.abspath(target)), exist_ok=True)
    # Renamed into place, so that an interrupted run leaves no half a file.
    partial = f"{target}.{os.getpid()}"
    with open(partial, "wb") as file:
        file.write(data)
    os.replace(partial, target)


if __name__ == "__main__":
    main()
