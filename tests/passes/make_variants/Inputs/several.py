# one kernel whose launch is known, one that may have others, and as many more of 1,500 instructions as the argument
# says
import sys

names = {"known": '"cucpu.kernel" "cucpu.launches"="4,4,1"', "unknown": '"cucpu.kernel" "cucpu.launches"="4,4,1;?"'}
for k in range(int(sys.argv[1])): names[f"k{k}"] = '"cucpu.kernel"'
for name, attributes in names.items():
    print(f'define void @{name}(ptr %a, ptr %b) {attributes} {{\n  %t = call i32 @cucpu.tid.x()\n'
          '  %p = getelementptr i8, ptr %a, i32 %t')
    print("  %q = getelementptr i8, ptr %b, i32 %t\n  %v0 = load i8, ptr %p")
    n = 1500 if name[0] == "k" and name[1:].isdigit() else 10
    for i in range(n): print(f"  %v{i + 1} = mul i8 %v{i}, %v{i // 2}")
    print(f"  store i8 %v{n}, ptr %q\n  ret void\n}}")
print("declare i32 @cucpu.tid.x()")
