"""A runner of named tests, one after the other. It counts them, and skips a test that cannot run here, with the reason."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "c-examples"))
from run_tests import Failure  # noqa: E402


class Skipped(Exception):
    """Raised when something that a test needs is not available."""


def run_named(tests, words):
    """`tests`: pairs of a name and a function, made as they are needed. `words`: only tests with one of them in their name,
    if there are any. Ends the program."""
    passed = failed = skipped = 0
    for name, test in tests:
        if words and not any(word in name for word in words):
            continue
        try:
            test()
        except Skipped as reason:
            skipped += 1
            print(f"SKIPPED {name}: {reason}", flush=True)
        except Failure as failure:
            failed += 1
            print(f"FAILED  {name}: {failure}", flush=True)
        else:
            passed += 1
            print(f"ok      {name}", flush=True)
    print(f"{passed} passed, {failed} failed, {skipped} skipped")
    sys.exit(1 if failed else 0)
