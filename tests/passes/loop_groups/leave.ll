; `if (tid.x < n)` with nothing behind it but the barrier: the first group for which it is false ends its row.
; A condition that can become true again does not.
; RUN: %cucpu-opt --passes=split_barriers,loop_groups --simd=1 %s | FileCheck %s
; RUN: %cucpu-opt --passes=split_barriers,loop_groups --simd=1 --disable=unroll_and_jam %s | FileCheck --check-prefix=OFF %s
define void @k(ptr %p, i32 %n) "cucpu.kernel" {
entry:
  %x = call i32 @cucpu.tid.x()
  %less = icmp slt i32 %x, %n
  br i1 %less, label %then, label %end
then:
  store volatile i32 1, ptr %p
  br label %end
end:
  call void @cucpu.barrier(i32 0)
  %x2 = call i32 @cucpu.tid.x()
  %off = sub i32 %x2, %n
  %in = icmp ult i32 %off, 4
  br i1 %in, label %then2, label %end2
then2:
  store volatile i32 2, ptr %p
  br label %end2
end2:
  ret void
}

; A difference that does not wrap, as a signed integer; one that may.
define void @differences(ptr %p, i32 %n, i32 %m) "cucpu.kernel" {
entry:
  %x = call i32 @cucpu.tid.x()
  %i = sub nsw i32 %x, %n
  %first = icmp slt i32 %i, %m
  br i1 %first, label %then, label %end
then:
  store volatile i32 1, ptr %p
  br label %end
end:
  call void @cucpu.barrier(i32 0)
  %x2 = call i32 @cucpu.tid.x()
  %i2 = sub i32 %x2, %n
  %second = icmp slt i32 %i2, %m
  br i1 %second, label %then2, label %end2
then2:
  store volatile i32 2, ptr %p
  br label %end2
end2:
  ret void
}
declare i32 @cucpu.tid.x()
declare void @cucpu.barrier(i32)
; CHECK: br i1 %less, label %then, label %row.end
; CHECK: br i1 %in, label %{{.*}}, label %group.end
; OFF: br i1 %less, label %then, label %[[NEXT:group[a-z.]*]]
; OFF: [[NEXT]]:
; OFF: label %row.end
; CHECK-LABEL: @differences.entry
; CHECK: br i1 %first{{.*}}, label %then, label %row.end
; CHECK: br i1 %second{{.*}}, label %{{.*}}, label %group.end
