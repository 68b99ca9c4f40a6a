; RUN: %cucpu-opt --passes=make_variants,linearise,widen --simd=8 --disable=split_conditions %s -o - | FileCheck --check-prefix=ON %s
; RUN: %cucpu-opt --passes=make_variants,linearise,widen --simd=8 --disable=split_conditions,uniform_values,uniform_control_flow %s -o - | FileCheck --check-prefix=OFF %s
; The counter of a loop that lanes leave one by one (Mandelbrot, figure 11 of Karrenberg and Hack) stays a scalar, with
; a vector for the result. --disable=uniform_values: it is a vector, although the branch of the loop depends on it: that
; is a test of a mask, which is computed of vectors.
declare i32 @cucpu.tid.x()

; ON-LABEL: define {{.*}} @count.w8.rows_full
; ON: phi i32
; ON: add {{.*}}i32 %{{.*}}, 1
; OFF-LABEL: define {{.*}} @count.w8.rows_full
; OFF-NOT: phi i32
; OFF: phi <8 x i32>
; OFF: add {{.*}}<8 x i32>
; OFF: icmp slt <8 x i32>
define void @count(ptr %p, i32 %n) #0 {
  %t = call i32 @cucpu.tid.x()
  %q = getelementptr float, ptr %p, i32 %t
  %x0 = load float, ptr %q
  br label %head

head:
  %i = phi i32 [ 0, %0 ], [ %next, %back ]
  %x = phi float [ %x0, %0 ], [ %y, %back ]
  %y = fmul float %x, %x
  %next = add nsw i32 %i, 1
  %more = icmp slt i32 %next, %n
  %small = fcmp olt float %y, 4.0
  %stay = select i1 %more, i1 %small, i1 false
  br i1 %stay, label %back, label %done

back:
  br label %head

done:
  %last = phi i32 [ %next, %head ]
  store i32 %last, ptr %q
  ret void
}
attributes #0 = { "cucpu.kernel" }
