; A block of eight threads stores two vectors and reads each lane's left neighbour: the loop over the groups is
; unrolled, the neighbours are lanes of what was stored, and nothing is left of the memory.
; RUN: %cucpu-opt --passes=promote_shared --cpu=x86-64-v3 %s | FileCheck %s
; RUN: %cucpu-opt --passes=promote_shared --disable=promote_shared --cpu=x86-64-v3 %s | FileCheck --check-prefix=OFF %s
; CHECK-LABEL: define void @shift.entry(
; CHECK-NOT: ptr %shared
; CHECK: [[A:%.*]] = load <4 x i32>, ptr %in
; CHECK: [[B:%.*]] = load <4 x i32>,
; CHECK-NOT: ptr %shared
; CHECK: [[LOW:%.*]] = shufflevector <4 x i32> [[A]], <4 x i32> poison, <4 x i32> <i32 poison, i32 0, i32 1, i32 2>
; CHECK: select <4 x i1> <i1 false, i1 true, i1 true, i1 true>, <4 x i32> [[LOW]], <4 x i32> zeroinitializer
; CHECK: shufflevector <4 x i32> [[A]], <4 x i32> [[B]], <4 x i32> <i32 3, i32 4, i32 5, i32 6>
; CHECK-NOT: ptr %shared
; CHECK: ret void
; OFF: %l = call <4 x i32> @llvm.masked.load.v4i32.p0(ptr %q
define void @shift.entry(ptr %launch, ptr %worker, i64 %first, i64 %end, ptr %in, ptr %out) #0 {
entry:
  %shared = load ptr, ptr %worker
  %number = getelementptr i8, ptr %worker, i64 16
  br label %block
block:
  %b = phi i64 [ %first, %entry ], [ %b.next, %next ]
  store i64 %b, ptr %number
  br label %store
store:
  %x = phi i64 [ 0, %block ], [ %x.next, %store ]
  %p = getelementptr i32, ptr %in, i64 %x
  %v = load <4 x i32>, ptr %p
  %s = getelementptr i32, ptr %shared, i64 %x
  store <4 x i32> %v, ptr %s
  %x.next = add i64 %x, 4
  %more = icmp ult i64 %x.next, 8
  br i1 %more, label %store, label %load
load:
  %y = phi i64 [ 0, %store ], [ %y.next, %load ]
  %base = insertelement <4 x i64> poison, i64 %y, i64 0
  %all = shufflevector <4 x i64> %base, <4 x i64> poison, <4 x i32> zeroinitializer
  %lanes = add <4 x i64> %all, <i64 0, i64 1, i64 2, i64 3>
  %on = icmp ne <4 x i64> %lanes, zeroinitializer
  %r = getelementptr i32, ptr %shared, i64 %y
  %q = getelementptr i8, ptr %r, i64 -4
  %l = call <4 x i32> @llvm.masked.load.v4i32.p0(ptr %q, <4 x i1> %on, <4 x i32> zeroinitializer)
  %t = getelementptr i32, ptr %out, i64 %y
  store <4 x i32> %l, ptr %t
  %y.next = add i64 %y, 4
  %again = icmp ult i64 %y.next, 8
  br i1 %again, label %load, label %next
next:
  %b.next = add i64 %b, 1
  %blocks = icmp ult i64 %b.next, %end
  br i1 %blocks, label %block, label %done
done:
  ret void
}
declare <4 x i32> @llvm.masked.load.v4i32.p0(ptr, <4 x i1>, <4 x i32>)
attributes #0 = { "cucpu.entry" "cucpu.width"="4" "cucpu.layout"="0" "cucpu.block"="8,1,1" "cucpu.static_shared"="32" }
