#!/bin/bash
# bootstrap.sh: from a fresh Debian 12 to a built and tested cucpu.
#
#   ./bootstrap.sh deps    install what is missing (apt-get; needs root or sudo only then)
#   ./bootstrap.sh build   deps, then configure and build into build/ (release preset)
#   ./bootstrap.sh demo    build, then compile a sample with cucpu and run it
#   ./bootstrap.sh test    build, then run all tests; the last line is "N passed, N failed"
#
# Every step may be repeated; with everything in place nothing is downloaded or changed.
# JOBS=n limits parallel compile jobs.
set -euo pipefail
cd "$(dirname "$0")"

jobs=${JOBS:-$(nproc)}
llvm=/usr/lib/llvm-22

say() { printf '== %s\n' "$*"; }
die() { printf 'bootstrap.sh: error: %s\n' "$*" >&2; exit 1; }

# One line per need: a file that shows that it is there, then the package which has it.
needs() {
    cat <<EOF
$llvm/bin/clang                          clang-22
$llvm/lib/cmake/llvm/LLVMConfig.cmake    llvm-22-dev
$llvm/include/clang/Sema/Sema.h          libclang-22-dev
$llvm/bin/llvm-link                      llvm-22
$llvm/bin/FileCheck                      llvm-22-tools
$llvm/bin/ld.lld                         lld-22
$llvm/lib/libomp.so                      libomp-22-dev
/usr/include/sleef.h|/usr/include/*/sleef.h   libsleef-dev
/usr/include/hwloc.h                     libhwloc-dev
/usr/lib/*/libzstd.so.1|/usr/lib/libzstd.so.1   libzstd1
/usr/lib/*/liblz4.so.1|/usr/lib/liblz4.so.1     liblz4-1
/usr/include/cmocka.h                    libcmocka-dev
/usr/lib/*/libopenblas.so|/usr/lib/libopenblas.so   libopenblas-dev
/usr/include/fftw3.h                     libfftw3-dev
/usr/bin/pkg-config                      pkg-config
/usr/bin/cmake                           cmake
/usr/bin/clang-format-14                 clang-format-14
/usr/bin/ninja                           ninja-build
/usr/bin/g++                             g++
/usr/bin/dpkg-shlibdeps                  dpkg-dev
/usr/bin/python3                         python3
/usr/lib/python3/dist-packages/psutil    python3-psutil
EOF
}

missing_packages() {
    while read -r files package; do
        found=
        IFS='|' read -ra patterns <<<"$files"
        for pattern in "${patterns[@]}"; do
            if compgen -G "$pattern" >/dev/null; then found=1; fi
        done
        [ -n "$found" ] || echo "$package"
    done < <(needs)
}

as_root() {
    if [ "$(id -u)" = 0 ]; then
        "$@"
    elif command -v sudo >/dev/null; then
        sudo "$@"
    else
        die "root or sudo is needed to run: $*"
    fi
}

deps() {
    local missing
    missing=$(missing_packages)
    if [ -z "$missing" ]; then
        say "dependencies: all present"
        return
    fi
    command -v apt-get >/dev/null || die "not a Debian system; please install: $(echo $missing)"
    say "dependencies: installing $(echo $missing)"
    export DEBIAN_FRONTEND=noninteractive
    as_root apt-get update -q
    for package in $missing; do
        apt-cache policy "$package" | grep 'Candidate: [^(]' >/dev/null ||
            die "no package $package: enable bookworm-security, which has LLVM 22"
    done
    as_root apt-get install -q -y --no-install-recommends $missing
    missing=$(missing_packages)
    [ -z "$missing" ] || die "still missing after the installation: $(echo $missing)"
}

# Configures and builds a preset; the build directory is its second argument.
build_preset() {
    local preset=$1 dir=$2 target=${3:-all} log
    log=$(mktemp)
    say "configuring $dir (preset $preset)"
    if ! cmake --preset "$preset" >"$log" 2>&1; then
        cat "$log"
        rm -f "$log"
        say "configuring $dir failed"
        return 1
    fi
    rm -f "$log"
    say "building $dir with $jobs jobs"
    cmake --build "$dir" --target "$target" -j "$jobs"
}

build() {
    deps
    build_preset release build
}

