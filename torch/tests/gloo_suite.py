"""torch's own tests of gloo, DistributedTest, on three forked ranks each: gloo_suite.py RESULT [PATTERN].

BACKEND names the backend. RESULT is a JSON file: for each test "pass", "skip" or what went wrong. The tests are part of
torch's wheel, and need the package expecttest.
"""

import json
import os
import re
import sys
import tempfile
import unittest

os.environ |= {"WORLD_SIZE": "3", "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": "29533", "TEMP_DIR": tempfile.mkdtemp(),
               "DISTRIBUTED_TESTS_DEFAULT_TIMEOUT": "100"}

import torch  # noqa: E402
import torch._dynamo  # noqa: E402, F401
from torch.testing._internal.distributed import distributed_test  # noqa: E402


class Suite(distributed_test.TestDistBackend, distributed_test.DistributedTest._DistTestBase):
    # Of torch's setUp, which may write it.
    skip_return_code_checks = []

    def setUp(self):
        super().setUp()
        # A fork takes milliseconds; torch would start each rank with a new import of torch.
        self._start_processes(torch.multiprocessing.get_context("fork").Process)


def outcome(name):
    result = unittest.TestResult()
    Suite(name).run(result)
    wrong = [text for _, text in result.errors + result.failures]
    return wrong[0][-1000:] if wrong else "skip" if result.skipped else "pass"


def main():
    torch.set_num_threads(1)
    file, pattern = sys.argv[1], sys.argv[2] if len(sys.argv) > 2 else ""
    names = [name for name in unittest.TestLoader().getTestCaseNames(Suite) if re.search(pattern, name)]
    outcomes = {name: outcome(name) for name in names}
    with open(file, "w", encoding="utf-8") as result:
        json.dump(outcomes, result)


if __name__ == "__main__":
    main()
