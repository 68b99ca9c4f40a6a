; A comparison of two values with the same stride that do not wrap is the same in all lanes where a branch depends on it:
; the number of iterations of `for (t = a + tid; t < b + tid; t += c)`.  Where only some lanes run the branch, it is made
; of the operands in the first of them.  Not where nothing branches on it.
; RUN: %cucpu-opt --passes='print<shapes>' --simd=8 %s | FileCheck %s
declare i32 @cucpu.tid.x()

; CHECK-LABEL: shapes of loop
; CHECK: %t: affine x
; CHECK: %more: {{.*}}uniform
; CHECK-NOT: branch divergent
; CHECK-LABEL: shapes of wraps
define void @loop(ptr %out, i32 %a, i32 %b, i32 %c) #0 {
  %x = call i32 @cucpu.tid.x()
  %start = add nsw i32 %a, %x
  %end = add nsw i32 %b, %x
  br label %head

head:
  %t = phi i32 [ %start, %0 ], [ %next, %back ]
  %p = getelementptr i32, ptr %out, i32 %t
  store i32 1, ptr %p
  %next = add nsw i32 %t, %c
  %more = icmp slt i32 %next, %end
  br i1 %more, label %back, label %done

back:
  br label %head

done:
  ret void
}
; CHECK: %more: {{.*}}varying
define void @wraps(ptr %out, i32 %a, i32 %b) #0 {
  %x = call i32 @cucpu.tid.x()
  %s = add i32 %a, %x
  %e = add i32 %b, %x
  %more = icmp slt i32 %s, %e
  br i1 %more, label %then, label %done

then:
  store i32 1, ptr %out
  br label %done

done:
  ret void
}
; CHECK-LABEL: shapes of some
; CHECK: few: block divergent branch group
; CHECK: %more: uniform(group)
; CHECK: %value: {{.*}}varying
define void @some(ptr %out, i32 %a, i32 %b) #0 {
  %x = call i32 @cucpu.tid.x()
  %odd = and i32 %x, 1
  %o = icmp eq i32 %odd, 0
  br i1 %o, label %few, label %done

few:
  %s0 = add nsw i32 %a, %x
  %s = add nsw i32 %s0, %b
  %e = add nsw i32 %b, %x
  %more = icmp slt i32 %s, %e
  br i1 %more, label %then, label %over

then:
  store i32 1, ptr %out
  br label %over

over:
  %u = add nsw i32 %x, %b
  %value = icmp slt i32 %s, %u
  %z = zext i1 %value to i32
  store i32 %z, ptr %out
  br label %done

done:
  ret void
}
; A square that does not wrap is at most 46340 * 46340, so a thread index can be added to it: the loop of avgSquare
; (Sampaio et al. 2013, figure 2), where N = threadIdx.x + c*c is unsigned.
; CHECK-LABEL: shapes of square
; CHECK: %last: affine x + grid
; CHECK: %more: uniform(grid)
define void @square(ptr %out, i32 %c) #0 {
  %x = call i32 @cucpu.tid.x()
  %cc = mul nsw i32 %c, %c
  %last = add i32 %cc, %x
  %more = icmp slt i32 %x, %last
  %z = zext i1 %more to i32
  store i32 %z, ptr %out
  ret void
}
attributes #0 = { "cucpu.kernel" }
