#!/usr/bin/env python3
"""Tests of the engines oneccl and nccl behind anyccl.

    make install
    python3 capi-tests/nccl_shaped/run.py [--prefix INSTALLED] [NAME...]

The real oneCCL runs every collective, and an oracle checks the results. NCCL is loaded without a GPU, and the tests check the
messages about that. A stand-in for NCCL (stand_in_nccl.c) serves memory of GPUs that do not exist. Both real libraries come from
PyPI (libraries.py). When one cannot be had, its tests are skipped, with the reason. The test program and the ways to start it are
those of capi-tests/backends.
"""

import argparse
import ctypes
import os
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
sys.path[:0] = [str(HERE.parent / "backends"), str(HERE.parent)]
import libraries  # noqa: E402
import run as backends  # noqa: E402
import sample  # noqa: E402
from named_tests import Failure, Skipped, run_named  # noqa: E402
from run import Ended, all_as_expected, anyccl, by_hand, compiled, matrix, says  # noqa: E402
from xtask import cuda_double  # noqa: E402

RANKS = (2, 4)
# Number of oneCCL in the sample: the one behind those of backends/run.py.
ONECCL = len(backends.MPIS) + 1


def had(fetch):
    """Returns a folder of libraries.py. Skips the test if it cannot be had."""
    try:
        return fetch()
    except libraries.Missing as reason:
        raise Skipped(reason) from None


def has_driver():
    try:
        ctypes.CDLL("libcuda.so.1")
    except OSError:
        return False
    return True


def without_oneccls_own(ended):
    """Removes the lines about variables that oneCCL prints on standard output."""
    ended.out = "".join(line for line in ended.out.splitlines(keepends=True) if "|CCL_" not in line)
    return ended


def output_of(options, words, **variables):
    environment = backends.clean_environment() | variables
    command = [str(options.prefix / "bin" / "anyccl"), *words]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=60)
    return done.stdout + done.stderr


