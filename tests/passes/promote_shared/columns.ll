; Four rows stored, four columns read: eight shuffles for all of them, the network that transposes a matrix.
; RUN: %cucpu-opt --passes=promote_shared --cpu=x86-64-v3 %s | FileCheck %s
; CHECK-LABEL: define void @columns.entry(
; CHECK-COUNT-8: shufflevector
; CHECK-NOT: {{shufflevector|gather}}
; CHECK: ret void
define void @columns.entry(ptr %launch, ptr %worker, i64 %first, i64 %end, ptr %in, ptr %out) #0 {
entry:
  %shared = load ptr, ptr %worker
  %number = getelementptr i8, ptr %worker, i64 16
  store i64 %first, ptr %number
  br label %rows
rows:
  %y = phi i64 [ 0, %entry ], [ %y.next, %rows ]
  %from = getelementptr [4 x float], ptr %in, i64 %y
  %v = load <4 x float>, ptr %from
  %s = getelementptr [4 x float], ptr %shared, i64 %y
  store <4 x float> %v, ptr %s
  %y.next = add i64 %y, 1
  %more = icmp ult i64 %y.next, 4
  br i1 %more, label %rows, label %columns
columns:
  %x = phi i64 [ 0, %rows ], [ %x.next, %columns ]
  %c = getelementptr float, ptr %shared, i64 %x
  %p = getelementptr float, ptr %c, <4 x i64> <i64 0, i64 4, i64 8, i64 12>
  %g = call <4 x float> @llvm.masked.gather.v4f32.v4p0(<4 x ptr> %p, <4 x i1> splat (i1 true), <4 x float> poison)
  %to = getelementptr [4 x float], ptr %out, i64 %x
  store <4 x float> %g, ptr %to
  %x.next = add i64 %x, 1
  %again = icmp ult i64 %x.next, 4
  br i1 %again, label %columns, label %done
done:
  ret void
}
declare <4 x float> @llvm.masked.gather.v4f32.v4p0(<4 x ptr>, <4 x i1>, <4 x float>)
attributes #0 = { "cucpu.entry" "cucpu.width"="4" "cucpu.layout"="0" "cucpu.block"="4,4,1" "cucpu.static_shared"="64" }
