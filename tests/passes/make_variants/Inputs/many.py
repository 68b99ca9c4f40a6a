# as many kernels of 1,500 instructions as the argument says
import sys

for k in range(int(sys.argv[1])):
    print(f'define void @k{k}(ptr %a, ptr %b) "cucpu.kernel" {{\n  %t = call i32 @cucpu.tid.x()\n'
          '  %p = getelementptr i8, ptr %a, i32 %t')
    print("  %q = getelementptr i8, ptr %b, i32 %t\n  %v0 = load i8, ptr %p")
    for i in range(1500): print(f"  %v{i + 1} = mul i8 %v{i}, %v{i // 2}")
    print("  store i8 %v1500, ptr %q\n  ret void\n}")
print("declare i32 @cucpu.tid.x()")
