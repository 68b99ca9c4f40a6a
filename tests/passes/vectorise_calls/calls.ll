; Functions that inline_device has left: @reads and @exchanges get a function of scalars and a kernel over lanes;
; @writes, whose lanes may write to one place, @exchanges_there, where some lanes exchange, and @of_variable, whose
; argument would stay memory, are inlined after all, as is @reads into a kernel that is small without.
; RUN: %cucpu-opt --passes=vectorise_calls %s | FileCheck %s
; RUN: %cucpu-opt --passes=vectorise_calls,normalise_cfg,make_variants --simd=8 %s | FileCheck %s --check-prefix=WIDTHS
; CHECK-LABEL: define void @k(
; CHECK: call { float, float } @reads.called(ptr %table, float %{{[0-9]+}}, float %{{[0-9]+}})
; CHECK: call float @cucpu.called.exchanges(float
; CHECK-NOT: call void @writes
; CHECK-NOT: exchanges_there(
; CHECK-NOT: of_variable
; CHECK: ret void
; CHECK-LABEL: define void @small(
; CHECK-NOT: call { float, float }
; CHECK: ret void
; CHECK: define internal { float, float } @reads.called(ptr %0, float %1, float %2) [[READS:#[0-9]+]]
; CHECK-LABEL: define void @reads.lanes(ptr noalias readonly %0, ptr noalias %1, i64 %2, i64 %3, i64 %4, i64 %5)
; CHECK: [[ON:%[0-9]+]] = icmp ne i8 %active, 0
; CHECK: br i1 [[ON]], label %lane{{.*}}, label %end
; CHECK: define internal float @cucpu.called.exchanges(float %0) [[EXCHANGES:#[0-9]+]]
; Exchanges need all lanes.
; CHECK-LABEL: define void @exchanges.lanes(
; CHECK-NOT: br i1
; CHECK: ret void
; CHECK-DAG: attributes [[READS]] = { {{.*}}memory(read){{.*}}"cucpu.vector"="reads.lanes"
; CHECK-DAG: attributes [[EXCHANGES]] = { convergent noinline{{.*}}"cucpu.vector"="exchanges.lanes"
; The table is the same for all threads: its stride is 0, and each width of a caller has its vector function.
; WIDTHS: define void @reads.lanes.w32.rows_full.32x1x1(
; WIDTHS: "cucpu.uniform"="100"
define void @k(ptr %table, ptr %out) "cucpu.kernel" "cucpu.outlined" {
  %t = call i32 @cucpu.tid.x()
  %x = uitofp i32 %t to float
  %v = insertelement <2 x float> poison, float %x, i32 0
  %w = insertelement <2 x float> %v, float %x, i32 1
  %r = call [2 x float] @reads(ptr %table, <2 x float> %w)
  %a = extractvalue [2 x float] %r, 0
  %b = extractvalue [2 x float] %r, 1
  %s = fadd float %a, %b
  %e = call float @exchanges(float %s)
  %p = getelementptr float, ptr %out, i32 %t
  %d = call float @writes(ptr %p, float %e)
  %h = call float @exchanges_there(float %d)
  %variable = alloca [2 x float]
  store float %h, ptr %variable
  %o = call float @of_variable(ptr %variable)
  %o2 = call float @of_variable(ptr %variable)
  ret void
}
define void @small(ptr %table, ptr %out) "cucpu.kernel" {
  %r = call [2 x float] @reads(ptr %table, <2 x float> zeroinitializer)
  %a = extractvalue [2 x float] %r, 0
  store float %a, ptr %out
  ret void
}
define internal [2 x float] @reads(ptr %table, <2 x float> %v) "cucpu.outlined" {
  %x = extractelement <2 x float> %v, i32 0
  %i = fptosi float %x to i32
  %p = getelementptr float, ptr %table, i32 %i
  %a = load float, ptr %p
  %y = extractelement <2 x float> %v, i32 1
  %r = insertvalue [2 x float] poison, float %a, 0
  %s = insertvalue [2 x float] %r, float %y, 1
  ret [2 x float] %s
}
define internal float @exchanges(float %x) "cucpu.outlined" {
  %b = bitcast float %x to i32
  %l = call i32 @cucpu.lane()
  %o = xor i32 %l, 1
  %s = call i32 @cucpu.shfl.idx(i32 -1, i32 %b, i32 %o, i32 31)
  %f = bitcast i32 %s to float
  ret float %f
}
define internal float @exchanges_there(float %x) "cucpu.outlined" {
  %b = bitcast float %x to i32
  %c = icmp sgt i32 %b, 0
  br i1 %c, label %there, label %end
there:
  %s = call i32 @cucpu.shfl.idx(i32 -1, i32 %b, i32 0, i32 31)
  br label %end
end:
  %r = phi i32 [ %b, %0 ], [ %s, %there ]
  %f = bitcast i32 %r to float
  ret float %f
}
define internal float @of_variable(ptr %p) "cucpu.outlined" {
  %x = load float, ptr %p
  ret float %x
}
define internal float @writes(ptr %p, float %x) "cucpu.outlined" {
  store float %x, ptr %p
  ret float %x
}
declare i32 @cucpu.tid.x()
declare i32 @cucpu.lane()
declare i32 @cucpu.shfl.idx(i32, i32, i32, i32)
