#!/usr/bin/env python3
"""Makes torch/anyccl/_capi/header.py, the C API for ctypes, from include/anyccl/anyccl.h and the chapters it
includes.

    python3 torch/bind_header.py           writes it
    python3 torch/bind_header.py --check   fails if it is not what the header gives

This is no parser of C: a generator makes the header, so its declarations always have the same form. Anything
that this script does not understand is an error, so nothing is left out silently.
"""

import argparse
import re
import sys
import textwrap
from pathlib import Path

HERE = Path(__file__).resolve().parent
INCLUDE = HERE.parent / "include"
TARGET = HERE / "anyccl" / "_capi" / "header.py"

SCALARS = {
    "void": "None",
    "int": "c_int",
    "int32_t": "c_int32",
    "int64_t": "c_int64",
    "size_t": "c_size_t",
    "double": "c_double",
    "char": "c_char",
    "unsigned char": "c_ubyte",
}
NUMBERS = ("int", "int32_t", "int64_t", "size_t")
# Enums and structs that have a name in Python.
CLASSES = {
    "anyccl_status": "Status",
    "anyccl_datatype": "Datatype",
    "anyccl_reduce_op": "ReduceOp",
    "anyccl_scalar": "Scalar",
    "anyccl_log_level": "LogLevel",
    "anyccl_mem_kind": "MemKind",
    "anyccl_wire": "Wire",
    "anyccl_config_t": "Config",
    "anyccl_unique_id_t": "UniqueId",
    "anyccl_mem_handle_t": "MemHandle",
    "anyccl_store_t": "Store",
    "anyccl_message_status_t": "MessageStatus",
}
PREFIXES = {"Status": "ANYCCL_", "Datatype": "ANYCCL_", "ReduceOp": "ANYCCL_", "Scalar": "ANYCCL_SCALAR_",
            "LogLevel": "ANYCCL_LOG_", "MemKind": "ANYCCL_MEM_", "Wire": "ANYCCL_WIRE_"}

HEAD = '''\
"""The C API for ctypes. Made from include/anyccl/anyccl.h by `python3 torch/bind_header.py`. Do not edit."""

from ctypes import CFUNCTYPE, POINTER, Structure, c_char_p, c_double, c_int, c_int32, c_int64, c_size_t, c_ubyte, c_void_p
from enum import IntEnum
'''


class NotUnderstood(Exception):
    """The header has a declaration that this script does not know."""


def chapters(name="anyccl/anyccl.h", seen=None):
    """Returns the text of a header. Each chapter that it includes stands in the place of its first include."""
    seen = {name} if seen is None else seen

    def included(match):
        if match[1] in seen:
            return ""
        seen.add(match[1])
        return chapters(match[1], seen)

    text = (INCLUDE / name).read_text(encoding="utf-8")
    return re.sub(r"^#include <(anyccl/\w+\.h)>$", included, text, flags=re.MULTILINE)


def without_comments(text):
    return re.sub(r"/\*.*?\*/", "", text, flags=re.DOTALL)


def wrapped(line, indent):
    return textwrap.fill(line, 118, subsequent_indent=" " * indent, break_long_words=False)


