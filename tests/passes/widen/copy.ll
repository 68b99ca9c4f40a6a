; Copies of structures: in a row vectors, else each lane's with loads and stores of its own; too long ones in a loop.
; RUN: %cucpu-opt --passes=make_variants,linearise,widen --simd=8 --cpu=x86-64-v4 %s | FileCheck %s
; RUN: %cucpu-opt --passes=make_variants,linearise,widen --simd=8 --cpu=x86-64-v4 --disable=fields %s | FileCheck --check-prefix=OFF %s
; OFF-COUNT-4: lanes.done

; CHECK-LABEL: define void @row.w8.rows_full(
; CHECK-COUNT-2: load <8 x i64>
; CHECK-COUNT-2: store <8 x i64>
; CHECK-NOT: store
; CHECK: ret void
define void @row(ptr %a, ptr %b, ptr %list) "cucpu.kernel" {
  %t = call i32 @cucpu.tid.x()
  %e = sext i32 %t to i64
  %p = getelementptr [16 x i8], ptr %a, i64 %e
  %q = getelementptr [16 x i8], ptr %b, i64 %e
  call void @llvm.memcpy.p0.p0.i64(ptr align 16 %p, ptr align 16 %q, i64 16, i1 false)
  ret void
}

; Pieces of 16 and 4 bytes; four lanes are loaded before they are stored.
; CHECK-LABEL: define void @list.w8.rows_full(
; CHECK-COUNT-4: load <4 x i32>, ptr {{.*}}, align 4
; CHECK-NOT: load <4 x i32>
; CHECK-COUNT-4: store float
; CHECK-COUNT-4: load <4 x i32>, ptr {{.*}}, align 4
; CHECK-COUNT-4: store float
; CHECK-NOT: store
; CHECK: ret void
define void @list(ptr %a, ptr %b, ptr %list) "cucpu.kernel" {
  %t = call i32 @cucpu.tid.x()
  %e = sext i32 %t to i64
  %l = getelementptr i32, ptr %list, i64 %e
  %n = load i32, ptr %l
  %i = sext i32 %n to i64
  %p = getelementptr [20 x i8], ptr %a, i64 %i
  %q = getelementptr [20 x i8], ptr %b, i64 %e
  call void @llvm.memcpy.p0.p0.i64(ptr align 4 %p, ptr align 4 %q, i64 20, i1 false)
  ret void
}

; Under a mask: two parts of the scratch memory for lanes that are off.
; CHECK-LABEL: define void @masked.w8.rows_full(
; CHECK: select <8 x i1> {{.*}}, <8 x ptr>
; CHECK: select <8 x i1> {{.*}}, <8 x ptr>
; CHECK-COUNT-8: store <4 x i32>
; CHECK: ret void
define void @masked(ptr %a, ptr %b, ptr %list) "cucpu.kernel" {
  %t = call i32 @cucpu.tid.x()
  %e = sext i32 %t to i64
  %l = getelementptr i32, ptr %list, i64 %e
  %n = load i32, ptr %l
  %i = sext i32 %n to i64
  %c = icmp slt i32 %n, 7
  br i1 %c, label %then, label %to.end
to.end:
  br label %end
then:
  %p = getelementptr [16 x i8], ptr %a, i64 %i
  %q = getelementptr [16 x i8], ptr %b, i64 %e
  call void @llvm.memcpy.p0.p0.i64(ptr align 16 %p, ptr align 16 %q, i64 16, i1 false)
  br label %end
end:
  ret void
}

; CHECK-LABEL: define void @long.w8.rows_full(
; CHECK: lanes.done
; CHECK: ret void
define void @long(ptr %a, ptr %b, ptr %list) "cucpu.kernel" {
  %t = call i32 @cucpu.tid.x()
  %e = sext i32 %t to i64
  %l = getelementptr i32, ptr %list, i64 %e
  %n = load i32, ptr %l
  %i = sext i32 %n to i64
  %p = getelementptr [132 x i8], ptr %a, i64 %i
  %q = getelementptr [132 x i8], ptr %b, i64 %e
  call void @llvm.memcpy.p0.p0.i64(ptr align 4 %p, ptr align 4 %q, i64 132, i1 false)
  ret void
}
declare i32 @cucpu.tid.x()
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)
