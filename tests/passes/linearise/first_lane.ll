; RUN: %cucpu-opt --passes=make_variants,linearise --simd=8 %s -o - | FileCheck %s
; RUN: %cucpu-opt --passes=make_variants,linearise,widen --simd=8 %s -o - | FileCheck --check-prefix=WIDE %s
; Both sides of the comparison have the stride 1 and do not wrap, so lanes leave the loop together; but lane 0, which may
; not run it, may have wrapped. The branch stays one, on the operands in the first active lane. Where all lanes run it,
; that is lane 0.
; CHECK-LABEL: define {{.*}} @some.w8.rows_full
; CHECK: %next = add nsw i32 %{{.*}}, %c
; CHECK: [[T:%.*]] = call i32 @cucpu.first.i32(i1 [[MASK:%.*]], i32 %next)
; CHECK: [[E:%.*]] = call i32 @cucpu.first.i32(i1 [[MASK]], i32 %end)
; CHECK: [[MORE:%.*]] = icmp slt i32 [[T]], [[E]]
; CHECK: br i1 [[MORE]], label %head.head_crit_edge
; CHECK-LABEL: define {{.*}} @all.w8.rows_full
; CHECK-NOT: cucpu.first
; CHECK: %more = icmp slt i32 %next, %end
; CHECK: br i1 %more, label %head.head_crit_edge
; WIDE-LABEL: define {{.*}} @some.w8.rows_full
; WIDE: %next = add i32 %{{.*}}, %c
; WIDE: call i8 @llvm.cttz.i8
; WIDE: [[T:%first.*]] = add i32 %next, {{.*}}
; WIDE: [[E:%first.*]] = add i32 %end, {{.*}}
; WIDE: [[MORE:%.*]] = icmp slt i32 [[T]], [[E]]
; WIDE: br i1 [[MORE]], label %head.head_crit_edge
declare i32 @cucpu.tid.x()

define void @some(ptr %out, i32 %a, i32 %b, i32 %c) #0 {
  %x = call i32 @cucpu.tid.x()
  %flag = load i32, ptr %out
  %bit = and i32 %x, %flag
  %few = icmp ne i32 %bit, 0
  br i1 %few, label %enter, label %skip

skip:
  br label %done

enter:
  %start = add nsw i32 %a, %x
  %end = add nsw i32 %b, %x
  br label %head

head:
  %t = phi i32 [ %start, %enter ], [ %next, %back ]
  store volatile i32 1, ptr %out
  %next = add nsw i32 %t, %c
  %more = icmp slt i32 %next, %end
  br i1 %more, label %back, label %left

back:
  br label %head

left:
  br label %done

done:
  ret void
}

define void @all(ptr %out, i32 %a, i32 %b, i32 %c) #0 {
  %x = call i32 @cucpu.tid.x()
  %start = add nsw i32 %a, %x
  %end = add nsw i32 %b, %x
  br label %head

head:
  %t = phi i32 [ %start, %0 ], [ %next, %back ]
  store volatile i32 1, ptr %out
  %next = add nsw i32 %t, %c
  %more = icmp slt i32 %next, %end
  br i1 %more, label %back, label %left

back:
  br label %head

left:
  ret void
}
attributes #0 = { "cucpu.kernel" }
