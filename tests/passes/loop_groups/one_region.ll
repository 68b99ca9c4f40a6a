; Without barriers: block loop, group loops of the rows, the code; ids are loop variables; no dispatcher.
; RUN: %cucpu-opt --passes=loop_groups --simd=1 %s | FileCheck %s
define void @k(ptr %p, i32 %n) "cucpu.kernel" {
  %t = call i32 @cucpu.tid.x()
  %b = call i32 @cucpu.ctaid.x()
  %d = call i32 @cucpu.ntid.x()
  %m = mul i32 %b, %d
  %i = add i32 %m, %t
  %c = icmp slt i32 %i, %n
  br i1 %c, label %in, label %out
in:
  %q = getelementptr i32, ptr %p, i32 %i
  store i32 %t, ptr %q
  br label %out
out:
  ret void
}
declare i32 @cucpu.tid.x()
declare i32 @cucpu.ntid.x()
declare i32 @cucpu.ctaid.x()
; CHECK: define internal void @k.entry(ptr %launch, ptr %worker, i64 %first, i64 %end) #[[E:[0-9]+]]
; CHECK: %ntid = load i32
; CHECK: load ptr, ptr
; The place of the first block is a division; from then on it is counted, row after row.
; CHECK: udiv i64 %first,
; CHECK: block:
; CHECK-NEXT: %ctaid.x.0 = phi i32 [ %{{.*}}, %entry ], [ %[[NX:.*]], %loop.out ]
; CHECK-NEXT: %ctaid.y.0 = phi i32
; CHECK-NOT: udiv
; CHECK: z{{[0-9]*}}:
; CHECK: y{{[0-9]*}}:
; CHECK: x{{[0-9]*}}:
; CHECK: %[[X:.*]] = phi i32 [ 0, %
; CHECK: mul i32 %ctaid.x.0, %ntid
; CHECK: store i32 %[[X]], ptr %q
; CHECK: %[[NEXT:.*]] = add i32 %ctaid.x.0, 1
; CHECK: %[[END:.*]] = icmp eq i32 %[[NEXT]], %nctaid
; CHECK: %[[NX]] = select i1 %[[END]], i32 0, i32 %[[NEXT]]
; CHECK: %[[CARRY:.*]] = zext i1 %[[END]] to i32
; CHECK: add i32 %ctaid.y.0, %[[CARRY]]
; CHECK: icmp ult i64 %{{.*}}, %end
; CHECK-NOT: resume
; CHECK-NOT: call {{.*}}@cucpu.tid
; CHECK: attributes #[[E]] = {{{.*}}"cucpu.entry" "cucpu.frame"="0,0"
