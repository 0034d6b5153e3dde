#!/usr/bin/env python3
"""Tests of the ways in which libnccl.so.2 takes NCCL's place: `anyccl run --as nccl`, `anyccl info --nccl-of`, LD_AUDIT.
Needs a C compiler, and no header of NCCL.

    ways_in.py [--prefix INSTALLED]

The programs use another NCCL, a stand-in of version 2.99.0. Some are linked with it by a DT_RPATH, as PyTorch's wheels are. Others
open it by name or by path, or contain it. Each method must give the program anyccl's library, or end the job.
"""

import argparse
import json
import os
import shutil
import stat
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
WORK = ROOT / "target" / "nccl" / "ways-in"
LIMIT_S = 60
OURS, OTHER = "version 23007", "version 29900"


class Installed:
    """The installed anyccl that is tested, and the programs to test it with."""

    def __init__(self, prefix):
        self.tool = prefix / "bin" / "anyccl"
        self.folder = prefix / "lib" / "anyccl" / "nccl"
        self.library = self.folder / "libnccl.so.2"
        self.other = WORK / "other" / "libnccl.so.2"
        self.other.parent.mkdir(parents=True, exist_ok=True)
        compile_c(self.other, HERE / "other.c", "-shared", "-fPIC", "-Wl,-soname,libnccl.so.2")
        # A DT_RPATH, as in PyTorch's wheels. It comes before LD_LIBRARY_PATH.
        rpath = f"-Wl,--disable-new-dtags,-rpath,{self.other.parent}"
        asks = HERE / "asks.c"
        self.linked = compile_c(WORK / "linked", asks, "-DLINKED", self.other, rpath, "-ldl")
        self.without_table = compile_c(WORK / "without-table", asks, "-DLINKED", "-fno-plt", self.other, rpath, "-ldl")
        self.opens = compile_c(WORK / "opens", asks, "-ldl")
        self.has_it_in = compile_c(WORK / "has-it-in", asks, HERE / "other.c", "-DLINKED", "-ldl")
        self.static = compile_c(WORK / "static", HERE / "other.c", HERE / "nothing.c", "-static")
        self.script = WORK / "script"
        self.script.write_text(f"#!/bin/sh\n'{self.linked}' && exec '{self.linked}'\n")
        self.script.chmod(self.script.stat().st_mode | stat.S_IXUSR)

    def run(self, *words, ranks=2, by=None, **environment):
        """Runs `anyccl run --as nccl`. Returns the exit code, the output without rank prefixes, and the errors."""
        insist = ["--nccl-by", by] if by else []
        return self.anyccl("run", "--as", "nccl", "--no-prefix", *insist, "-n", ranks, "--", *words, **environment)

    def of(self, *words, deadline=20, **environment):
        """Returns what `anyccl info --nccl-of` reports of a command."""
        code, out, err = self.anyccl("info", "--json", "--deadline", deadline, "--nccl-of", *words, **environment)
        check(code == 0, f"info --nccl-of {words}: {err}")
        return json.loads(out)

    def anyccl(self, *words, **environment):
        done = subprocess.run([str(word) for word in (self.tool, *words)], capture_output=True, text=True, timeout=LIMIT_S,
                              env=os.environ | environment, stdin=subprocess.DEVNULL)
        return done.returncode, done.stdout, done.stderr


def compile_c(output, *arguments):
    subprocess.run([os.environ.get("CC", "cc"), "-std=c11", "-D_GNU_SOURCE", "-Wall", "-Wextra", "-O1", "-o", str(output),
                    *map(str, arguments)], check=True)
    return output


def check(holds, what):
    if not holds:
        sys.exit(f"ways_in.py: {what}")


def has_ours(answer, by, times=2):
    """Checks that all ranks had anyccl's library, and that one line says so."""
    code, out, err = answer
    check(code == 0 and out.count(OURS) == times and OTHER not in out, f"{by}: code {code}, {out!r}, {err!r}")
    lines = [line for line in err.splitlines() if "NCCL is anyccl" in line]
    check(len(lines) == 1 and f"by {by}" in lines[0], f"{by} is to be said once: {err!r}")


