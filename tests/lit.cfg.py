# The root of all lit tests: every folder beside this file is a suite, every file in it with a
# known suffix is a test.  See docs/testing.md.
import glob
import os
import shutil
import subprocess
import sys

sys.path.insert(0, os.path.dirname(__file__))
import lit_format


config.name = "cucpu"
config.test_format = lit_format.Format(execute_external=True)
config.suffixes = [".ll", ".cu", ".c", ".cpp", ".ptx", ".test", ".sh"]
config.excludes = ["Inputs", "CMakeLists.txt", "README.md"]
config.test_source_root = os.path.dirname(__file__)
config.test_exec_root = os.path.join(config.build_dir, "tests", "lit")

bin_dir = os.path.join(config.build_dir, "bin")
resources = os.path.join(config.build_dir, "lib", "cucpu")

# Tests see the machine's own environment only as far as tools need it.
for name in ["TMPDIR", "ASAN_OPTIONS", "UBSAN_OPTIONS", "TSAN_OPTIONS", "HOME"]:
    if name in os.environ:
        config.environment[name] = os.environ[name]
for name in [n for n in config.environment if n.startswith("CUCPU_")]:
    del config.environment[name]
if "CUCPU_TEST_WIDTHS" in os.environ:
    config.environment["CUCPU_TEST_WIDTHS"] = os.environ["CUCPU_TEST_WIDTHS"]
config.environment["CUCPU_CLANG"] = config.clang
config.environment["CUCPU_CACHE"] = os.path.join(config.build_dir, "tests", "cache")
config.environment["CMAKE_GENERATOR"] = "Ninja"  # a machine may have no make
config.environment["PATH"] = os.pathsep.join(
    [bin_dir, config.llvm_tools_dir, os.environ["PATH"]])

config.substitutions += [
    ("%cucpu-opt", os.path.join(bin_dir, "cucpu-opt")),
    ("%cucpu-ptx", os.path.join(bin_dir, "cucpu-ptx")),
    ("%cucpu", os.path.join(bin_dir, "cucpu")),
    ("%sweep", os.path.join(bin_dir, "cucpu-sweep")),
    ("%clangxx", config.clang + " --driver-mode=g++"),
    ("%clang", config.clang),
    ("%resources", resources),
    ("%build", config.build_dir),
    ("%root", config.source_dir),
    ("%cmake", config.cmake),
    ("%python", config.python),
    ("%cc", config.c_compiler),
    ("%run", "timeout 60"),
]


def cpu_flags():
    try:
        with open("/proc/cpuinfo") as f:
            for line in f:
                if line.startswith("flags"):
                    return set(line.split(":", 1)[1].split())
    except OSError:
        pass
    return set()


V2 = {"sse4_2", "popcnt", "ssse3"}
V3 = V2 | {"avx2", "fma", "bmi1", "bmi2", "f16c"}
V4 = V3 | {"avx512f", "avx512bw", "avx512cd", "avx512dq", "avx512vl"}
flags = cpu_flags()
for level, needed in [("x86-64-v2", V2), ("x86-64-v3", V3), ("x86-64-v4", V4)]:
    if needed <= flags:
        config.available_features.add(level)

config.available_features.add("sanitizer" if config.sanitizer else "no-sanitizer")
if config.sanitizer:
    # The compiler is a short-lived process that leaves much to its end.
    # Freed memory is kept back for a few MB only: with the default of 256 MB much time goes into page faults.
    config.environment.setdefault(
        "ASAN_OPTIONS", "detect_leaks=0:malloc_context_size=4:quarantine_size_mb=4:thread_local_quarantine_size_kb=256")
for tool in ["cucpu", "cucpu-opt", "cucpu-ptx"]:
    if os.path.exists(os.path.join(bin_dir, tool)):
        config.available_features.add(tool)
for tool in ["ccache", "make", "lcov"]:  # a machine need not have them
    if shutil.which(tool):
        config.available_features.add(tool)
if glob.glob(os.path.join(config.llvm_tools_dir, "../lib/clang/*/lib/*/libclang_rt.profile*")):
    config.available_features.add("clang-rt")
nvcc = shutil.which("nvcc", path=os.environ["PATH"])
if nvcc and os.path.exists(os.path.join(os.path.dirname(nvcc), "ptxas")):  # NVIDIA's
    config.available_features.add("nvcc")
    config.substitutions.append(("%nvcc", nvcc))
if shutil.which("gdb"):
    tried = subprocess.run(["gdb", "-q", "-batch", "-ex", "python print('python')", "-ex", "run", "/bin/true"],
                           capture_output=True, text=True, stdin=subprocess.DEVNULL)
    if "python" in tried.stdout and "exited normally" in tried.stdout:
        config.available_features.add("gdb")
if all(shutil.which(tool) for tool in ["dpkg-deb", "dpkg-shlibdeps", "pkg-config"]):
    config.available_features.add("dpkg")
if shutil.which("mpicxx"):
    config.available_features.add("mpi")
# The whole way from source to a running program.
if not config.runtime_sanitized and all(os.path.exists(os.path.join(resources, f))
       for f in ["libcudart.so", "device.bc", "include/cuda_runtime.h"]):
    config.available_features.add("run")
