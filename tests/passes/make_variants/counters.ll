; Parameters that are used for nothing but integer sums whose old values nobody looks at: the kernel has a variant in which each worker counts for
; itself (bit k: parameter k; then those of 8 bytes; then whether threads may seldom count).  Not where an old value is used, where the counters are read as well, sums are of floats, all threads
; count in one place, an address comes out of memory, or something orders the sums for others.
; RUN: %cucpu-opt --passes=make_variants --cpu=x86-64-v3 %s | FileCheck %s
; RUN: %cucpu-opt --passes=make_variants --cpu=x86-64-v3 %s | FileCheck --check-prefix=NOT %s
; RUN: %cucpu-opt --passes=make_variants --cpu=x86-64-v3 --disable=privatise_histogram %s | FileCheck --check-prefix=OFF %s
; CHECK-DAG: atomicrmw add ptr %p, i32 1 monotonic, align 4, !cucpu.block_only
; CHECK-DAG: "cucpu.base"="counts"{{.*}}"cucpu.counters"="1,0,0"
; CHECK-DAG: "cucpu.base"="two"{{.*}}"cucpu.counters"="5,4,0"
; CHECK-DAG: "cucpu.base"="seldom"{{.*}}"cucpu.counters"="1,0,1"
; NOT-NOT: "cucpu.base"="{{old|reads|floats|one_place|from_memory|fence|compares|volatile}}"{{.*}}"cucpu.counters"
; OFF-NOT: "cucpu.counters"
declare i32 @cucpu.tid.x()
define void @counts(ptr %h, ptr %in) "cucpu.kernel" {
  %t = call i32 @cucpu.tid.x()
  %q = getelementptr i32, ptr %in, i32 %t
  %v = load i32, ptr %q
  %p = getelementptr i32, ptr %h, i32 %v
  %x = atomicrmw add ptr %p, i32 1 monotonic
  ret void
}
define void @two(ptr %h, ptr %in, ptr %wide) "cucpu.kernel" {
  %t = call i32 @cucpu.tid.x()
  %q = getelementptr i32, ptr %in, i32 %t
  %v = load i32, ptr %q
  %p = getelementptr i32, ptr %h, i32 %v
  %x = atomicrmw sub ptr %p, i32 %t monotonic
  %r = getelementptr i64, ptr %wide, i32 %v
  %y = atomicrmw add ptr %r, i64 1 monotonic
  ret void
}
define void @old(ptr %h, ptr %in) "cucpu.kernel" {
  %t = call i32 @cucpu.tid.x()
  %q = getelementptr i32, ptr %in, i32 %t
  %v = load i32, ptr %q
  %p = getelementptr i32, ptr %h, i32 %v
  %x = atomicrmw add ptr %p, i32 1 monotonic
  store i32 %x, ptr %q
  ret void
}
define void @reads(ptr %h) "cucpu.kernel" {
  %t = call i32 @cucpu.tid.x()
  %q = getelementptr i32, ptr %h, i32 %t
  %v = load i32, ptr %q
  %p = getelementptr i32, ptr %h, i32 %v
  %x = atomicrmw add ptr %p, i32 1 monotonic
  ret void
}
define void @floats(ptr %h, ptr %in) "cucpu.kernel" {
  %t = call i32 @cucpu.tid.x()
  %q = getelementptr i32, ptr %in, i32 %t
  %v = load i32, ptr %q
  %p = getelementptr float, ptr %h, i32 %v
  %x = atomicrmw fadd ptr %p, float 1.0 monotonic
  ret void
}
define void @one_place(ptr %h, ptr %in) "cucpu.kernel" {
  %x = atomicrmw add ptr %h, i32 1 monotonic
  ret void
}
define void @from_memory(ptr %h, ptr %in) "cucpu.kernel" {
  %t = call i32 @cucpu.tid.x()
  %a = load ptr, ptr %in
  %q = getelementptr i32, ptr %a, i32 %t
  %v = load i32, ptr %q
  %p = getelementptr i32, ptr %h, i32 %v
  %x = atomicrmw add ptr %p, i32 1 monotonic
  ret void
}
define void @fence(ptr %h, ptr %in) "cucpu.kernel" {
  %t = call i32 @cucpu.tid.x()
  %q = getelementptr i32, ptr %in, i32 %t
  %p = getelementptr i32, ptr %h, i32 %t
  %x = atomicrmw add ptr %p, i32 1 monotonic
  fence seq_cst
  store i32 1, ptr %q
  ret void
}
define void @compares(ptr %h, ptr %in) "cucpu.kernel" {
  %t = call i32 @cucpu.tid.x()
  %p = getelementptr i32, ptr %h, i32 %t
  %x = atomicrmw add ptr %p, i32 1 monotonic
  %y = cmpxchg ptr %p, i32 1, i32 0 monotonic monotonic
  ret void
}
define void @volatile(ptr %h, ptr %in) "cucpu.kernel" {
  %t = call i32 @cucpu.tid.x()
  %p = getelementptr i32, ptr %h, i32 %t
  %x = atomicrmw add ptr %p, i32 1 monotonic
  store volatile i32 1, ptr %in
  ret void
}
define void @seldom(ptr %h, ptr %in) "cucpu.kernel" {
  %t = call i32 @cucpu.tid.x()
  %q = getelementptr i32, ptr %in, i32 %t
  %v = load i32, ptr %q
  %c = icmp sgt i32 %v, 9
  br i1 %c, label %count, label %to.end
to.end:
  br label %end
count:
  %p = getelementptr i32, ptr %h, i32 %t
  %x = atomicrmw add ptr %p, i32 1 monotonic
  br label %end
end:
  ret void
}