def was_ended(answer, *parts):
    """Checks that the job failed before the other NCCL was called, and that its message has these parts."""
    code, out, err = answer
    check(code == 1 and OTHER not in out, f"was to be ended: code {code}, {out!r}, {err!r}")
    for part in parts:
        check(part in err, f"{part!r} is not in {err!r}")


def each_method_takes(it):
    """Each method works for each way in which a program gets NCCL that the method can reach."""
    has_ours(it.run(it.linked), "audit")
    has_ours(it.run(it.without_table), "audit")
    has_ours(it.run(it.opens, "libnccl.so.2"), "audit")
    has_ours(it.run(it.opens, it.other), "audit")
    has_ours(it.run(it.script), "audit", times=4)
    has_ours(it.run("env", "A=b", it.linked), "audit")
    has_ours(it.run(it.linked, by="preload"), "preload")
    has_ours(it.run(it.opens, "libnccl.so.2", by="preload"), "preload")
    has_ours(it.run(sys.executable, "-c", OVERLAID, by="overlay"), "overlay")
    print("run --as nccl: audit, preload and overlay take")


# A program that looks for the library as PyTorch does when it is imported.
OVERLAID = """
import ctypes, glob, os, sys
found = [f for p in sys.path for f in glob.glob(os.path.join(p, "nvidia", "nccl", "lib", "libnccl.so.*[0-9]"))]
version = ctypes.c_int()
ctypes.CDLL(found[0]).ncclGetVersion(ctypes.byref(version))
print("version", version.value, flush=True)
"""


def agents_take(it):
    """A job on several hosts, for which a shell stands in: each agent finds the files of its own host."""
    hosts = ["--hosts", "a:1,b:1", "--launcher", "sh -c {cmd}", "--no-prefix", "--as", "nccl"]
    answer = it.anyccl("run", *hosts, it.linked)
    has_ours(answer, "audit")
    check(" on a" in answer[2] or " on b" in answer[2], f"the host is to be named: {answer[2]!r}")
    was_ended(it.anyccl("run", *hosts, "--nccl-by", "preload", it.opens, it.other), str(it.other), " on ")
    was_ended(it.anyccl("run", *hosts, it.static), "statically", "host ")
    print("run --as nccl --hosts: agents take, and the wrong one ends the job")


def the_wrong_one_ends_the_job(it):
    """A method that cannot reach the program ends the job."""
    was_ended(it.run(it.opens, it.other, by="preload"), str(it.other), "--by audit")
    was_ended(it.run(it.linked, by="overlay"), str(it.other), "--by")
    was_ended(it.run(it.static), "statically")
    print("run --as nccl: the wrong one ends the job")


def nobody_asks(it):
    """A program that loads no NCCL is no error. A message at the end says so."""
    for program in (it.opens, it.has_it_in):
        code, _, err = it.run(program)
        check(code == 0 and "nobody has loaded an NCCL" in err, f"code {code}, {err!r}")
    code, _, err = it.run(it.opens, by="preload")
    check(code == 0 and "never called" in err, f"code {code}, {err!r}")
    code, _, err = it.anyccl("run", "-n", 1, it.opens)
    check((code, err) == (0, ""), f"without --as nothing is said: code {code}, {err!r}")
    print("run --as nccl: where nobody asks for NCCL, that is said")


def variables_of_the_user_stay(it):
    """LD_PRELOAD and LD_AUDIT keep the libraries of the user beside those of anyccl."""
    mine = WORK / "libmine.so"
    compile_c(mine, HERE / "nothing.c", "-shared", "-fPIC")
    show = ["sh", "-c", "echo $LD_PRELOAD; echo $LD_AUDIT"]
    code, out, err = it.run(*show, ranks=1, by="preload", LD_PRELOAD=str(mine))
    check(out.splitlines()[0] == f"{it.library}:{mine}", f"{out!r}, {err!r}")
    code, out, err = it.run(*show, ranks=1)
    check(code == 0 and out.splitlines() == ["", f"{it.folder / 'libanyccl_audit.so'}"], f"{out!r}, {err!r}")
    print("run --as nccl: LD_PRELOAD and LD_AUDIT keep what they held")


