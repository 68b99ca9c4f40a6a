; RUN: not %cucpu-opt --passes=linearise --simd=8 %s -o - 2>&1 | FileCheck %s
; RUN: %cucpu-opt --passes=linearise --simd=1 %s -o - | FileCheck %s --check-prefix=ONE
; A lock that every lane spins on: the holder would wait for the others.  Width 1 takes it as it is.
declare i32 @cucpu.tid.x()

; CHECK: unsupported: a lane waits for another lane of its own group
; At width 1 the others of the block run between two looks (CUCPU_WAIT_YIELD).
; ONE: cmpxchg
; ONE: call void @cucpu.barrier.count(i32 2147483647, i32 1)
define void @spin(ptr %lock) #0 {
entry:
  br label %head
head:
  %x = cmpxchg ptr %lock, i32 0, i32 1 monotonic monotonic
  %ok = extractvalue { i32, i1 } %x, 1
  br i1 %ok, label %out, label %latch
latch:
  br label %head
out:
  store i32 0, ptr %lock
  ret void
}
attributes #0 = { "cucpu.kernel" }
