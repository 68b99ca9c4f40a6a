; A loop of three steps, in which lanes beyond the step's number take part: the lanes of the second group are all on in
; each step, and in the first group there is always one.  The tests are gone, and the masks but one.
; RUN: %cucpu-opt --passes=promote_shared --cpu=x86-64-v3 %s | FileCheck %s
; RUN: %cucpu-opt --passes=promote_shared --disable=fold_tests --cpu=x86-64-v3 %s | FileCheck --check-prefix=OFF %s
; CHECK-LABEL: define void @known.entry(
; CHECK-NOT: reduce.or
; CHECK: [[ON:%.*]] = icmp ugt <4 x i64> <i64 0, i64 1, i64 2, i64 3>, %row
; CHECK-NOT: reduce.or
; CHECK: [[A:%.*]] = mul <4 x i32>
; CHECK-NEXT: select <4 x i1> [[ON]], <4 x i32> [[A]]
; CHECK-NOT: icmp ugt
; CHECK-NOT: select
; CHECK: ret void
; OFF-LABEL: define void @known.entry(
; OFF: reduce.or
; OFF: icmp ugt <4 x i64> <i64 4, i64 5, i64 6, i64 7>
; OFF: reduce.or
define void @known.entry(ptr %launch, ptr %worker, i64 %first, i64 %end, ptr %in, ptr %out) #0 {
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
  br i1 %more, label %store, label %steps
steps:
  %k = phi i64 [ 0, %store ], [ %k.next, %step ]
  br label %groups
groups:
  %y = phi i64 [ 0, %steps ], [ %y.next, %skip ]
  %base = insertelement <4 x i64> poison, i64 %y, i64 0
  %all = shufflevector <4 x i64> %base, <4 x i64> poison, <4 x i32> zeroinitializer
  %lanes = add <4 x i64> %all, <i64 0, i64 1, i64 2, i64 3>
  %one = insertelement <4 x i64> poison, i64 %k, i64 0
  %row = shufflevector <4 x i64> %one, <4 x i64> poison, <4 x i32> zeroinitializer
  %on = icmp ugt <4 x i64> %lanes, %row
  %any = call i1 @llvm.vector.reduce.or.v4i1(<4 x i1> %on)
  br i1 %any, label %some, label %skip
some:
  %r = getelementptr i32, ptr %shared, i64 %y
  %own = load <4 x i32>, ptr %r
  %sum = mul <4 x i32> %own, %own
  call void @llvm.masked.store.v4i32.p0(<4 x i32> %sum, ptr %r, <4 x i1> %on)
  br label %skip
skip:
  %y.next = add i64 %y, 4
  %again = icmp ult i64 %y.next, 8
  br i1 %again, label %groups, label %step
step:
  %k.next = add nuw nsw i64 %k, 1
  %go = icmp ult i64 %k.next, 3
  br i1 %go, label %steps, label %load
load:
  %z = phi i64 [ 0, %step ], [ %z.next, %load ]
  %q = getelementptr i32, ptr %shared, i64 %z
  %l = load <4 x i32>, ptr %q
  %t = getelementptr i32, ptr %out, i64 %z
  store <4 x i32> %l, ptr %t
  %z.next = add i64 %z, 4
  %loads = icmp ult i64 %z.next, 8
  br i1 %loads, label %load, label %next
next:
  %b.next = add i64 %b, 1
  %blocks = icmp ult i64 %b.next, %end
  br i1 %blocks, label %block, label %done
done:
  ret void
}
; Nothing is known of the number of steps: both tests stay.
; CHECK-LABEL: define void @unknown.entry(
; CHECK: icmp ugt <4 x i64> <i64 0, i64 1, i64 2, i64 3>
; CHECK: reduce.or
; CHECK: icmp ugt <4 x i64> <i64 4, i64 5, i64 6, i64 7>
; CHECK: reduce.or
define void @unknown.entry(ptr %launch, ptr %worker, i64 %first, i64 %end, ptr %in, ptr %out, i64 %n) #0 {
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
  br i1 %more, label %store, label %steps
steps:
  %k = phi i64 [ 0, %store ], [ %k.next, %step ]
  br label %groups
groups:
  %y = phi i64 [ 0, %steps ], [ %y.next, %skip ]
  %base = insertelement <4 x i64> poison, i64 %y, i64 0
  %all = shufflevector <4 x i64> %base, <4 x i64> poison, <4 x i32> zeroinitializer
  %lanes = add <4 x i64> %all, <i64 0, i64 1, i64 2, i64 3>
  %one = insertelement <4 x i64> poison, i64 %k, i64 0
  %row = shufflevector <4 x i64> %one, <4 x i64> poison, <4 x i32> zeroinitializer
  %on = icmp ugt <4 x i64> %lanes, %row
  %any = call i1 @llvm.vector.reduce.or.v4i1(<4 x i1> %on)
  br i1 %any, label %some, label %skip
some:
  %r = getelementptr i32, ptr %shared, i64 %y
  %own = load <4 x i32>, ptr %r
  %sum = mul <4 x i32> %own, %own
  call void @llvm.masked.store.v4i32.p0(<4 x i32> %sum, ptr %r, <4 x i1> %on)
  br label %skip
skip:
  %y.next = add i64 %y, 4
  %again = icmp ult i64 %y.next, 8
  br i1 %again, label %groups, label %step
step:
  %k.next = add nuw nsw i64 %k, 1
  %go = icmp ult i64 %k.next, %n
  br i1 %go, label %steps, label %load
load:
  %z = phi i64 [ 0, %step ], [ %z.next, %load ]
  %q = getelementptr i32, ptr %shared, i64 %z
  %l = load <4 x i32>, ptr %q
  %t = getelementptr i32, ptr %out, i64 %z
  store <4 x i32> %l, ptr %t
  %z.next = add i64 %z, 4
  %loads = icmp ult i64 %z.next, 8
  br i1 %loads, label %load, label %next
next:
  %b.next = add i64 %b, 1
  %blocks = icmp ult i64 %b.next, %end
  br i1 %blocks, label %block, label %done
done:
  ret void
}
; In the last of five steps no lane of the first group is on; those of the second group are in doubt from the fourth on.
; CHECK-LABEL: define void @edge.entry(
; CHECK: icmp ugt <4 x i64> <i64 0, i64 1, i64 2, i64 3>
; CHECK: reduce.or
; CHECK: icmp ugt <4 x i64> <i64 4, i64 5, i64 6, i64 7>
; CHECK-NOT: reduce.or
; CHECK: ret void
define void @edge.entry(ptr %launch, ptr %worker, i64 %first, i64 %end, ptr %in, ptr %out) #0 {
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
  br i1 %more, label %store, label %steps
steps:
  %k = phi i64 [ 0, %store ], [ %k.next, %step ]
  br label %groups
groups:
  %y = phi i64 [ 0, %steps ], [ %y.next, %skip ]
  %base = insertelement <4 x i64> poison, i64 %y, i64 0
  %all = shufflevector <4 x i64> %base, <4 x i64> poison, <4 x i32> zeroinitializer
  %lanes = add <4 x i64> %all, <i64 0, i64 1, i64 2, i64 3>
  %one = insertelement <4 x i64> poison, i64 %k, i64 0
  %row = shufflevector <4 x i64> %one, <4 x i64> poison, <4 x i32> zeroinitializer
  %on = icmp ugt <4 x i64> %lanes, %row
  %any = call i1 @llvm.vector.reduce.or.v4i1(<4 x i1> %on)
  br i1 %any, label %some, label %skip
some:
  %r = getelementptr i32, ptr %shared, i64 %y
  %own = load <4 x i32>, ptr %r
  %sum = mul <4 x i32> %own, %own
  call void @llvm.masked.store.v4i32.p0(<4 x i32> %sum, ptr %r, <4 x i1> %on)
  br label %skip
skip:
  %y.next = add i64 %y, 4
  %again = icmp ult i64 %y.next, 8
  br i1 %again, label %groups, label %step
step:
  %k.next = add nuw nsw i64 %k, 1
  %go = icmp ult i64 %k.next, 5
  br i1 %go, label %steps, label %load
load:
  %z = phi i64 [ 0, %step ], [ %z.next, %load ]
  %q = getelementptr i32, ptr %shared, i64 %z
  %l = load <4 x i32>, ptr %q
  %t = getelementptr i32, ptr %out, i64 %z
  store <4 x i32> %l, ptr %t
  %z.next = add i64 %z, 4
  %loads = icmp ult i64 %z.next, 8
  br i1 %loads, label %load, label %next
next:
  %b.next = add i64 %b, 1
  %blocks = icmp ult i64 %b.next, %end
  br i1 %blocks, label %block, label %done
done:
  ret void
}
declare i1 @llvm.vector.reduce.or.v4i1(<4 x i1>)
declare void @llvm.masked.store.v4i32.p0(<4 x i32>, ptr, <4 x i1>)
attributes #0 = { "cucpu.entry" "cucpu.width"="4" "cucpu.layout"="0" "cucpu.block"="8,1,1" "cucpu.static_shared"="32" }
