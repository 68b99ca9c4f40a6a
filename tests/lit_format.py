# The kind of our lit tests.  A module of its own, because lit hands it to its worker processes.
import lit.formats


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
