"""Tests of the examples and of the program in README.md: runs each on 1, 2, 3 and 4 ranks and compares its output with the
expected output.

    make examples
    python3 c-examples/run_tests.py [--prefix INSTALLED] [--programs FOLDER]

This script computes the expected output from the definition of each collective.
"""

import argparse
import gzip
import hashlib
import os
import re
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
TRAIN = os.path.join(HERE, "05-train")
TARGET = os.path.join(os.path.dirname(HERE), "target")
RANKS = (1, 2, 3, 4)
SECONDS = 60
# Hash of scikit-learn's digits.csv. The file of the example must be the same.
DIGITS_SHA256 = "6ebb3d2fee246a4e99363262ddf8a00a3c41bee6014c373ed9d9216ba7f651b8"


def columns(numbers):
    return "".join(f"{number:4d}" for number in numbers)


def hello_world(n):
    # The lines come in any order. The caller sorts them.
    return [f"Hello from rank {r} of {n} (local rank {r} of {n})" for r in range(n)]


def broadcast(n):
    return [f"rank {r} has 10 20 30 40" for r in range(n)]


def all_reduce(n):
    before = [[10 * r + i for i in range(4)] for r in range(n)]
    after = [sum(column) for column in zip(*before)]
    spaced = [" ".join(f"{x:4d}" for x in row) for row in before + [after]]
    return [f"rank | {'before':>19} | {'after':>19}"] + [f"{r:4d} | {spaced[r]} | {spaced[n]}" for r in range(n)]


def all_to_all(n):
    sent = [[10 * r + to for to in range(n)] for r in range(n)]
    got = list(zip(*sent))
    return [f"rank | {'sent':>{4 * n}} | {'got':>{4 * n}}"] + [
        f"{r:4d} | {columns(sent[r])} | {columns(got[r])}" for r in range(n)
    ]


def equivalence(n):
    ways = ("all_reduce", "reduce + broadcast", "reduce_scatter + all_gather")
    pairs = list(zip(ways, ways[1:] + ways[:1])) + [(ways[0], "sum made by hand")]
    return [
        f"{datatype:7}  {one:27} = {other:27} {verdict}"
        for datatype, verdict in (("int64", "bit for bit"), ("float32", "within rounding"))
        for one, other in pairs
    ] + [f"all three ways agree, ranks: {n}"]


def halo(n):
    rows, columns, steps = 24, 32, 200
    now = [[100.0] * (columns + 2)] + [[0.0] * (columns + 2) for _ in range(rows + 1)]
    for _ in range(steps):
        before, now = now, [row[:] for row in now]
        for i in range(1, rows + 1):
            for j in range(1, columns + 1):
                now[i][j] = 0.25 * (before[i - 1][j] + before[i + 1][j] + before[i][j - 1] + before[i][j + 1])
    change = max(abs(a - b) for one, other in zip(now, before) for a, b in zip(one, other))
    middle = now[rows // 2 + 1][columns // 2 + 1]
    return [f"after {steps} steps: {middle:.9f} in the middle, last change {change:.9f}"]


def survive(n):
    sums = [sum(number * term for term in range(1000)) for number in range(1, 9)]
    left = [n if number < 4 or n == 1 else n - 1 for number in range(1, 9)]
    return [f"round {number}: sum {sums[number - 1]} by {left[number - 1]} of {n} ranks" for number in range(1, 9)] + [
        f"total {sum(sums)}"
    ]


def power_iteration(n):
    order, vector, length = 60, [1.0] * 60, 0.0
    for _ in range(20):
        vector = [sum(x / (i + j + 1) for j, x in enumerate(vector)) for i in range(order)]
        length = sum(x * x for x in vector) ** 0.5
        vector = [x / length for x in vector]
    return [f"largest eigenvalue {length:.9f}"]


def isend_all_to_all(n):
    return [f"rank {r}: 0 of {sum(r + peer for peer in range(n))} elements wrong; the same as all_to_all" for r in range(n)]


class Failure(Exception):
    """Why a test did not pass."""


def run(command, errors=subprocess.STDOUT):
    """Runs a command and returns its output. A command that fails or hangs is a failure."""
    try:
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=errors, text=True, timeout=SECONDS)
    except subprocess.TimeoutExpired as expired:
        raise Failure(f"not finished after {SECONDS} s; so far:\n{expired.stdout}") from None
    if done.returncode != 0:
        raise Failure(f"exit status {done.returncode}:\n{done.stdout}{done.stderr or ''}")
    return done.stdout


def launch(options, n, program, *arguments):
    launcher = os.path.join(options.prefix, "bin", "anyccl")
    # os.path.join leaves an absolute path as it is.
    return run([launcher, "run", "-n", str(n), "--no-prefix", os.path.join(options.programs, program), *arguments])


def expect_lines(expected, printed):
    if printed.splitlines() != expected:
        raise Failure("expected:\n" + "\n".join(expected) + "\nprinted:\n" + printed)


