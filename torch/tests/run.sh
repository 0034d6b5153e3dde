#!/bin/sh
# Runs all tests of this folder, or those that pytest's arguments name, in the environment of install.py.
here=$(cd "$(dirname "$0")" && pwd)
# From this folder, where `import anyccl` finds the installed package and not the sources.
cd "$here" && exec "${TORCH_VENV:-$here/../../target/torch-venv}/bin/python" -W ignore -m pytest -q --no-header -p no:cacheprovider "$@"
