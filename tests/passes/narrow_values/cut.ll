; A minimum of shorts whose operand is cut from a maximum of bytes: both become bytes.  These have no sign, also where the operand is another value by then.
; RUN: %cucpu-opt --passes=narrow_values --simd=8 %s -o - | FileCheck %s
; CHECK-LABEL: @cut
; CHECK: [[MOST:%.*]] = call i8 @llvm.umax.i8
; CHECK: call i8 @llvm.umin.i8(
; CHECK-LABEL: @order
; CHECK: icmp ult i8
declare i32 @cucpu.tid.x()
declare i32 @llvm.umax.i32(i32, i32)
declare i16 @llvm.smin.i16(i16, i16)
define void @cut(ptr %p, ptr %q, ptr %r) #0 {
entry:
  %t = call i32 @cucpu.tid.x()
  %x = sext i32 %t to i64
  %pp = getelementptr i8, ptr %p, i64 %x
  %qq = getelementptr i8, ptr %q, i64 %x
  %rr = getelementptr i8, ptr %r, i64 %x
  %a8 = load i8, ptr %pp
  %b8 = load i8, ptr %qq
  %a = zext i8 %a8 to i32
  %b = zext i8 %b8 to i32
  %m = call i32 @llvm.umax.i32(i32 %a, i32 %b)
  %m16 = trunc i32 %m to i16
  %c16 = zext i8 %a8 to i16
  %s = call i16 @llvm.smin.i16(i16 %m16, i16 %c16)
  %o = trunc i16 %s to i8
  store i8 %o, ptr %rr
  ret void
}
define void @order(ptr %p, ptr %q, ptr %r) #0 {
entry:
  %t = call i32 @cucpu.tid.x()
  %x = sext i32 %t to i64
  %pp = getelementptr i8, ptr %p, i64 %x
  %qq = getelementptr i8, ptr %q, i64 %x
  %rr = getelementptr i8, ptr %r, i64 %x
  %a8 = load i8, ptr %pp
  %b8 = load i8, ptr %qq
  %a = zext i8 %a8 to i32
  %b = zext i8 %b8 to i32
  %m = call i32 @llvm.umax.i32(i32 %a, i32 %b)
  %m16 = trunc i32 %m to i16
  %c16 = zext i8 %a8 to i16
  %s = icmp slt i16 %m16, %c16
  %o = zext i1 %s to i8
  store i8 %o, ptr %rr
  ret void
}
attributes #0 = { "cucpu.kernel" }
