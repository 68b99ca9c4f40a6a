# kernels of many instructions: name, instructions, launches
for name, n, launches in [("known", 4000, "4,4,1"), ("unknown", 4000, "4,4,1;?"),
                          ("third", 4000, "4,4,1;20,1,1;32,1,1"), ("small", 100, "4,4,1")]:
    print(f'define void @{name}(ptr %a) "cucpu.kernel" "cucpu.launches"="{launches}" {{\n  %v0 = load i32, ptr %a')
    for i in range(n): print(f"  %v{i + 1} = mul i32 %v{i}, %v{i // 2}")
    print(f"  store i32 %v{n}, ptr %a\n  ret void\n}}")
