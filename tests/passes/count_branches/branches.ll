; RUN: %cucpu-opt --profile=lanes --simd=8 --passes=count_branches %s | FileCheck %s
; RUN: %cucpu-opt --simd=8 --passes=count_branches %s | FileCheck --check-prefix=OFF %s
; RUN: %cucpu-opt --profile=lanes --simd=8 --passes=count_branches,linearise,widen %s | FileCheck --check-prefix=WIDE %s
; RUN: %cucpu-opt --profile=lanes --simd=1 --passes=count_branches,linearise,widen %s | FileCheck --check-prefix=ONE %s
; A divergent branch gets a call before it, with 1 if it leaves a loop; a uniform one none.
; OFF-NOT: cucpu_count
declare i32 @cucpu.tid.x()

; CHECK-LABEL: define {{.*}} @diamond
; CHECK: call void @cucpu_count_branch(i1 %c, i32 0)
; CHECK-NEXT: br i1 %c
; CHECK-NOT: cucpu_count_branch
; WIDE-LABEL: define {{.*}} @diamond
; WIDE: call void @cucpu_count(ptr @cucpu.counted[[B:[.0-9]*]], i32 0, i64 1)
; WIDE: %[[TAKEN:.*]] = call i1 @llvm.vector.reduce.or.v8i1(<8 x i1>
; WIDE: %[[OTHER:.*]] = call i1 @llvm.vector.reduce.or.v8i1(<8 x i1>
; WIDE: %diverges = and i1 %[[TAKEN]], %[[OTHER]]
; WIDE: %[[N:.*]] = zext i1 %diverges to i64
; WIDE: call void @cucpu_count(ptr @cucpu.counted{{.*}}, i32 1, i64 %[[N]])
; The store counts its lanes and, of a row of 32 bytes, its lines.
; WIDE: call i8 @llvm.ctpop.i8
; WIDE: call void @llvm.masked.store
; ONE-LABEL: define {{.*}} @diamond
; ONE: call void @cucpu_count(ptr @cucpu.counted{{.*}}, i32 0, i64 1)
; ONE-NOT: call void @cucpu_count_branch
define void @diamond(ptr %p, i32 %n) #0 {
entry:
  %t = call i32 @cucpu.tid.x()
  %q = getelementptr inbounds i32, ptr %p, i32 %t
  %c = icmp slt i32 %t, %n
  br i1 %c, label %then, label %else
else:
  br label %join
then:
  %v = mul i32 %t, %t
  store i32 %v, ptr %q
  br label %join
join:
  ret void
}

; CHECK-LABEL: define {{.*}} @loop
; CHECK-NOT: cucpu_count_branch
; CHECK: call void @cucpu_count_branch(i1 %more, i32 1)
; CHECK-NEXT: br i1 %more
; CHECK-NOT: call void @cucpu_count_branch
define void @loop(ptr %p, i32 %n) #0 {
entry:
  %t = call i32 @cucpu.tid.x()
  %u = icmp sgt i32 %n, 3
  br i1 %u, label %pre, label %skip
skip:
  br label %done
pre:
  br label %head
head:
  %k = phi i32 [ 0, %pre ], [ %k2, %latch ]
  %k2 = add i32 %k, 1
  %more = icmp slt i32 %k2, %t
  br i1 %more, label %latch, label %exit
latch:
  br label %head
exit:
  br label %done
done:
  ret void
}
attributes #0 = { "cucpu.kernel" "cucpu.width"="8" "cucpu.layout"="0" }
