; RUN: %cucpu-opt --passes=version_interior_blocks --simd=8 %s -o - | FileCheck %s
; RUN: %cucpu-opt --passes=version_interior_blocks --simd=8 --disable=version_interior_blocks %s -o - | FileCheck %s --check-prefix=OFF
; Blocks in which every thread passes the tests of a stencil with halo take a copy without them: the least value of
; blockIdx.x * 30 + threadIdx.x - 1 must not be negative, the greatest be less than n.
; OFF-NOT: inner:
declare i32 @cucpu.tid.x()
declare i32 @cucpu.ctaid.x()
declare ptr @cucpu.shared()
declare void @cucpu.barrier(i32)

; CHECK-LABEL: define {{.*}} @stencil
; CHECK: [[FIRST:%.*]] = add i32 {{.*}}, -1
; CHECK: br i1 {{.*}}, label %inner, label %border
; CHECK: inner:
; CHECK: call void @cucpu.barrier(i32 0)
; CHECK-NOT: icmp
; CHECK: call void @cucpu.barrier(i32 0)
; CHECK: border:
; CHECK: call void @cucpu.barrier(i32 0)
; CHECK: icmp sgt i32 %i, -1
; CHECK: icmp slt i32 %i, %n
; CHECK: call void @cucpu.barrier(i32 0)
define void @stencil(ptr %in, ptr %out, i32 %n) #0 {
entry:
  %x = call i32 @cucpu.tid.x()
  %b = call i32 @cucpu.ctaid.x()
  %s = call ptr @cucpu.shared()
  %m = mul i32 %b, 30
  %t = add i32 %m, %x
  %i = add i32 %t, -1
  %above = icmp sgt i32 %i, -1
  %below = icmp slt i32 %i, %n
  %both = and i1 %above, %below
  br i1 %both, label %then, label %skip
skip:
  br label %join
then:
  %j = zext nneg i32 %i to i64
  %p = getelementptr float, ptr %in, i64 %j
  %v = load float, ptr %p
  br label %join
join:
  %w = phi float [ %v, %then ], [ 0.0, %skip ]
  %k = zext nneg i32 %x to i64
  %q = getelementptr float, ptr %s, i64 %k
  store float %w, ptr %q
  call void @cucpu.barrier(i32 0)
  br i1 %both, label %write, label %none
none:
  br label %done
write:
  %k1 = xor i64 %k, 1
  %r = getelementptr float, ptr %s, i64 %k1
  %y = load float, ptr %r
  %j2 = zext nneg i32 %i to i64
  %o = getelementptr float, ptr %out, i64 %j2
  store float %y, ptr %o
  br label %done
done:
  ret void
}

; Nothing is left of clamped places inside, one clamp within another.
; CHECK-LABEL: define {{.*}} @clamped
; CHECK: inner:
; CHECK-NOT: llvm.smax
; CHECK-NOT: llvm.smin
; CHECK: border:
; CHECK: llvm.smax
; CHECK: llvm.smin
define void @clamped(ptr %in, ptr %out, i32 %n) #0 {
entry:
  %x = call i32 @cucpu.tid.x()
  %b = call i32 @cucpu.ctaid.x()
  %s = call ptr @cucpu.shared()
  %m = mul i32 %b, 30
  %t = add i32 %m, %x
  %i = add i32 %t, -1
  %last = add i32 %n, -1
  %low = call i32 @llvm.smax.i32(i32 %i, i32 0)
  %c = call i32 @llvm.smin.i32(i32 %last, i32 %low)
  %j = sext i32 %c to i64
  %p = getelementptr float, ptr %in, i64 %j
  %v = load float, ptr %p
  %k = zext nneg i32 %x to i64
  %q = getelementptr float, ptr %s, i64 %k
  store float %v, ptr %q
  call void @cucpu.barrier(i32 0)
  %k1 = xor i64 %k, 1
  %r = getelementptr float, ptr %s, i64 %k1
  %y = load float, ptr %r
  %j2 = zext nneg i32 %t to i64
  %o = getelementptr float, ptr %out, i64 %j2
  store float %y, ptr %o
  ret void
}
declare i32 @llvm.smax.i32(i32, i32)
declare i32 @llvm.smin.i32(i32, i32)

; A test of a place in the block, one of data, and one in a kernel without barriers: no copy.
; CHECK-LABEL: define {{.*}} @place
; CHECK-NOT: inner:
define void @place(ptr %out, i32 %n) #0 {
entry:
  %x = call i32 @cucpu.tid.x()
  call void @cucpu.barrier(i32 0)
  %c = icmp slt i32 %x, %n
  br i1 %c, label %then, label %skip
skip:
  br label %done
then:
  store i32 %x, ptr %out
  br label %done
done:
  ret void
}

; CHECK-LABEL: define {{.*}} @data
; CHECK-NOT: inner:
define void @data(ptr %out, i32 %n) #0 {
entry:
  %x = call i32 @cucpu.tid.x()
  %b = call i32 @cucpu.ctaid.x()
  call void @cucpu.barrier(i32 0)
  %v = load i32, ptr %out
  %t = add i32 %b, %v
  %i = add i32 %t, %x
  %c = icmp slt i32 %i, %n
  br i1 %c, label %then, label %skip
skip:
  br label %done
then:
  store i32 %x, ptr %out
  br label %done
done:
  ret void
}

; CHECK-LABEL: define {{.*}} @plain
; CHECK-NOT: inner:
define void @plain(ptr %out, i32 %n) #0 {
entry:
  %x = call i32 @cucpu.tid.x()
  %b = call i32 @cucpu.ctaid.x()
  %i = add i32 %b, %x
  %c = icmp slt i32 %i, %n
  br i1 %c, label %then, label %skip
skip:
  br label %done
then:
  store i32 %x, ptr %out
  br label %done
done:
  ret void
}
attributes #0 = { "cucpu.kernel" "cucpu.width"="8" "cucpu.block"="32,1,1" }
