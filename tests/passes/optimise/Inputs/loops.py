"""A function with four sums side by side behind as many loops as the argument says."""
import sys
n = int(sys.argv[1])
print("define void @f(ptr noalias %p, ptr noalias %q, i32 %n) {\nentry:\n  br label %h0")
before = "entry"
for k in range(n):
    print(f"""h{k}:
  %i{k} = phi i32 [ 0, %{before} ], [ %j{k}, %h{k} ]
  store volatile i32 %i{k}, ptr %p
  %j{k} = add i32 %i{k}, 1
  %c{k} = icmp slt i32 %j{k}, %n
  br i1 %c{k}, label %h{k}, label %h{k + 1}""")
    before = f"h{k}"
print(f"h{n}:")
for k in range(4):
    print(f"""  %a{k} = getelementptr float, ptr %q, i64 {k}
  %x{k} = load float, ptr %a{k}
  %s{k} = fadd float %x{k}, 1.0
  store float %s{k}, ptr %a{k}""")
print("  ret void\n}")
