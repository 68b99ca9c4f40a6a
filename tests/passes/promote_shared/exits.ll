; A loop that can be left in two places, whose first test says how often it runs at most; inside, one whose frozen condition is made of
; constants once the first is unrolled. The array stays in registers.
; RUN: %cucpu-opt --passes=promote_shared --cpu=x86-64-v3 %s | FileCheck %s
; CHECK-LABEL: define void @exits.entry(
; CHECK-NOT: ptr %shared
; CHECK: ret void
define void @exits.entry(ptr %launch, ptr %worker, i64 %first, i64 %end, ptr %in, ptr %out, i32 %n) #0 {
entry:
  %shared = load ptr, ptr %worker
  %number = getelementptr i8, ptr %worker, i64 16
  store i64 %first, ptr %number
  br label %fill
fill:
  %f = phi i32 [ 0, %entry ], [ %f.next, %fill ]
  %from = getelementptr [16 x i8], ptr %in, i32 %f
  %v = load <4 x float>, ptr %from
  %place = getelementptr [16 x i8], ptr %shared, i32 %f
  store <4 x float> %v, ptr %place
  %f.next = add i32 %f, 1
  %more = icmp ult i32 %f.next, 4
  br i1 %more, label %fill, label %steps
steps:
  %k = phi i32 [ 0, %fill ], [ %k.next, %step.done ]
  %any = icmp ult i32 %k, 3
  br i1 %any, label %step, label %last
step:
  %a.place = getelementptr [16 x i8], ptr %shared, i32 %k
  %a = load <4 x float>, ptr %a.place
  %k.next = add i32 %k, 1
  %stop = icmp eq i32 %k.next, %n
  br i1 %stop, label %last, label %rows
rows:
  %y = phi i32 [ %k.next, %step ], [ %y.next, %rows ]
  %b.place = getelementptr [16 x i8], ptr %shared, i32 %y
  %b = load <4 x float>, ptr %b.place
  %c = fsub <4 x float> %b, %a
  store <4 x float> %c, ptr %b.place
  %y.next = add i32 %y, 1
  %again = icmp ult i32 %y.next, 4
  %frozen = freeze i1 %again
  br i1 %frozen, label %rows, label %step.done
step.done:
  br label %steps
last:
  %r.place = getelementptr i8, ptr %shared, i64 48
  %r = load <4 x float>, ptr %r.place
  store <4 x float> %r, ptr %out
  ret void
}
attributes #0 = { "cucpu.entry" "cucpu.width"="4" "cucpu.layout"="0" "cucpu.block"="4,1,1" "cucpu.static_shared"="64" }
