; Plain accesses to memory that other threads may touch as well are marked; local arrays, volatile
; and atomic accesses are not.
; RUN: %cucpu-opt --passes=mark_parallel --simd=1 %s | FileCheck %s
; RUN: %cucpu-opt --passes=mark_parallel,mark_parallel --simd=1 %s | FileCheck %s
; RUN: %cucpu-opt --passes=mark_parallel --simd=4 %s | FileCheck --check-prefix=OFF %s
; RUN: %cucpu-opt --passes=mark_parallel --simd=1 --disable=mark_parallel %s | FileCheck --check-prefix=OFF %s
declare ptr @cucpu.shared()
declare void @use(ptr)

; OFF-NOT: access.group
; CHECK-LABEL: define void @k(
define void @k(ptr %p, i32 %n, ptr byval([4 x i32]) %param) "cucpu.kernel" {
  %array = alloca [4 x i32]
  %s = call ptr @cucpu.shared()
  ; CHECK: %a = load i32, ptr %p, align 4, !llvm.access.group [[G:![0-9]+]]
  %a = load i32, ptr %p
  ; CHECK: store i32 %a, ptr %s, align 4, !llvm.access.group [[G]]
  store i32 %a, ptr %s
  %e = getelementptr i32, ptr %array, i32 %n
  ; CHECK: store i32 %a, ptr %e, align 4{{$}}
  store i32 %a, ptr %e
  ; CHECK: %v = load volatile i32, ptr %p, align 4{{$}}
  %v = load volatile i32, ptr %p
  ; CHECK: store atomic i32 %v, ptr %p monotonic, align 4{{$}}
  store atomic i32 %v, ptr %p monotonic, align 4
  ; CHECK: atomicrmw add ptr %s, i32 1 monotonic, align 4{{$}}
  %o = atomicrmw add ptr %s, i32 1 monotonic
  ; CHECK: %q = load ptr, ptr %p, align 8, !llvm.access.group
  %q = load ptr, ptr %p
  ; CHECK: store i32 0, ptr %q, align 4, !llvm.access.group
  store i32 0, ptr %q
  ; CHECK: %c = load i32, ptr %param, align 4, !invariant.load {{.*}}, !llvm.access.group [[G]]
  %c = load i32, ptr %param
  ret void
}

; The array's address gets away: an unknown pointer may be to it.
; CHECK-LABEL: define void @escape(
define void @escape(ptr %p) "cucpu.kernel" {
  %array = alloca [4 x i32]
  call void @use(ptr %array)
  %q = load ptr, ptr %p
  ; CHECK: store i32 0, ptr %q, align 4{{$}}
  store i32 0, ptr %q
  ret void
}
; CHECK: [[G]] = distinct !{}
