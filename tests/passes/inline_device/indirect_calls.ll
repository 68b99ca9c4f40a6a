; An indirect call tests which function it is: all of its type whose address is taken, not @other and @never. They are inlined; the last call
; is for functions of other modules. Not with --disable=promote_calls, and not without optimisation.
; RUN: %cucpu-opt --passes=inline_device %s -o - | FileCheck %s
; RUN: %cucpu-opt --passes=inline_device --disable=promote_calls %s -o - | FileCheck %s --check-prefix=OFF
; RUN: %cucpu-opt --passes=inline_device --opt=0 %s -o - | FileCheck %s --check-prefix=OFF
; More than 16 functions, or 20,000 instructions, are too many.
; RUN: %python -c "[print('define internal i32 @g' + str(k) + '(i32) { ret i32 ' + str(k) + ' }') for k in range(15)]; print('@more = global [15 x ptr] [' + ', '.join('ptr @g' + str(k) for k in range(15)) + ']')" > %t.ll && cat %s >> %t.ll
; RUN: %cucpu-opt --passes=inline_device %t.ll -Rcucpu -o - 2>&1 | FileCheck %s --check-prefix=MANY
; RUN: %python -c "p = chr(37) + 'x'; print('define internal i32 @long(i32 ' + p + '0) {'); [print(p + str(k + 1) + ' = mul i32 ' + p + str(k) + ', 3') for k in range(20000)]; print('ret i32 ' + p + '20000 }'); print('@more = global ptr @long')" > %t.ll && cat %s >> %t.ll
; RUN: %cucpu-opt --passes=inline_device %t.ll -Rcucpu -o - 2>&1 | FileCheck %s --check-prefix=LARGE
@table = global [3 x ptr] [ptr @twice, ptr @square, ptr @other]

define internal i32 @twice(i32 %x) {
  %r = shl i32 %x, 1
  ret i32 %r
}
define internal i32 @square(i32 %x) {
  %r = mul i32 %x, %x
  ret i32 %r
}
define internal i64 @other(i64 %x) {
  ret i64 %x
}
define internal i32 @never(i32 %x) {
  ret i32 %x
}

; CHECK-LABEL: define void @kernel
; CHECK: [[IS_TWICE:%.*]] = icmp eq ptr %f, @twice
; CHECK-NEXT: br i1 [[IS_TWICE]]
; CHECK-NOT: call i32 @
; CHECK: [[IS_SQUARE:%.*]] = icmp eq ptr %f, @square
; CHECK-NEXT: br i1 [[IS_SQUARE]]
; CHECK-NOT: icmp
; CHECK: call i32 %f(i32 %x) [[REST:#[0-9]+]]
; CHECK: attributes [[REST]] = { "cucpu.resolved"="twice;square;" }
; OFF-LABEL: define void @kernel
; OFF-NOT: icmp
; OFF: call i32 %f(i32 %x)
; MANY: remark: {{.*}}indirect call: lane by lane, as 17 functions of this type, with {{[0-9]+}} instructions, have their address taken [unresolved-call]
; MANY-LABEL: define void @kernel
; MANY-NOT: icmp
; LARGE: lane by lane, as 3 functions of this type, with 20005 instructions
define void @kernel(ptr %p, ptr %out, i32 %x) #0 {
  %f = load ptr, ptr %p
  %r = call i32 %f(i32 %x)
  store i32 %r, ptr %out
  ret void
}
attributes #0 = { "cucpu.kernel" }
