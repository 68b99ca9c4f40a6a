"""A kernel with a local array of pairs, whose elements go by value through n calls of a function that adds two."""
import sys
n = int(sys.argv[1])
print("""%pair = type { i32, float }
%gap = type { i8, i32 }
declare void @use(ptr, ptr)
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)
define internal void @add(ptr %to, ptr byval(%pair) align 4 %a, ptr byval(%pair) align 4 %b) {
  %b1 = getelementptr %pair, ptr %b, i32 0, i32 1
  %x = load i32, ptr %a
  %y = load i32, ptr %b
  %z = load float, ptr %b1
  %sum = add i32 %x, %y
  store i32 %sum, ptr %to
  %to1 = getelementptr %pair, ptr %to, i32 0, i32 1
  store float %z, ptr %to1
  ret void
}
define void @k(ptr %out, i32 %i) "cucpu.kernel" {
  %v = alloca [4 x %pair], align 4
  %t = alloca %pair, align 4
  %g = alloca %gap, align 4
  %h = alloca %gap, align 4
  call void @llvm.memcpy.p0.p0.i64(ptr align 4 %g, ptr align 4 %h, i64 8, i1 false)
  call void @use(ptr %g, ptr %h)
  %any = getelementptr [4 x %pair], ptr %v, i32 0, i32 %i
  store i32 1, ptr %any""")
for k in range(n):
    print(f"""  %p{k} = getelementptr [4 x %pair], ptr %v, i64 0, i64 {k % 4}
  call void @add(ptr %t, ptr byval(%pair) align 4 %p{k}, ptr byval(%pair) align 4 %p{k})
  call void @llvm.memcpy.p0.p0.i64(ptr align 4 %p{k}, ptr align 4 %t, i64 8, i1 false)""")
print("""  call void @llvm.memcpy.p0.p0.i64(ptr align 4 %out, ptr align 4 %any, i64 8, i1 false)
  ret void
}""")
