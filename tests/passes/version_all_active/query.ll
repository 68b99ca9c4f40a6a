; Queries any() and all() of a group may stand in both copies: the group executes one of them.
; RUN: %cucpu-opt --passes=version_all_active --simd=16 --verify-each %s | FileCheck %s
declare i32 @cucpu.tid.x()
declare i32 @cucpu.ntid.x()
declare i32 @cucpu.ctaid.x()
declare i1 @cucpu.any(i1)
declare i32 @cucpu.count(i1)

; CHECK-LABEL: define {{.*}} @any(
; CHECK: %all = call i1 @cucpu.all(
; CHECK: call i1 @cucpu.any(
; CHECK: call i1 @cucpu.any(
; CHECK-LABEL: define {{.*}} @count(
define void @any(ptr %in, ptr %out, ptr %flag, i32 %n) "cucpu.kernel" {
entry:
  %x = call i32 @cucpu.tid.x()
  %w = call i32 @cucpu.ntid.x()
  %b = call i32 @cucpu.ctaid.x()
  %start = mul nsw i32 %b, %w
  %t = add nsw i32 %start, %x
  %i = sext i32 %t to i64
  %p = getelementptr inbounds i32, ptr %in, i64 %i
  %q = getelementptr inbounds i32, ptr %out, i64 %i
  %c = icmp slt i32 %t, %n
  br i1 %c, label %body, label %none
none:
  br label %end
body:
  %v = load i32, ptr %p, align 4
  %big = icmp sgt i32 %v, 99
  %some = call i1 @cucpu.any(i1 %big)
  br i1 %some, label %note, label %no
no:
  br label %rest
note:
  store i32 1, ptr %flag, align 4
  br label %rest
rest:
  %v2 = mul i32 %v, %v
  store i32 %v2, ptr %q, align 4
  br label %end
end:
  ret void
}

; count() tells how many lanes are active: not so in a copy for whole groups.
; CHECK-NOT: call i1 @cucpu.all
define void @count(ptr %in, ptr %out, ptr %flag, i32 %n) "cucpu.kernel" {
entry:
  %x = call i32 @cucpu.tid.x()
  %w = call i32 @cucpu.ntid.x()
  %b = call i32 @cucpu.ctaid.x()
  %start = mul nsw i32 %b, %w
  %t = add nsw i32 %start, %x
  %i = sext i32 %t to i64
  %p = getelementptr inbounds i32, ptr %in, i64 %i
  %q = getelementptr inbounds i32, ptr %out, i64 %i
  %c = icmp slt i32 %t, %n
  br i1 %c, label %body, label %none
none:
  br label %end
body:
  %v = load i32, ptr %p, align 4
  %big = icmp sgt i32 %v, 99
  %active = call i32 @cucpu.count(i1 %big)
  %some = icmp ule i32 %active, 2
  br i1 %some, label %note, label %no
no:
  br label %rest
note:
  store i32 1, ptr %flag, align 4
  br label %rest
rest:
  %v2 = mul i32 %v, %v
  store i32 %v2, ptr %q, align 4
  br label %end
end:
  ret void
}