def tests(options):
    """Yields a name and a function for each test."""
    door = options.prefix / "lib" / "anyccl" / "nccl" / "libnccl.so.2"

    def oneccl(**more):
        library = had(libraries.oneccl) / "libccl.so.2"
        return {"ANYCCL_BACKEND": "oneccl", "ANYCCL_ONECCL_LIB": str(library), "ANYCCL_LOG": "info"} | more

    def nccl(library, **more):
        return {"ANYCCL_BACKEND": "cuda:nccl", "ANYCCL_NCCL_LIB": str(library)} | more

    def by_oneccl(ranks):
        ended = without_oneccls_own(anyccl(options, ranks, matrix(options, ONECCL), oneccl()))
        all_as_expected(ended, ranks)
        says(ended, f"rank 0 of {ranks}", "cpu memory is served by oneccl: oneCCL 2022.1.0", "libccl.so.2")

    def found_by_itself():
        folder = had(libraries.oneccl)
        said = output_of(options, ["info"], CCL_ROOT=str(folder.parent))
        if f"oneCCL 2022.1.0, {folder / 'libccl.so.2'}" not in said:
            raise Failure(said)

    def without_its_plugin():
        folder = Path(tempfile.mkdtemp(dir=options.folder))
        os.symlink(had(libraries.oneccl) / "libccl.so.2", folder / "libccl.so.2")
        ended = by_hand(options, matrix(options), [oneccl(ANYCCL_ONECCL_LIB=str(folder / "libccl.so.2"))] * 2)
        says(ended, "there is no libccl_legacy_cpu.so in ", fails=True)

    def oneccl_not_there():
        ended = by_hand(options, matrix(options), [{"ANYCCL_BACKEND": "oneccl", "ANYCCL_ONECCL_LIB": "libm.so.6"}] * 2)
        says(ended, "backend oneccl cannot be loaded; tried libm.so.6: ", fails=True)

    def falls():
        chosen = {"ANYCCL_BACKEND": "cpu:oneccl|builtin", "ANYCCL_ONECCL_LIB": "/there/is/no/libccl.so.2"}
        ended = by_hand(options, matrix(options), [chosen] * 2)
        all_as_expected(ended, 2)
        says(ended, "cpu memory falls back to builtin: rank 0: backend oneccl cannot be loaded")

    def composed():
        said = output_of(options, ["info"], **oneccl())
        for words in ("oneccl", "oneCCL 2022.1.0", "composed"):
            if words not in said:
                raise Failure(f"without \"{words}\": {said}")

    def without_a_driver():
        if has_driver():
            raise Skipped("this machine has a CUDA driver")
        ended = by_hand(options, matrix(options), [nccl(had(libraries.nccl) / "libnccl.so.2")] * 2)
        says(ended, "rank 0: NCCL needs CUDA: there is no usable CUDA driver: libcuda.so.1: ", fails=True)

    def without_a_device():
        """The stand-in driver starts and has no device, or one that all ranks share. A real driver is not used."""
        driver = compiled(options, "libcuda.so.1", [HERE / "no_device.c"], more=["-shared", "-fPIC"])
        more = {"LD_LIBRARY_PATH": str(driver.parent)}
        library = had(libraries.nccl) / "libnccl.so.2"
        for devices, sharing, sentence in (
                (0, 0, "rank 0: NCCL needs a CUDA device, and this process sees none"),
                (1, 0, "NCCL wants a GPU for each rank; ranks 0 and 1 have the same one"),
                # NCCL itself is called, and finds that this is no real driver.
                (1, 1, "rank 0: NCCL failed in pncclCommInitRankConfig: unhandled CUDA error (1)")):
            chosen = nccl(library, NO_DEVICE_COUNT=str(devices), NCCL_MULTI_RANK_GPU_ENABLE=str(sharing), **more)
            says(by_hand(options, matrix(options), [chosen] * 2), sentence, fails=True)

    def own_gpus(options):
        """Returns the program, and the variables with which it finds the stand-in for NCCL and the driver for tests."""
        library = compiled(options, "libnccl.so.2", [HERE / "stand_in_nccl.c"],
                           more=["-shared", "-fPIC", "-D_GNU_SOURCE", "-Wl,-soname,libnccl.so.2", "-ldl"])
        program = compiled(options, "own_gpus", [HERE / "own_gpus.c"], more=["-D_GNU_SOURCE", "-ldl"])
        return program, {"ANYCCL_NCCL_LIB": str(library), "ANYCCL_CUDA_DOUBLE": cuda_double(), "ANYCCL_LOG": "info"}

    def by_itself(gpus, ranks, words, calls, way, **more):
        """Ranks with a GPU each let the stand-in for NCCL make the calls that it has, in all other cases none."""
        program, variables = own_gpus(options)
        command = [options.prefix / "bin" / "anyccl", "run", "--no-prefix", "--fake-gpu", str(gpus), "-n", str(ranks), program,
                   *words]
        ended = Ended([(command, variables | more)])
        if ended.status != 0 or ended.out.count("right") != ranks:
            raise Failure(ended.described())
        says(ended, way)
        made = ended.err.count(f"the stand-in for NCCL has made {calls} calls")
        if made != (0 if calls == 0 else 2 * ranks):
            raise Failure(f"{made} communicators of the stand-in: {ended.described()}")

    def stuck(how, call):
        """Calls in the stand-in that cannot end are ended, with the reason on every rank that lives."""
        _, variables = own_gpus(options)
        program = compiled(options, "stuck", [HERE / "stuck.c"], more=["-D_GNU_SOURCE", "-ldl"])
        command = [options.prefix / "bin" / "anyccl", "run", "--no-prefix", "--keep-going", "--fake-gpu", "2", "-n", "2", program,
                   how, call]
        if call != "blocking":
            variables["STAND_IN_ENQUEUES"] = "1"
        ended = Ended([(command, variables)])
        reason = {"late": "has not ended in nccl", "mixed": "timed out after ", "left": "ended in nccl",
                  "lost": "rank 1 (", "aborted": "rank 1"}[how]
        if f"rank 0: " not in ended.out or reason not in ended.out.split("rank 0: ")[1] or "stand-in for NCCL was aborted" not in ended.err:
            raise Failure(ended.described())

    def lost_while_connecting():
        """A rank is killed while NCCL makes its communicator. The others do not wait for it in NCCL."""
        program, variables = own_gpus(options)
        command = [options.prefix / "bin" / "anyccl", "run", "--no-prefix", "--keep-going", "--fake-gpu", "2", "-n", "2", program]
        ended = Ended([(command, variables | {"STAND_IN_DIES": "1"})])
        if ended.status == 0 or "rank 1 (" not in ended.err:
            raise Failure(ended.described())

    def host_only():
        """A process without a device loads neither the driver nor NCCL, although both can be found."""
        program, variables = own_gpus(options)
        # --fake-gpu would load the driver first.
        found = {"LD_LIBRARY_PATH": cuda_double(), "CUDA_DOUBLE_DEVICES": "2"}
        command = [options.prefix / "bin" / "anyccl", "run", "--no-prefix", "-n", "2", program, "host"]
        ended = Ended([(command, variables | found)])
        if ended.status != 0 or ended.out.count("host only") != 2:
            raise Failure(ended.described())

    def host_memory():
        """NCCL does not serve host memory. The choice is refused before a library is opened."""
        ended = by_hand(options, matrix(options), [{"ANYCCL_BACKEND": "cpu:nccl"}])
        says(ended, "nccl does not serve cpu memory", fails=True)

    def is_loaded():
        said = output_of(options, ["info"], **nccl(had(libraries.nccl) / "libnccl.so.2"))
        for words in ("NCCL 2.32.3", str(libraries.WORK / "nccl" / "lib" / "libnccl.so.2")):
            if words not in said:
                raise Failure(f"without \"{words}\": {said}")

    def our_own():
        ended = by_hand(options, matrix(options), [nccl(door)] * 2)
        says(ended, f"tried {door}: it is anyccl itself, not NCCL", fails=True)

    def past_our_own():
        """With anyccl's libnccl.so.2 preloaded, the engine still finds the real NCCL in LD_LIBRARY_PATH."""
        real = had(libraries.nccl)
        said = output_of(options, ["info"], LD_PRELOAD=str(door), LD_LIBRARY_PATH=str(real))
        if "NCCL 2.32.3" not in said:
            raise Failure(said)

    def by_a_name():
        ended = by_hand(options, matrix(options), [nccl("libnccl.so.2")])
        says(ended, "ANYCCL_NCCL_LIB", "absolute path", fails=True)

    for ranks in sample.some(RANKS, 1, ONECCL):
        yield f"oneccl, {ranks} ranks", lambda ranks=ranks: by_oneccl(ranks)
    yield "oneccl by CCL_ROOT", found_by_itself
    yield "oneccl without its plugin", without_its_plugin
    yield "oneccl that is not there", oneccl_not_there
    yield "the next of the list where oneccl is not there", falls
    yield "what is composed for oneccl is said", composed
    yield "nccl without a driver", without_a_driver
    yield "nccl without a device of each rank's own", without_a_device
    chosen, staged = "cuda memory is served by nccl: NCCL 2.99.0", "CUDA buffers use the staged path"
    direct = "CUDA buffers use the direct path"
    yield "nccl by itself, 2 GPUs", lambda: by_itself(2, 2, [], 5, chosen)
    yield "nccl by itself, 4 GPUs", lambda: by_itself(4, 3, [], 5, chosen)
    yield "a GPU for two ranks: staged", lambda: by_itself(2, 4, [], 0, staged)
    yield "a device after the communicator: staged", lambda: by_itself(2, 2, ["later"], 0, staged)
    yield "cuda:builtin: staged", lambda: by_itself(2, 2, [], 0, staged, ANYCCL_BACKEND="cuda:builtin")
    yield "direct by its name: no NCCL", lambda: by_itself(2, 2, [], 0, direct, ANYCCL_DEVICE_WAY="direct")
    yield "for devices, with NCCL", lambda: by_itself(2, 2, ["devices"], 5, chosen)
    yield "for devices, without NCCL", lambda: by_itself(2, 2, ["devices"], 0, direct, ANYCCL_BACKEND="cuda:builtin")
    yield "for devices, on one GPU", lambda: by_itself(1, 2, ["devices"], 0, direct)
    yield "for devices, but staged", lambda: by_itself(1, 2, ["devices"], 0, staged, ANYCCL_DEVICE_WAY="staged")
    yield "without a library: staged", lambda: by_itself(2, 2, [], 0, staged, ANYCCL_NCCL_LIB="/there/is/no/libnccl.so.2")
    for how in ("late", "mixed", "lost", "aborted"):
        for call in ("stream", "blocking", "wait", "leave"):
            yield f"a call that cannot end in nccl, {how}, {call}", lambda how=how, call=call: stuck(how, call)
    for call in ("all", "any", "some", "for"):
        yield f"a call that cannot end in nccl, late, {call}", lambda call=call: stuck("late", call)
    yield "a call that cannot end in nccl, left", lambda: stuck("left", "stream")
    yield "a call that has failed in nccl, left", lambda: stuck("left", "leave")
    yield "a rank that is lost while nccl makes a communicator", lost_while_connecting
    yield "memory of the host alone loads neither the driver nor nccl", host_only
    yield "nccl for host memory", host_memory
    yield "nccl is found and named", is_loaded
    yield "our own library is not taken for nccl", our_own
    yield "nccl is found behind our own library", past_our_own
    yield "nccl by a bare name", by_a_name


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--prefix", type=Path, default=ROOT / "target" / "demo-prefix", help="where anyccl is installed")
    parser.add_argument("names", nargs="*", help="only tests whose name has one of these words in it")
    options = parser.parse_args()
    options.prefix = options.prefix.resolve()
    if not (options.prefix / "bin" / "anyccl").exists():
        sys.exit(f"{options.prefix} has no anyccl: run `make install` first")
    libraries.WORK.mkdir(parents=True, exist_ok=True)
    print(sample.told(), flush=True)
    with tempfile.TemporaryDirectory() as options.folder:
        run_named(tests(options), options.names)


if __name__ == "__main__":
    main()
