#!/usr/bin/env python3
"""Checks that anyccl.hpp calls every function of anyccl.h. This script lists each exception with its reason.

    python3 capi-tests/header/cpp_complete.py [INCLUDE]
"""

import re
import sys
from pathlib import Path

# Functions of the C API that anyccl.hpp does not wrap, with the reason.
WITHOUT_A_WRAPPER = {
    "anyccl_init": "world::join calls anyccl_init_with, which does more",
    "anyccl_comm_abort": "abort() calls anyccl_comm_abort_with, which does more",
    "anyccl_is_initialized": "world is an object: it is there or not",
    "anyccl_rank": "world.rank()",
    "anyccl_world_size": "world.size()",
    "anyccl_local_rank": "world.local_rank()",
    "anyccl_local_size": "world.local_size()",
    "anyccl_version": "a number that cannot fail",
    "anyccl_version_string": "a text that cannot fail",
    "anyccl_status_string": "a text that cannot fail",
    "anyccl_datatype_name": "a text that cannot fail",
    "anyccl_reduce_op_name": "a text that cannot fail",
    "anyccl_datatype_bytes": "sizeof the element",
    "anyccl_set_log_callback": "a plain function, for the whole process",
    "anyccl_set_blocking_limit": "for bindings of languages that look after signals between calls",
    "anyccl_try_recv": "for such bindings, which receive objects of unknown length",
}


def main():
    root = Path(sys.argv[1] if len(sys.argv) > 1 else Path(__file__).resolve().parents[2] / "include") / "anyccl"
    included = re.findall(r"^#include <anyccl/(\w+\.h)>$", (root / "anyccl.h").read_text(), re.MULTILINE)
    chapters = "".join((root / name).read_text() for name in included)
    declared = re.findall(r"^(?:[\w ]+\**)\b(anyccl_\w+)\(", chapters, re.MULTILINE)
    if len(declared) < 100:
        sys.exit(f"only {len(declared)} functions found by {root / 'anyccl.h'}: is it still written like this?")
    wrappers = "\n".join(file.read_text() for file in sorted(root.glob("cpp/*.hpp")))
    code = re.sub(r"//.*", "", wrappers)
    called = set(re.findall(r"\banyccl_\w+", code))
    missing = [name for name in declared if name not in called and name not in WITHOUT_A_WRAPPER]
    needless = [name for name in WITHOUT_A_WRAPPER if name not in declared or name in called]
    for name in missing:
        print(f"{name} is in anyccl.h and not in anyccl.hpp: wrap it, or say in {Path(__file__).name} why not")
    for name in needless:
        print(f"{name} is excused in {Path(__file__).name}, but is wrapped, or is no function of anyccl.h")
    if missing or needless:
        sys.exit(1)
    print(f"{len(declared) - len(WITHOUT_A_WRAPPER)} of {len(declared)} functions have a wrapper")


if __name__ == "__main__":
    main()
