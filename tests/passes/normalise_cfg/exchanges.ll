; A store and a load from the place of another thread of the warp, with nothing in between, become volatile, and what else is touched
; between the same barriers; not with a barrier between them, not where tests keep them apart, not where the address is another one by then,
; and not what the thread stores itself.
; RUN: %cucpu-opt --passes=normalise_cfg %s | FileCheck %s
; RUN: %cucpu-opt --passes=normalise_cfg,normalise_cfg %s | FileCheck %s
; RUN: %cucpu-opt --passes=normalise_cfg --disable=detect_warp_synchronous %s | FileCheck --check-prefix=OFF %s
; OFF-NOT: volatile
declare ptr @cucpu.shared()
declare i32 @cucpu.tid.x()
declare void @cucpu.barrier(i32)
declare void @cucpu.syncwarp(i32)

; CHECK-LABEL: define void @reduces(
; CHECK: store i32 %before
; CHECK: call void @cucpu.barrier
; CHECK: store volatile i32 %v, ptr %p
; CHECK: load volatile i32, ptr %q
; CHECK: store volatile i32 %w, ptr %p
; CHECK: load volatile i32, ptr %s
; CHECK: call void @cucpu.barrier
; CHECK: %after = load i32
define void @reduces(i32 %v, i32 %before, ptr %out) #0 {
  %s = call ptr @cucpu.shared()
  %t = call i32 @cucpu.tid.x()
  %p = getelementptr i32, ptr %s, i32 %t
  store i32 %before, ptr %p
  call void @cucpu.barrier(i32 0)
  store i32 %v, ptr %p
  %in = icmp ult i32 %t, 8
  br i1 %in, label %add, label %done

add:
  %far = add i32 %t, 8
  %index = zext i32 %far to i64
  %q = getelementptr i32, ptr %s, i64 %index
  %u = load i32, ptr %q
  %w = add i32 %u, %v
  store i32 %w, ptr %p
  %x = load i32, ptr %s
  store i32 %x, ptr %out
  br label %done

done:
  call void @cucpu.barrier(i32 0)
  %after = load i32, ptr %p
  store i32 %after, ptr %out
  ret void
}

; CHECK-LABEL: define void @synchronised(
; CHECK-NOT: volatile
; CHECK: ret void
define void @synchronised(i32 %v, ptr %out) #0 {
  %s = call ptr @cucpu.shared()
  %t = call i32 @cucpu.tid.x()
  %p = getelementptr i32, ptr %s, i32 %t
  %q = getelementptr i8, ptr %p, i64 4
  store i32 %v, ptr %p
  call void @cucpu.syncwarp(i32 -1)
  %u = load i32, ptr %q
  store i32 %u, ptr %out
  ret void
}

; 8 threads have two elements each.
; CHECK-LABEL: define void @apart(
; CHECK-NOT: volatile
; CHECK: ret void
define void @apart(i32 %v, ptr %out) #0 {
  %s = call ptr @cucpu.shared()
  %t = call i32 @cucpu.tid.x()
  %in = icmp ugt i32 %t, 7
  br i1 %in, label %done, label %some

some:
  %p = getelementptr i32, ptr %s, i32 %t
  %q = getelementptr i8, ptr %p, i64 32
  store i32 %v, ptr %p
  %u = load i32, ptr %q
  store i32 %u, ptr %out
  br label %done

done:
  ret void
}

; Two buffers: behind the load they are swapped.
; CHECK-LABEL: define void @buffers(
; CHECK-NOT: volatile
; CHECK: ret void
define void @buffers(i32 %v, i32 %n, ptr %out) #0 {
  %s = call ptr @cucpu.shared()
  %t = call i32 @cucpu.tid.x()
  br label %loop

loop:
  %i = phi i32 [ 0, %0 ], [ %next, %loop ]
  %half = and i32 %i, 1
  %start = mul i32 %half, 64
  %here = add i32 %start, %t
  %p = getelementptr i32, ptr %s, i32 %here
  %q = getelementptr i8, ptr %p, i64 4
  call void @cucpu.barrier(i32 0)
  %u = load i32, ptr %q
  store i32 %u, ptr %out
  store i32 %v, ptr %p
  %next = add i32 %i, 1
  %more = icmp slt i32 %next, %n
  br i1 %more, label %loop, label %done

done:
  ret void
}

