"""Makes a header of the C++ layer readable for Doxygen.

Its comments are plain ones. Those of what a program uses become comments for Doxygen: at namespace level, and in the public part of
a class. One comment often stands over several members: the forms of a call, the overloads of a name. Each gets one here. Namespace
detail stays out, except the classes that give a communicator its calls, and so does the inline namespace of the mode of errors.
"""

import re

# The bases of communicator_ref, each with a part of its calls.
MIXINS = {"handle_base", "transfers", "collective_rules", "collectives", "unequal_rules", "unequal", "coalesced", "lists", "neighbors"}
CLASS = re.compile(r"(?:template <.*> )?(?:class|struct) (?:\[\[nodiscard\]\] )?(\w+)")
MODE = re.compile(r"inline namespace ANYCCL_CPP_MODE \{|\}  // namespace ANYCCL_CPP_MODE")
# What needs no comment: lifetimes that are as they look, friends, names of bases.
SELF_EVIDENT = re.compile(r"= delete|using \w+::|friend |operator|~\w+\(\)")


class Reader:
    """Goes through a header, line by line."""

    def __init__(self, text):
        self.lines = text.splitlines()
        self.detail = False
        self.mixin = False
        self.public = False
        # The last comment of a member, the name of that member, and that of the class.
        self.comment, self.name, self.owner = [], None, None

    def shown(self):
        """Whether the comments of this place are for users."""
        return (not self.detail or self.mixin) and self.public

    def place(self, line):
        """Follows namespaces, classes and their parts."""
        if line == "namespace detail {":
            self.detail = True
        elif line == "}  // namespace detail":
            self.detail = False
        elif re.fullmatch(r"(public|protected|private):", line):
            self.public = line == "public:"
        elif line == "};":
            self.mixin, self.public = False, True
        elif (match := CLASS.match(line)) and not line.endswith(";"):
            self.mixin = self.detail and match[1] in MIXINS
            self.public = not line.startswith("class")
            self.comment, self.name, self.owner = [], None, match[1]

    def declared(self, at):
        """The name of the member that begins at a line."""
        text = " ".join(line.strip() for line in self.lines[at : at + 6] if not line.strip().startswith("//"))
        declaration = re.split(r"[{;]", re.sub(r"template <[^{(]*?> (?=\w)", "", text, count=1))[0]
        match = re.search(r"(\w+)\(", declaration)
        return match[1] if match and not SELF_EVIDENT.search(declaration) else None

    def repeated(self, name):
        """The comment of a member that has none of its own, after the one with `comment`."""
        if name == f"i{self.name}":
            return [f"    /// Nonblocking form of {self.name}()."]
        if name == f"{self.name}_init":
            return [f"    /// Persistent form of {self.name}()."]
        return self.comment

    def read(self):
        result, at = [r"/// \file"], 0
        if "#define ANYCCL_ANYCCL_HPP" in self.lines:
            # anyccl.hpp: its text is about all that the others declare.
            result += ["/// The C++ interface: includes all of namespace anyccl.", "", r"/// \namespace anyccl"]
        first = True
        while at < len(self.lines):
            line = self.lines[at]
            first = first and line.startswith("//")
            if line.startswith("//") and (first or not self.detail or self.is_of_mixin(at)):
                # The head of the file, or the comment of something at namespace level.
                result.append("/" + line)
            elif self.shown() and re.match(r"    //", line):
                block = []
                while re.match(r"    //", self.lines[at]):
                    block.append(re.sub(r"^    //", "    ///", self.lines[at]))
                    at += 1
                self.comment, self.name = block, self.declared(at)
                result += block + [self.lines[at]]
            elif self.shown() and self.begins_member(at) and (name := self.declared(at)) not in (None, self.owner):
                result += self.repeated(name) + [line]
            else:
                self.place(line)
                result.append("" if MODE.fullmatch(line) else line)
            at += 1
        return "\n".join(result) + "\n"

    def is_of_mixin(self, at):
        """Whether the comment at a line is that of a base of communicator_ref."""
        code = next((line for line in self.lines[at:] if not line.startswith("//")), "")
        return bool(match := CLASS.match(code)) and match[1] in MIXINS

    def begins_member(self, at):
        """Whether a member without a comment begins at a line."""
        before = self.lines[at - 1]
        return bool(re.match(r"    [\w\[~]", self.lines[at])) and (before == "    }" or bool(re.match(r"    \S.*[;}]$", before)))


def header(text):
    """The text of a header, for Doxygen."""
    return Reader(text).read()