def info_tells(it):
    """`anyccl info --nccl-of` reports path, version, and whether the library is anyccl's. It stops the program before its work."""
    other, ours = (str(it.other), "2.99.0", False), (str(it.library), "2.30.7", True)
    for expected, words, environment in (
        (other, [it.linked], {}),
        (other, [it.without_table], {}),
        (other, [it.opens, it.other], {}),
        (other, [it.script], {}),
        (ours, [it.linked], {"LD_PRELOAD": str(it.library)}),
        (ours, [it.without_table], {"LD_PRELOAD": str(it.library)}),
        (ours, [it.opens, it.library], {}),
        (other, [it.opens, it.other], {"LD_PRELOAD": str(it.library)}),
    ):
        said = it.of(*words, **environment)
        check((said["library"], said["version"], said["anyccl"]) == expected, f"{words} {environment}: {said}")
        check(said["remark"] == "stopped before the first call", f"{words}: {said}")
    mark = WORK / "worked"
    mark.unlink(missing_ok=True)
    it.of("sh", "-c", f"'{it.linked}'; touch '{mark}'")
    check(not mark.exists(), "the command went on behind the program that was stopped")
    check(it.of(it.opens)["remark"].endswith("ended, code 0"), "a program without NCCL is told as such")
    check("within 0.3 s" in it.of("sleep", 1000, deadline=0.3)["remark"], "the deadline is kept")
    check("statically" in it.of(it.static)["remark"], "a static program is told as such")
    # The library is preloaded into the shell, which does not use it.
    said = it.of("sh", "-c", "true", LD_PRELOAD=str(it.library))
    check(said["anyccl"] is True and "nobody asked" in said["remark"], f"{said}")
    print("info --nccl-of: linked, opened by name and path, preloaded, never, too late, static")


def audit_by_hand(it):
    """LD_AUDIT alone works without a launcher."""
    audit = str(it.folder / "libanyccl_audit.so")
    for words in ([it.linked], [it.opens, "libnccl.so.2"], [it.opens, it.other]):
        said = subprocess.run([str(word) for word in words], capture_output=True, text=True, timeout=LIMIT_S,
                              env=os.environ | {"LD_AUDIT": audit})
        check((said.stdout, said.stderr) == (f"started\n{OURS}\n", ""), f"{words}: {said}")
    # The audit library does not replace plugins of NCCL, nor other libraries with similar names.
    named_so = WORK / "libnccl-net.so"
    compile_c(named_so, HERE / "other.c", "-shared", "-fPIC")
    said = subprocess.run([it.opens, named_so], capture_output=True, text=True, env=os.environ | {"LD_AUDIT": audit})
    check(OTHER in said.stdout, f"{said}")
    said = subprocess.run([it.linked], capture_output=True, text=True,
                          env=os.environ | {"LD_AUDIT": audit, "ANYCCL_NCCL_AUDIT": "tkae"})
    check(OTHER in said.stdout and "left alone" in said.stderr, f"{said}")
    print("LD_AUDIT: takes by name and by path, and nothing else")


def ours_may_have_another_behind_it(it):
    """The library that takes NCCL's place may itself open another NCCL."""
    folder = WORK / "forwards"
    folder.mkdir(exist_ok=True)
    shutil.copy(it.folder / "libanyccl_audit.so", folder)
    compile_c(folder / "libnccl.so.2", HERE / "forwards.c", "-shared", "-fPIC", "-Wl,-soname,libnccl.so.2",
              f'-DOTHER="{it.other}"', "-ldl")
    said = subprocess.run([it.linked], capture_output=True, text=True, timeout=LIMIT_S,
                          env=os.environ | {"LD_AUDIT": str(folder / "libanyccl_audit.so")})
    check((said.stdout, said.stderr) == ("started\nversion 29901\n", ""), f"{said}")
    print("LD_AUDIT: what takes NCCL's place may open NCCL")


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--prefix", type=Path, default=ROOT / "target" / "demo-prefix", help="where anyccl is installed")
    it = Installed(arguments.parse_args().prefix.resolve())
    for test in (each_method_takes, agents_take, the_wrong_one_ends_the_job, nobody_asks, variables_of_the_user_stay, info_tells, audit_by_hand,
                 ours_may_have_another_behind_it):
        test(it)


if __name__ == "__main__":
    main()
