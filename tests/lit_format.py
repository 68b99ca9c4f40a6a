# The kind of our lit tests.  A module of its own, because lit hands it to its worker processes.
import os
import zlib

import lit.formats
import lit.TestRunner


class Format(lit.formats.ShTest):
    """C and C++ files without RUN lines are helpers and unit tests, which CMake builds."""

    def getTestsInDirectory(self, *args):
        for test in super().getTestsInDirectory(*args):
            path = test.getSourcePath()
            if path.endswith((".c", ".cpp")):
                with open(path, errors="replace") as f:
                    if "RUN:" not in f.read():
                        continue
            yield test

    def execute(self, test, litConfig):
        """%also { COMMANDS; }: a further way to compile a program that the whole run, which has a limit of time, takes
        for a tenth of the tests, by the sums of their names.  %rarely { COMMANDS; }: one that takes minutes, for none.
        CUCPU_TEST_WIDTHS=all: always."""
        everything = os.environ.get("CUCPU_TEST_WIDTHS") == "all"
        chosen = everything or zlib.crc32(test.path_in_suite[-1].encode()) % 10 == 0
        ways = [("%also", "" if chosen else "true ||"), ("%rarely", "" if everything else "true ||")]
        return lit.TestRunner.executeShTest(test, litConfig, self.execute_external, ways)