class Binding:
    """The declarations read so far, as lines of Python."""

    def __init__(self):
        self.types = dict(SCALARS)
        self.lines = []
        self.functions = []
        self.numbers = []

    def type(self, text):
        """Returns the ctypes name of a C type."""
        words = re.sub(r"\b(const|struct|enum)\b", "", text).replace("*", " * ").split()
        stars = words.count("*")
        base = " ".join(word for word in words if word != "*")
        if base not in self.types:
            raise NotUnderstood(f"type {text!r}")
        if base == "void":
            if stars == 0:
                return "None"
            return self.pointers("c_void_p", stars - 1)
        # Text to be read is bytes in Python. Memory to be filled is an address, like any other.
        if base == "char" and stars:
            return self.pointers("c_char_p" if "const" in text else "c_void_p", stars - 1)
        return self.pointers(self.types[base], stars)

    @staticmethod
    def pointers(name, stars):
        for _ in range(stars):
            name = f"POINTER({name})"
        return name

    def parameters(self, text):
        """Returns the types of a list of parameters."""
        if text.strip() == "void":
            return []
        return [self.type(re.fullmatch(r"(.*?)\w+", part.strip(), re.DOTALL)[1]) for part in text.split(",")]

    def enum(self, name, body):
        python = CLASSES[name]
        self.types[name] = "c_int"
        self.lines.append(f"\n\nclass {python}(IntEnum):")
        for member, value in re.findall(r"(\w+) = (-?\d+)", body):
            self.lines.append(f"    {member.removeprefix(PREFIXES[python])} = {value}")

    def struct(self, name, body):
        python = CLASSES[name]
        self.types[name] = python
        self.lines.append(f"\n\nclass {python}(Structure):\n    _fields_ = [")
        for declaration in filter(None, (part.strip() for part in body.split(";"))):
            match = re.fullmatch(r"(.*?)(\w+)(?:\[(\w+)\])?", declaration, re.DOTALL)
            kind = self.type(match[1])
            if match[3]:
                kind += f" * {match[3].removeprefix('ANYCCL_')}"
            self.lines.append(f'        ("{match[2]}", {kind}),')
        self.lines.append("    ]")

    def alias(self, kind, name):
        """Reads `typedef KIND NAME`."""
        if re.fullmatch(r"struct \w+ \*", kind):
            # A handle is a number that only the library interprets.
            self.types[name] = "c_void_p"
        elif not kind.startswith("struct "):
            self.types[name] = self.type(kind)

    def callback(self, result, name, parameters):
        types = ", ".join([self.type(result), *self.parameters(parameters)])
        python = name.removeprefix("anyccl_").removesuffix("_t")
        python = "".join(word.capitalize() for word in python.split("_"))
        self.types[name] = python
        self.lines.append("\n" + wrapped(f"{python} = CFUNCTYPE({types})", 4))

    def function(self, result, name, parameters):
        types = self.parameters(parameters)
        self.functions.append(wrapped(f'    "{name}": ({self.type(result)}, [{", ".join(types)}]),', 8))
        words = [part.split() for part in parameters.split(",")]
        numbers = {at: word[-1] for at, word in enumerate(words) if word[0] in NUMBERS and word[-1].isidentifier()}
        if numbers:
            self.numbers.append(wrapped(f'    "{name}": {numbers},'.replace("'", '"'), 8))


def bind(header):
    binding = Binding()
    version = [re.search(rf"#define ANYCCL_VERSION_{part} (\d+)", header)[1] for part in ("MAJOR", "MINOR", "PATCH")]
    binding.lines.append(f"VERSION = ({', '.join(version)})")
    binding.lines.append(f'__version__ = "{".".join(version)}"')
    for name, value in re.findall(r"^#define ANYCCL_(\w+) (-?\d+)$", header, re.MULTILINE):
        if not name.startswith("VERSION"):
            binding.lines.append(f"{name} = {value}")
    text = re.sub(r"^\s*#.*$", "", without_comments(header), flags=re.MULTILINE)
    text = re.sub(r"\bANYCCL_(NODISCARD|ENUM_TYPE|ENUM_SIZE)\b", "", text)
    text = re.sub(r'extern "C" \{|^\}\s*$', "", text, flags=re.MULTILINE)
    shapes = (
        (r"typedef enum (\w+) \{(.*?)\} \1", binding.enum),
        (r"typedef struct (\w+) \{(.*?)\} \1", binding.struct),
        (r"typedef ([\w ]+?) \(\*(\w+)\)\((.*?)\)", binding.callback),
        (r"typedef ((?:struct |enum )?\w+(?: \*)?) ?(\w+)", binding.alias),
        (r"((?:const )?(?:enum )?\w+(?: \*| )) ?(anyccl_\w+)\((.*?)\)", binding.function),
    )
    # A semicolon ends a declaration, except between the braces of a struct.
    for declaration in re.findall(r"(?:[^;{]|\{[^}]*\})+(?=;)", text):
        declaration = re.sub(r"\s+", " ", declaration).strip()
        for pattern, take in shapes:
            if match := re.fullmatch(pattern, declaration):
                take(*match.groups())
                break
        else:
            raise NotUnderstood(f"declaration {declaration!r}")
    functions = "\n\n# Result and arguments of every function.\nFUNCTIONS = {\n" + "\n".join(binding.functions) + "\n}\n"
    numbers = "\n# Place and name of each argument that is a number.\nNUMBERS = {\n" + "\n".join(binding.numbers) + "\n}\n"
    return HEAD + "\n" + "\n".join(binding.lines) + "\n" + functions + numbers


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--check", action="store_true", help="compare only")
    options = parser.parse_args()
    fresh = bind(chapters())
    if not options.check:
        TARGET.write_text(fresh, encoding="utf-8")
    elif TARGET.read_text(encoding="utf-8") != fresh:
        sys.exit(f"{TARGET.name} is not what anyccl.h gives: run `python3 torch/bind_header.py`")


if __name__ == "__main__":
    main()
