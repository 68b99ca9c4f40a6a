; RUN: %cucpu-opt --passes=promote_shared --cpu=x86-64-v4 %s | FileCheck %s
; Stores go to another array than the one that is loaded: nothing waits, and memory is as good.
; CHECK-LABEL: define void @apart.entry(
; CHECK: masked.load
; CHECK: masked.store
; CHECK: ret void
define void @apart.entry(ptr %launch, ptr %worker, i64 %first, i64 %end, ptr %in, ptr %out, i64 %n, <8 x i1> %odd) #1 {
entry:
  %shared = load ptr, ptr %worker
  %number = getelementptr i8, ptr %worker, i64 16
  store i64 %first, ptr %number
  br label %store
store:
  %x = phi i64 [ 0, %entry ], [ %x.next, %store ]
  %p = getelementptr i32, ptr %in, i64 %x
  %v = load <8 x i32>, ptr %p
  %s = getelementptr i32, ptr %shared, i64 %x
  store <8 x i32> %v, ptr %s
  %x.next = add i64 %x, 8
  %more = icmp ult i64 %x.next, 32
  br i1 %more, label %store, label %steps
steps:
  %k = phi i64 [ 0, %store ], [ %k.next, %step ]
  br label %groups
groups:
  %y = phi i64 [ 0, %steps ], [ %y.next, %groups ]
  %l = getelementptr i32, ptr %shared, i64 %y
  %a = call <8 x i32> @llvm.masked.load.v8i32.p0(ptr align 4 %l, <8 x i1> %odd, <8 x i32> poison)
  %r = getelementptr i32, ptr %l, i64 1
  %b = call <8 x i32> @llvm.masked.load.v8i32.p0(ptr align 4 %r, <8 x i1> %odd, <8 x i32> poison)
  %greater = icmp sgt <8 x i32> %a, %b
  %swap = and <8 x i1> %greater, %odd
  %l2 = getelementptr i8, ptr %l, i64 256
  %r2 = getelementptr i8, ptr %r, i64 256
  call void @llvm.masked.store.v8i32.p0(<8 x i32> %b, ptr align 4 %l2, <8 x i1> %swap)
  call void @llvm.masked.store.v8i32.p0(<8 x i32> %a, ptr align 4 %r2, <8 x i1> %swap)
  %y.next = add i64 %y, 8
  %again = icmp ult i64 %y.next, 32
  br i1 %again, label %groups, label %step
step:
  %k.next = add nuw nsw i64 %k, 1
  %go = icmp ult i64 %k.next, %n
  br i1 %go, label %steps, label %load
load:
  %z = phi i64 [ 0, %step ], [ %z.next, %load ]
  %far = add i64 %z, 64
  %q = getelementptr i32, ptr %shared, i64 %far
  %w = load <8 x i32>, ptr %q
  %t = getelementptr i32, ptr %out, i64 %z
  store <8 x i32> %w, ptr %t
  %z.next = add i64 %z, 8
  %loads = icmp ult i64 %z.next, 32
  br i1 %loads, label %load, label %done
done:
  ret void
}
; Pairs of neighbours are exchanged under a mask: what a group loads, the group in front of it has just stored in part, and
; a load that cannot take all from one store waits for them.  Registers are worth the shuffles.
; CHECK-LABEL: define void @exchange.entry(
; CHECK-NOT: masked.load
; CHECK-NOT: masked.store
; CHECK: shufflevector
; CHECK: ret void
define void @exchange.entry(ptr %launch, ptr %worker, i64 %first, i64 %end, ptr %in, ptr %out, i64 %n, <8 x i1> %odd) #0 {
entry:
  %shared = load ptr, ptr %worker
  %number = getelementptr i8, ptr %worker, i64 16
  store i64 %first, ptr %number
  br label %store
store:
  %x = phi i64 [ 0, %entry ], [ %x.next, %store ]
  %p = getelementptr i32, ptr %in, i64 %x
  %v = load <8 x i32>, ptr %p
  %s = getelementptr i32, ptr %shared, i64 %x
  store <8 x i32> %v, ptr %s
  %x.next = add i64 %x, 8
  %more = icmp ult i64 %x.next, 32
  br i1 %more, label %store, label %steps
steps:
  %k = phi i64 [ 0, %store ], [ %k.next, %step ]
  br label %groups
groups:
  %y = phi i64 [ 0, %steps ], [ %y.next, %groups ]
  %l = getelementptr i32, ptr %shared, i64 %y
  %a = call <8 x i32> @llvm.masked.load.v8i32.p0(ptr align 4 %l, <8 x i1> %odd, <8 x i32> poison)
  %r = getelementptr i32, ptr %l, i64 1
  %b = call <8 x i32> @llvm.masked.load.v8i32.p0(ptr align 4 %r, <8 x i1> %odd, <8 x i32> poison)
  %greater = icmp sgt <8 x i32> %a, %b
  %swap = and <8 x i1> %greater, %odd
  call void @llvm.masked.store.v8i32.p0(<8 x i32> %b, ptr align 4 %l, <8 x i1> %swap)
  call void @llvm.masked.store.v8i32.p0(<8 x i32> %a, ptr align 4 %r, <8 x i1> %swap)
  %y.next = add i64 %y, 8
  %again = icmp ult i64 %y.next, 32
  br i1 %again, label %groups, label %step
step:
  %k.next = add nuw nsw i64 %k, 1
  %go = icmp ult i64 %k.next, %n
  br i1 %go, label %steps, label %load
load:
  %z = phi i64 [ 0, %step ], [ %z.next, %load ]
  %q = getelementptr i32, ptr %shared, i64 %z
  %w = load <8 x i32>, ptr %q
  %t = getelementptr i32, ptr %out, i64 %z
  store <8 x i32> %w, ptr %t
  %z.next = add i64 %z, 8
  %loads = icmp ult i64 %z.next, 32
  br i1 %loads, label %load, label %done
done:
  ret void
}
declare <8 x i32> @llvm.masked.load.v8i32.p0(ptr, <8 x i1>, <8 x i32>)
declare void @llvm.masked.store.v8i32.p0(<8 x i32>, ptr, <8 x i1>)
attributes #0 = { "cucpu.entry" "cucpu.width"="8" "cucpu.layout"="0" "cucpu.block"="32,1,1" "cucpu.static_shared"="132" }
attributes #1 = { "cucpu.entry" "cucpu.width"="8" "cucpu.layout"="0" "cucpu.block"="32,1,1" "cucpu.static_shared"="388" }
