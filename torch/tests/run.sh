#!/bin/sh
# All tests of this folder, or those that pytest's arguments name, in the environment of install.py.
here=$(cd "$(dirname "$0")" && pwd)
# From another folder: the sources beside this one are not what is tested.
cd "$here" && exec "${TORCH_VENV:-$here/../../target/torch-venv}/bin/python" -W ignore -m pytest -q --no-header -p no:cacheprovider "$@" .