demo() {
    build
    local sample=samples/matmul
    [ -f $sample/main.cu ] || sample=samples/saxpy
    local work
    work=$(mktemp -d)
    trap "rm -rf '$work'" EXIT # now: at the exit the variable is gone
    say "compiling: build/bin/cucpu -O3 $sample/main.cu -o $(basename $sample)"
    "build/bin/cucpu" -O3 "$sample/main.cu" -o "$work/demo"
    say "running"
    "$work/demo"
}

# Adds the cases of JUnit files to $passed and $failed.
count() {
    local numbers
    numbers=$(python3 - "$@" <<'EOF'
import os, sys
import xml.etree.ElementTree as ET
passed = failed = 0
for name in sys.argv[1:]:
    if not os.path.exists(name):
        failed += 1  # a part that left no result has failed
        continue
    for case in ET.parse(name).getroot().iter("testcase"):
        if case.find("failure") is not None or case.find("error") is not None:
            failed += 1
        elif case.find("skipped") is None and case.get("status", "run") != "disabled":
            passed += 1
print(passed, failed)
EOF
)
    passed=$((passed + ${numbers% *}))
    failed=$((failed + ${numbers#* }))
}

# Runs the lit tests of a build directory: each file counts.
run_lit() {
    local dir=$1
    rm -f "$dir/tests/lit.xml"
    ctest --test-dir "$dir" -R '^lit$' --output-on-failure || true
    count "$dir/tests/lit.xml"
}

# Runs the C unit test programs of a build directory, those whose names match: each program counts.
run_units() {
    local dir=$1 names=${2:-.}
    [ "$(ctest --test-dir "$dir" -N -R "$names" -E '^lit$' | grep -c 'Test *#')" -gt 0 ] || return 0 # grep -q would break the pipe
    rm -f "$dir/ctest.xml"
    ctest --test-dir "$dir" -R "$names" -E '^lit$' -j2 --output-on-failure --timeout 240 \
        --output-junit "$PWD/$dir/ctest.xml" || true
    count "$dir/ctest.xml"
}

# The whole has to end within 25 minutes on two slow cores: under sanitizers a compilation takes three times as long, and one in 64 of
# the tests that compile whole programs runs, many of them at many widths.
run_all_tests() {
    local whole_programs='badinput/undefined|gpu/|kernels/|launcher/|math/|samples/|headers/|libraries/|ptx/|runtime/' no_compiler='bench/|docs/|fuzz/source' a_minute=ptx/matrix
    # The default keeps 256 MB of freed memory back: half the time goes into page faults.
    local few_kept=malloc_context_size=4:quarantine_size_mb=4:thread_local_quarantine_size_kb=256
    passed=0 failed=0
    build
    say "testing the release build"
    run_lit build
    run_units build
    say "testing the compiler with AddressSanitizer and UndefinedBehaviorSanitizer"
    if build_preset debug-compiler build-debug-compiler; then
        LIT_FILTER_OUT="$whole_programs|$no_compiler" run_lit build-debug-compiler
        LIT_FILTER=$whole_programs LIT_FILTER_OUT=$a_minute LIT_NUM_SHARDS=64 LIT_RUN_SHARD=1 run_lit build-debug-compiler
        ASAN_OPTIONS=$few_kept run_units build-debug-compiler '^(analysis|fuzz|headers)'
    else
        failed=$((failed + 1))
    fi
    say "testing the runtime with AddressSanitizer and UndefinedBehaviorSanitizer"
    if build_preset debug build-debug runtime-tests; then
        run_units build-debug '^runtime/'
    else
        failed=$((failed + 1))
    fi
    say "testing the runtime with ThreadSanitizer"
    if ! build_preset tsan build-tsan runtime-tests; then
        failed=$((failed + 1))
    elif build-tsan/tests/runtime/test_env 2>&1 | grep -q 'FATAL: ThreadSanitizer'; then
        say "left out: ThreadSanitizer does not start with this kernel's layout of addresses"
    else
        run_units build-tsan '^runtime/'
    fi
    echo "$passed passed, $failed failed"
    [ "$failed" = 0 ] && [ "$passed" -gt 0 ]
}

case "${1:-}" in
deps) deps ;;
build) build ;;
demo) demo ;;
test) run_all_tests ;;
*)
    sed -n '2,10s/^# \{0,1\}//p' "$0"
    exit 1
    ;;
esac
