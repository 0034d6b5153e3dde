"""Runs named tests one after the other and counts them. A test that cannot run here is skipped, with the reason."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "c-examples"))
from run_tests import Failure  # noqa: E402


class Skipped(Exception):
    """Raised when something that a test needs is not available."""


def run_named(tests, words):
    """Runs `tests`, which yields pairs of a name and a function, and ends the program. With `words`, runs only tests whose name
    has one of the words."""
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
