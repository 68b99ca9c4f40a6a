; A call before each access whose bounds or order matter, and after barriers; none for local variables within bounds, and
; none at all without --check.
; RUN: %cucpu-opt --check=memory --passes=instrument_accesses %s | FileCheck %s
; RUN: %cucpu-opt --passes=instrument_accesses %s | FileCheck --check-prefix=OFF %s
; OFF-NOT: cucpu_check
@table = internal global [10 x i32] zeroinitializer
@fixed = internal constant [4 x i32] [i32 1, i32 2, i32 3, i32 4]
@tile = internal addrspace(3) global [8 x i32] undef
@dynamic = external addrspace(3) global [0 x i32]

define void @k(ptr %p, i64 %i, i64 %n) "cucpu.kernel" {
  %local = alloca [4 x i32]
  %g = getelementptr i32, ptr %p, i64 %i
  %a = load i32, ptr %g, align 4
  %t = getelementptr [10 x i32], ptr @table, i64 0, i64 %i
  store i32 %a, ptr %t, align 4
  %s = getelementptr [8 x i32], ptr addrspacecast (ptr addrspace(3) @tile to ptr), i64 0, i64 %i
  store i32 %a, ptr %s, align 4
  %d = getelementptr i32, ptr addrspacecast (ptr addrspace(3) @dynamic to ptr), i64 %i
  store i32 %a, ptr %d, align 4
  call void @cucpu.barrier(i32 0)
  %l = getelementptr [4 x i32], ptr %local, i64 0, i64 %i
  store i32 %a, ptr %l, align 4
  %c = getelementptr [4 x i32], ptr @fixed, i64 0, i64 2
  %f = load i32, ptr %c, align 4
  %old = atomicrmw add ptr %p, i32 %f monotonic, align 4
  call void @llvm.memset.p0.i64(ptr %p, i8 0, i64 %n, i1 false)
  fence seq_cst
  ret void
}
declare void @cucpu.barrier(i32)
declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)
; CHECK: @cucpu.sites = internal global
; CHECK: @cucpu.check = internal constant
; CHECK-LABEL: define void @k(
; CHECK: %[[X:.*]] = call i32 @cucpu.tid.x()
; CHECK: %check.thread = add i32
; CHECK: call void @cucpu_check_access(ptr @cucpu.sites, ptr %g, i32 %check.thread, i64 4, ptr null, i64 0, i32 4, i32 1)
; CHECK-NEXT: load i32, ptr %g
; CHECK: call void @cucpu_check_access(ptr {{.*}}, ptr %t, i32 %check.thread, i64 4, ptr @table, i64 40, i32 4, i32 2)
; CHECK: call void @cucpu_check_access(ptr {{.*}}, ptr %s, i32 %check.thread, i64 4, ptr {{.*}}@tile{{.*}}, i64 32, i32 4, i32 258)
; CHECK: %[[N:.*]] = call i32 @cucpu.dynsize()
; CHECK: %[[Z:.*]] = zext i32 %[[N]] to i64
; CHECK: call void @cucpu_check_access(ptr {{.*}}, ptr %d, i32 %check.thread, i64 4, ptr {{.*}}@dynamic{{.*}}, i64 %[[Z]], i32 4, i32 258)
; CHECK: call void @cucpu.barrier(i32 0)
; CHECK-NEXT: call void @cucpu_check_barrier(
; CHECK: %[[B:.*]] = mul i64 %i, 4
; CHECK: %[[O:.*]] = add i64 %{{.*}}, 70368744177664
; CHECK: %[[L:.*]] = inttoptr i64 %[[O]] to ptr
; CHECK: call void @cucpu_check_access(ptr {{.*}}, ptr %[[L]], i32 %check.thread, i64 4, ptr inttoptr (i64 70368744177664 to ptr), i64 16, i32 4, i32 130)
; CHECK-NOT: cucpu_check
; CHECK: call void @cucpu_check_access(
; CHECK-NEXT: atomicrmw add
; CHECK: call void @cucpu_check_access(ptr {{.*}}, ptr %p, i32 %check.thread, i64 %n, ptr null, i64 0, i32 1, i32 2)
; CHECK-NEXT: call void @llvm.memset
; CHECK: fence seq_cst
; CHECK-NEXT: call void @cucpu_check_fence(
