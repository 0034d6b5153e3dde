#!/usr/bin/env python3
"""Makes the page "Python reference" of the site, as Doxygen reads it.

    python3 docs/site/python.py         prints it

The signatures are those of torch/anyccl/__init__.pyi. The texts are the docstrings of the package, which is imported for them: that
opens no library and needs no torch.
"""

import ast
import enum
import html
import inspect
import re
import sys
import textwrap
from pathlib import Path

PACKAGE = Path(__file__).resolve().parents[2] / "torch"
NAME = "page_python_reference"
# The classes that a program uses most. The others follow the functions.
FIRST = ["Communicator", "Request", "Status", "Op"]
# A line of a docstring that describes parameters.
PARAMETER = re.compile(r"([a-z_]+(?:, [a-z_]+)*): +(\S.*)")


def package():
    """The module anyccl of this tree."""
    sys.dont_write_bytecode = True
    sys.path.insert(0, str(PACKAGE))
    try:
        import anyccl
    finally:
        sys.path.remove(str(PACKAGE))
    return anyccl


def inline(text):
    """A line of text, as HTML: what stands in backquotes, and calls, as code."""
    return re.sub(r"`([^`]+)`|(?<![\w.])((?:\w+\.)*\w+\(\))", lambda match: f"<code>{match[1] or match[2]}</code>",
                  html.escape(text, quote=False))


def paragraph(lines):
    """A paragraph of a docstring, as HTML: code if it is indented, a list if it describes parameters."""
    if all(line.startswith("    ") for line in lines):
        return f'<pre class="fragment">{html.escape(textwrap.dedent(chr(10).join(lines)))}</pre>'
    items, before = [], []
    for line in lines:
        if match := PARAMETER.fullmatch(line):
            items.append(list(match.groups()))
        elif items:
            items[-1][1] += " " + line.strip()
        else:
            before.append(line)
    shown = f"<p>{inline(' '.join(before))}</p>" if before else ""
    if items:
        shown += "<dl>" + "".join(f"<dt><code>{names}</code></dt><dd>{inline(text)}</dd>" for names, text in items) + "</dl>"
    return shown


def described(thing):
    """The docstring of a thing, as HTML. The text of an enumeration is Python's own."""
    text = "" if isinstance(thing, enum.EnumMeta) else inspect.getdoc(thing)
    parts = re.split(r"\n\s*\n", text) if text else []
    return "\n".join(paragraph(part.splitlines()) for part in parts)


def raw(text):
    """HTML, past Doxygen, which would take names in it for those of C."""
    return f"\\htmlonly[block]\n{text}\n\\endhtmlonly\n"


def code(text):
    return f'<pre class="fragment">{html.escape(text)}</pre>'


def signature(function, width=100):
    """The head of a function, on several lines if it is long."""
    decorators = "".join(f"@{ast.unparse(one)}\n" for one in function.decorator_list)
    returns = f" -> {ast.unparse(function.returns)}"
    words = ast.unparse(function.args).replace("=", " = ")
    line = f"def {function.name}({words}){returns}"
    if len(line) > width:
        # Commas within brackets separate no parameters.
        line = f"def {function.name}(\n    " + ",\n    ".join(re.split(r", (?![^\[(]*[\])])", words)) + f",\n){returns}"
    return decorators + line


def member(owner, function, level, prefix):
    """The section of a function or a method."""
    return (f"\\{level} {prefix}_{function.name} {function.name}\n"
            + raw(f"{code(signature(function))}\n{described(getattr(owner, function.name))}"))


def kind(module, node):
    """The section of a class."""
    thing = getattr(module, node.name)
    bases = ", ".join(ast.unparse(base) for base in node.bases)
    fields = [ast.unparse(one) for one in node.body if isinstance(one, (ast.Assign, ast.AnnAssign))]
    head = f"class {node.name}({bases})" if bases else f"class {node.name}"
    if fields:
        head = "\n    ".join([f"{head}:", *fields])
    methods = [one for one in node.body if isinstance(one, ast.FunctionDef) and not one.name.startswith("_")]
    return "\n".join([f"\\section py_{node.name} {node.name}\n" + raw(f"{code(head)}\n{described(thing)}"),
                      *(member(thing, method, "subsection", f"py_{node.name}") for method in methods)])


def page():
    """The page."""
    module, stub = package(), (PACKAGE / "anyccl" / "__init__.pyi").read_text(encoding="utf-8")
    nodes = ast.parse(stub).body
    classes = {node.name: kind(module, node) for node in nodes if isinstance(node, ast.ClassDef) and not node.name.startswith("_")}
    functions = [member(module, node, "subsection", "py") for node in nodes if isinstance(node, ast.FunctionDef)]
    values = [ast.unparse(node) for node in nodes if isinstance(node, ast.AnnAssign) and not node.target.id.startswith("_")]
    # An alias of a type stands in signatures. The comment above it says what it takes.
    aliases = re.findall(r"^(?:# .*\n)*_\w+: TypeAlias = .*", stub, re.MULTILINE)
    intro = """\
The names of the package `anyccl`, with their types. \\ref page_python "Python without PyTorch" is a tutorial, and
\\ref page_torch "PyTorch" describes the backend of `torch.distributed`. In a program, `help(anyccl.Communicator)` shows the same
texts.
"""
    parts = [f"\\page {NAME} Python reference\n{intro}",
             *(classes.pop(name) for name in FIRST),
             "\\section py_functions Functions\n", *functions,
             "\\section py_values Values\n" + raw(code("\n".join(values))),
             "\\section py_types Types in signatures\n" + raw(code("\n".join(aliases))),
             *classes.values()]
    return "/**\n" + "\n".join(parts) + "*/\n"


if __name__ == "__main__":
    sys.stdout.write(page())