def tests_of_output(options):
    """Pairs (name, function): the examples that print the same in every run."""
    for program, expected in (
        ("00-hello-world", hello_world),
        ("01-broadcast", broadcast),
        ("02-allreduce", all_reduce),
        ("03-all-to-all", all_to_all),
        ("04-equivalence", equivalence),
        ("06-isend-all-to-all", isend_all_to_all),
        ("07-halo", halo),
        ("09-cpp", power_iteration),
    ):
        for n in RANKS:

            def test(program=program, expected=expected, n=n):
                printed = launch(options, n, program)
                if program == "00-hello-world":
                    printed = "\n".join(sorted(printed.splitlines()))
                expect_lines(expected(n), printed)

            yield f"{program} on {n}", test


def tests_of_survival(options):
    """Pairs (name, function): the job that loses a rank. The others finish, and name the lost rank."""
    for n in RANKS:

        def test(n=n):
            launcher = os.path.join(options.prefix, "bin", "anyccl")
            program = os.path.join(options.programs, "08-survive")
            # The messages of the survivors about the loss go to standard error, in any order.
            printed = run([launcher, "run", "-n", str(n), "--no-prefix", "--keep-going", program], subprocess.PIPE)
            expect_lines(survive(n), printed)

        yield f"08-survive on {n}", test


def tests_of_training(options, folder):
    """Pairs (name, function): the training. It learns, and the number of ranks does not matter."""
    digits = os.path.join(folder, "digits.csv")

    def weights(n):
        return os.path.join(folder, f"weights-{n}.txt")

    def unpack():
        with gzip.open(os.path.join(TRAIN, "digits.csv.gz")) as packed, open(digits, "wb") as unpacked:
            data = packed.read()
            unpacked.write(data)
        if hashlib.sha256(data).hexdigest() != DIGITS_SHA256:
            raise Failure("digits.csv.gz does not hold the digits that scikit-learn has")

    def train(n):
        printed = launch(options, n, "05-train", digits, weights(n))
        losses = [float(loss) for loss in re.findall(r"loss (\S+)", printed)]
        accuracies = [float(percent) for percent in re.findall(r"accuracy (\S+) %", printed)]
        if not losses or losses != sorted(losses, reverse=True) or not accuracies[-1] > 94:
            raise Failure("does not learn:\n" + printed)
        if f"weights equal on all ranks ({n})" not in printed:
            raise Failure("does not say that the weights are equal:\n" + printed)
        run([sys.executable, os.path.join(TRAIN, "compare_weights.py"), weights(1), weights(n)])

    yield "05-train has its data", unpack
    for n in RANKS:
        yield f"05-train on {n}", lambda n=n: train(n)


def tests_of_readme(options, folder):
    """Pairs (name, function): the program that README.md shows. It compiles as it stands, and runs."""
    source, program = os.path.join(folder, "readme.c"), os.path.join(folder, "readme")

    def build():
        with open(os.path.join(os.path.dirname(HERE), "README.md"), encoding="utf-8") as readme:
            (shown,) = re.findall(r"^```c\n(.*?)^```$", readme.read(), re.MULTILINE | re.DOTALL)
        with open(source, "w", encoding="utf-8") as file:
            file.write(shown)
        library = os.path.abspath(os.path.join(options.prefix, "lib"))
        run([os.environ.get("CC", "cc"), "-std=c11", "-Wall", "-Wextra", "-Werror", source, "-o", program,
             "-I", os.path.join(options.prefix, "include"), "-L", library, f"-Wl,-rpath,{library}", "-lanyccl"])

    def sum_of_ranks(n):
        printed = launch(options, n, program)
        expect_lines([f"rank {r} of {n}: the sum is {n * (n + 1) // 2}" for r in range(n)],
                     "\n".join(sorted(printed.splitlines())))

    yield "README.md compiles", build
    for n in RANKS:
        yield f"README.md on {n}", lambda n=n: sum_of_ranks(n)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--prefix", default=os.path.join(TARGET, "demo-prefix"), help="where anyccl is installed")
    parser.add_argument("--programs", default=os.path.join(TARGET, "examples"), help="where the examples were built")
    options = parser.parse_args()
    for needed in (os.path.join(options.prefix, "bin", "anyccl"), os.path.join(options.programs, "05-train")):
        if not os.path.exists(needed):
            sys.exit(f"{needed} is missing: run `make examples` first")

    passed = failed = 0
    with tempfile.TemporaryDirectory() as folder:
        tests = [*tests_of_output(options), *tests_of_survival(options), *tests_of_training(options, folder),
                 *tests_of_readme(options, folder)]
        for name, test in tests:
            try:
                test()
            except Failure as failure:
                failed += 1
                print(f"FAILED  {name}: {failure}")
            else:
                passed += 1
                print(f"ok      {name}")
    print(f"{passed} passed, {failed} failed")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
