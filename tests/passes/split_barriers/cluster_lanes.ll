; Lanes that come to a barrier of the cluster at two places: no groups.  Lanes that have ended do not matter.
; RUN: not %cucpu-opt --passes=make_variants,split_barriers --simd=4 %s 2>&1 | FileCheck %s
; CHECK-NOT: 'ends
; CHECK: error: unsupported: only some lanes of a group reach a barrier of the cluster ('parts')
; CHECK-NOT: 'ends
define void @ends(i32 %n) "cucpu.kernel" {
entry:
  %t = call i32 @cucpu.tid.x()
  %in = icmp slt i32 %t, %n
  br i1 %in, label %a, label %entry.out
entry.out:
  br label %out
a:
  call void @cucpu.cluster.sync()
  br label %out
out:
  ret void
}
define void @parts() "cucpu.kernel" {
entry:
  %t = call i32 @cucpu.tid.x()
  %odd = trunc i32 %t to i1
  br i1 %odd, label %a, label %b
a:
  call void @cucpu.cluster.sync()
  br label %out
b:
  call void @cucpu.cluster.sync()
  br label %out
out:
  ret void
}
declare i32 @cucpu.tid.x()
declare void @cucpu.cluster.sync()
