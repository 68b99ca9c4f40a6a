; RUN: %cucpu-opt --passes=make_variants,linearise --simd=8 %s -o - | FileCheck --check-prefix=ON %s
; RUN: %cucpu-opt --passes=make_variants,linearise --simd=8 --disable=uniform_control_flow %s -o - | FileCheck --check-prefix=OFF %s
; A branch on an argument stays.  --disable=uniform_control_flow: it is linearised, but not where it decides
; whether a barrier is reached.
declare i32 @cucpu.tid.x()
declare void @cucpu.barrier(i32) convergent

; ON-LABEL: define {{.*}} @plain.w8.rows_full
; ON: br i1 %c
; OFF-LABEL: define {{.*}} @plain.w8.rows_full
; OFF-NOT: br i1
; OFF: call void @cucpu.mask(i1 %c)
; OFF: ret void
define void @plain(ptr %p, i32 %n) #0 {
entry:
  %t = call i32 @cucpu.tid.x()
  %q = getelementptr i32, ptr %p, i32 %t
  %c = icmp sgt i32 %n, 0
  br i1 %c, label %then, label %else
then:
  store i32 1, ptr %q
  br label %end
else:
  store i32 2, ptr %q
  br label %end
end:
  ret void
}

; OFF-LABEL: define {{.*}} @around_barrier.w8.rows_full
; OFF: br i1 %c
define void @around_barrier(ptr %p, i32 %n) #0 {
entry:
  %t = call i32 @cucpu.tid.x()
  %q = getelementptr i32, ptr %p, i32 %t
  %c = icmp sgt i32 %n, 0
  br i1 %c, label %then, label %skip
then:
  store i32 1, ptr %q
  call void @cucpu.barrier(i32 0)
  br label %end
skip:
  br label %end
end:
  ret void
}
attributes #0 = { "cucpu.kernel" }
