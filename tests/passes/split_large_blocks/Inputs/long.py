# A block of N times: 20 loads and their sum, of which alone something is left.
import sys

print("define void @k(ptr %p) {\n  %s0 = load i32, ptr %p")
n = 0
for turn in range(int(sys.argv[1])):
    for k in range(20):
        print(f"  %v{turn}.{k} = load volatile i32, ptr %p")
    for k in range(20):
        print(f"  %s{n + 1} = add i32 %s{n}, %v{turn}.{k}")
        n += 1
print(f"  store i32 %s{n}, ptr %p\n  ret void\n}}")
