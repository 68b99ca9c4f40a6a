; RUN: %cucpu-opt --passes=linearise --simd=8 %s -o - | FileCheck %s
; A divergent diamond becomes straight code under masks with a select at the join; a uniform one stays.
declare i32 @cucpu.tid.x()

; CHECK-LABEL: define {{.*}} @divergent
; CHECK-NOT: br i1
; CHECK: call void @cucpu.mask(i1
; CHECK: select i1
; CHECK: ret void
define void @divergent(ptr %p, i32 %n) #0 {
entry:
  %t = call i32 @cucpu.tid.x()
  %q = getelementptr inbounds i32, ptr %p, i32 %t
  %c = icmp slt i32 %t, %n
  br i1 %c, label %then, label %else
then:
  %a = load i32, ptr %q
  br label %join
else:
  %b = mul i32 %t, 3
  br label %join
join:
  %v = phi i32 [ %a, %then ], [ %b, %else ]
  store i32 %v, ptr %q
  ret void
}

; CHECK-LABEL: define {{.*}} @uniform
; CHECK: br i1 %c, label %then, label %else
; CHECK-NOT: cucpu.mask
; CHECK: phi i32
define void @uniform(ptr %p, i32 %n) #0 {
entry:
  %t = call i32 @cucpu.tid.x()
  %q = getelementptr inbounds i32, ptr %p, i32 %t
  %c = icmp slt i32 5, %n
  br i1 %c, label %then, label %else
then:
  %a = load i32, ptr %q
  br label %join
else:
  %b = mul i32 %t, 3
  br label %join
join:
  %v = phi i32 [ %a, %then ], [ %b, %else ]
  store i32 %v, ptr %q
  ret void
}
attributes #0 = { "cucpu.kernel" }
