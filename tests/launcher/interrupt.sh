# A signal ends the compiler, its children, and leaves no file behind.
# REQUIRES: run
# RUN: bash %s %cucpu %S/Inputs/slow-clang %t TERM 143
# RUN: bash %s %cucpu %S/Inputs/slow-clang %t INT 130
# RUN: bash %s %cucpu %S/Inputs/slow-clang %t QUIT 131
set -eu
cucpu=$1 slow=$2 dir=$3 sig=$4 expected=$5
rm -rf "$dir" && mkdir -p "$dir/tmp" && cd "$dir"
echo 'int main() {}' > a.cu
export TMPDIR=$dir/tmp CUCPU_CLANG=$slow SLOW_STARTED=$dir/started
python3 - "$cucpu" "$sig" "$expected" <<'EOF'
import os, signal, subprocess, sys, time
cucpu, name, expected = sys.argv[1:]
p = subprocess.Popen([cucpu, "a.cu", "-o", "a"])
for _ in range(200):
    if os.path.exists(os.environ["SLOW_STARTED"]):
        break
    time.sleep(0.05)
else:
    sys.exit("the compiler never started")
began = time.time()
p.send_signal(getattr(signal, "SIG" + name))
status = p.wait(timeout=20)
if status != 128 - int(expected):
    sys.exit(f"ended with {status}")
if time.time() - began > 10:
    sys.exit("took too long to end")
EOF
rm started
test -z "$(ls -A tmp)"
test "$(ls -A | tr '\n' ' ')" = "a.cu tmp "
