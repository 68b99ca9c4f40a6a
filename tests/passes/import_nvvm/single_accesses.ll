; What other threads must not see in part is one access from here on: 16 bytes are atomic, a store of two parts volatile; a marked load of
; up to 8 bytes stays unordered where parts of it are used, and is plain where it is used whole.
; RUN: %cucpu-opt --passes=import_nvvm,inline_device,lower_shared,contract_fma,interchange_grid_stride,normalise_cfg --opt=3 %s -o - | FileCheck %s
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"

; CHECK-LABEL: define {{.*}} @wide
; CHECK: load atomic i128, ptr %p unordered, align 16
; CHECK: store atomic i128 %{{.*}}, ptr %q unordered, align 16
; CHECK-NOT: nontemporal
define void @wide(ptr %p, ptr %q) #0 {
  %v = load i128, ptr %p, align 16, !nontemporal !0
  store i128 %v, ptr %q, align 16, !nontemporal !0
  ret void
}

; CHECK-LABEL: define {{.*}} @volatile_wide
; CHECK: load atomic volatile i128, ptr %p monotonic, align 16
; CHECK: store atomic volatile i128 %{{.*}}, ptr %q monotonic, align 16
define void @volatile_wide(ptr %p, ptr %q) #0 {
  %v = load volatile i128, ptr %p, align 16
  store volatile i128 %v, ptr %q, align 16
  ret void
}

; A plain access of 16 bytes, and a misaligned one, are nobody's single access.
; CHECK-LABEL: define {{.*}} @plain
; CHECK: load i128, ptr %p
; CHECK: store volatile i128 %{{.*}}, ptr %q, align 8
define void @plain(ptr %p, ptr %q) #0 {
  %v = load i128, ptr %p, align 16
  store volatile i128 %v, ptr %q, align 8
  ret void
}

; SROA would make two accesses of each of these.
; CHECK-LABEL: define {{.*}} @through_memory
; CHECK: load atomic i64, ptr %p unordered, align 8
; CHECK: store volatile i64 %{{.*}}, ptr %q, align 8
; CHECK-NOT: nontemporal
define void @through_memory(ptr %p, ptr %q, ptr %sum) #0 {
  %a = alloca { i32, i32 }
  %v = load i64, ptr %p, align 8, !nontemporal !0
  store i64 %v, ptr %a
  %x = load i32, ptr %a
  %py = getelementptr i8, ptr %a, i64 4
  %y = load i32, ptr %py
  %s = add i32 %x, %y
  store i32 %s, ptr %sum
  store i32 %s, ptr %py
  %w = load i64, ptr %a
  store i64 %w, ptr %q, align 8, !nontemporal !0
  ret void
}

; CHECK-LABEL: define {{.*}} @whole
; CHECK: load i64, ptr %p
define void @whole(ptr %p, ptr %q) #0 {
  %v = load i64, ptr %p, align 8, !nontemporal !0
  %w = add i64 %v, 1
  store i64 %w, ptr %q
  ret void
}

attributes #0 = { "cucpu.kernel" }
!0 = !{i32 1}