; CHECK-LABEL: define void @own(
; CHECK-NOT: volatile
; CHECK: ret void
define void @own(i32 %v, ptr %out) #0 {
  %s = call ptr @cucpu.shared()
  %t = call i32 @cucpu.tid.x()
  %p = getelementptr i32, ptr %s, i32 %t
  %q = getelementptr i8, ptr %p, i64 64
  store i32 %v, ptr %p
  store i32 %v, ptr %q
  %u = load i32, ptr %q
  store i32 %u, ptr %out
  ret void
}
; Eight threads turn a tile: t * 4 becomes (t & 7) * 32 + (t & ~7) * 4, without a store of the thread itself to that place.
; CHECK-LABEL: define void @turns(
; CHECK: store volatile i32 %v
; CHECK: load volatile i32
define void @turns(i32 %v, ptr %out) #0 {
  %s = call ptr @cucpu.shared()
  %t = call i32 @cucpu.tid.x()
  %p = getelementptr i32, ptr %s, i32 %t
  store i32 %v, ptr %p
  %low = and i32 %t, 7
  %high = and i32 %t, -8
  %row = shl i32 %low, 3
  %place = add i32 %row, %high
  %q = getelementptr i32, ptr %s, i32 %place
  %u = load i32, ptr %q
  store i32 %u, ptr %out
  ret void
}

; The same place in other words: lane and warp.
; CHECK-LABEL: define void @words(
; CHECK-NOT: volatile
; CHECK: ret void
define void @words(i32 %v, ptr %out) #0 {
  %s = call ptr @cucpu.shared()
  %t = call i32 @cucpu.tid.x()
  %p = getelementptr i32, ptr %s, i32 %t
  store i32 %v, ptr %p
  %lane = urem i32 %t, 24
  %part = udiv i32 %t, 24
  %first = mul i32 %part, 24
  %place = add i32 %first, %lane
  %q = getelementptr i32, ptr %s, i32 %place
  %u = load i32, ptr %q
  store i32 %u, ptr %out
  ret void
}

; Two arrays of 16 elements.
; CHECK-LABEL: define void @arrays(
; CHECK-NOT: volatile
; CHECK: ret void
define void @arrays(i32 %v, ptr %out) #1 {
  %s = call ptr @cucpu.shared()
  %t = call i32 @cucpu.tid.x()
  %p = getelementptr i32, ptr %s, i32 %t
  %q = getelementptr i8, ptr %p, i64 64
  store i32 %v, ptr %p
  %u = load i32, ptr %q
  store i32 %u, ptr %out
  ret void
}

; Even threads store, and load what odd ones might have stored.
; CHECK-LABEL: define void @even(
; CHECK-NOT: volatile
; CHECK: ret void
define void @even(i32 %v, ptr %out) #0 {
  %s = call ptr @cucpu.shared()
  %t = call i32 @cucpu.tid.x()
  %odd = and i32 %t, 1
  %in = icmp eq i32 %odd, 0
  br i1 %in, label %some, label %done

some:
  %p = getelementptr i32, ptr %s, i32 %t
  %q = getelementptr i8, ptr %p, i64 4
  store i32 %v, ptr %p
  %u = load i32, ptr %q
  store i32 %u, ptr %out
  br label %done

done:
  ret void
}

; All threads store to the second row of two, which has room for 16: no others are there to load what the first ones store.
; CHECK-LABEL: define void @row(
; CHECK-NOT: volatile
; CHECK: ret void
define void @row(i32 %v, ptr %out) #2 {
  %s = call ptr @cucpu.shared()
  %t = call i32 @cucpu.tid.x()
  %p = getelementptr i32, ptr %s, i32 %t
  %q = getelementptr i8, ptr %p, i64 64
  store i32 %v, ptr %q
  call void @cucpu.barrier(i32 0)
  store i32 %v, ptr %p
  %u = load i32, ptr %q
  store i32 %u, ptr %out
  ret void
}
attributes #0 = { "cucpu.kernel" }
attributes #1 = { "cucpu.kernel" "cucpu.arrays"="0,64;64,64" }
attributes #2 = { "cucpu.kernel" "cucpu.arrays"="0,128" }
