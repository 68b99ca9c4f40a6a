; What stands under a mask says nothing of the lanes that are off: a load or a call with `nonnull` does not make a pointer differ from
; null, and what would be undefined otherwise is not promised any more.
; RUN: %cucpu-opt --passes=linearise --simd=8 %s | FileCheck %s
declare i32 @cucpu.tid.x()
declare i32 @get(ptr noundef nonnull)

; CHECK-LABEL: define void @loaded(
; CHECK: [[C:%.*]] = icmp ne ptr %q, null
; CHECK: call void @cucpu.mask(i1 [[C]])
; CHECK: load i32, ptr %q
; CHECK: [[AGAIN:%.*]] = icmp eq ptr %q, null
; CHECK: select i1 [[AGAIN]], i32 20, i32 10
define void @loaded(ptr %p, ptr %o) "cucpu.kernel" {
  %t = call i32 @cucpu.tid.x()
  %a = getelementptr ptr, ptr %p, i32 %t
  %q = load ptr, ptr %a
  %b = getelementptr i32, ptr %o, i32 %t
  %c = icmp ne ptr %q, null
  br i1 %c, label %yes, label %no
yes:
  %x = load i32, ptr %q
  store i32 %x, ptr %b
  br label %done
no:
  br label %done
done:
  %again = icmp eq ptr %q, null
  %y = select i1 %again, i32 20, i32 10
  store i32 %y, ptr %b
  ret void
}

; CHECK-LABEL: define void @called(
; CHECK: call i32 @get(ptr nonnull %q)
; CHECK: icmp eq ptr %q, null
define void @called(ptr %p, ptr %o) "cucpu.kernel" {
  %t = call i32 @cucpu.tid.x()
  %a = getelementptr ptr, ptr %p, i32 %t
  %q = load ptr, ptr %a
  %b = getelementptr i32, ptr %o, i32 %t
  %c = icmp ne ptr %q, null
  br i1 %c, label %yes, label %no
yes:
  %x = call i32 @get(ptr noundef nonnull %q)
  store i32 %x, ptr %b
  br label %done
no:
  br label %done
done:
  %again = icmp eq ptr %q, null
  %y = select i1 %again, i32 20, i32 10
  store i32 %y, ptr %b
  ret void
}

; CHECK-LABEL: define void @assumed(
; CHECK: icmp eq ptr %q, null
; CHECK: select i1
define void @assumed(ptr %p, ptr %o) "cucpu.kernel" {
  %t = call i32 @cucpu.tid.x()
  %a = getelementptr ptr, ptr %p, i32 %t
  %q = load ptr, ptr %a
  %b = getelementptr i32, ptr %o, i32 %t
  %c = icmp ult i32 %t, 5
  br i1 %c, label %yes, label %no
yes:
  %is = icmp ne ptr %q, null
  call void @llvm.assume(i1 %is)
  store i32 1, ptr %b
  br label %done
no:
  br label %done
done:
  %again = icmp eq ptr %q, null
  %y = select i1 %again, i32 20, i32 10
  store i32 %y, ptr %b
  ret void
}
declare void @llvm.assume(i1)

; In front of the branch they stay.
; CHECK-LABEL: define void @metadata(
; CHECK: load ptr, ptr %p, align 8,{{.*}} !noundef
; CHECK: call void @cucpu.mask
; CHECK: load i8, ptr %q, align 1, !range !{{[0-9]+$}}
; CHECK: store
define void @metadata(ptr %p, ptr %o) "cucpu.kernel" {
  %t = call i32 @cucpu.tid.x()
  %q = load ptr, ptr %p, align 8, !noundef !0, !dereferenceable !1
  store ptr %q, ptr %o
  %b = getelementptr i8, ptr %o, i32 %t
  %c = icmp ult i32 %t, 5
  br i1 %c, label %yes, label %no
yes:
  %x = load i8, ptr %q, align 1, !noundef !0, !range !2
  store i8 %x, ptr %b
  br label %done
no:
  br label %done
done:
  ret void
}

; A product that may overflow where no lane asks for it decides a branch: it goes either way.
; CHECK-LABEL: define void @overflows(
; CHECK: [[X:%.*]] = mul nsw i32 %n, 1000
; CHECK: [[C:%.*]] = icmp sgt i32 [[X]], %m
; CHECK: [[F:%.*]] = freeze i1 [[C]]
; CHECK: br i1 [[F]]
; CHECK-LABEL: define void @wanted(
; CHECK: mul nsw
; CHECK-NOT: freeze
; CHECK: ret void
define void @overflows(ptr %p, i32 %n, i32 %m) "cucpu.kernel" {
  %t = call i32 @cucpu.tid.x()
  %c = icmp ult i32 %t, %n
  br i1 %c, label %some, label %none
some:
  %x = mul nsw i32 %n, 1000
  %d = icmp sgt i32 %x, %m
  br i1 %d, label %yes, label %no
yes:
  store i32 1, ptr %p
  br label %done
no:
  store i32 2, ptr %p
  br label %done
none:
  br label %done
done:
  ret void
}

define void @wanted(ptr %p, i32 %n, i32 %m) "cucpu.kernel" {
  %x = mul nsw i32 %n, 1000
  %d = icmp sgt i32 %x, %m
  br i1 %d, label %yes, label %no
yes:
  store i32 1, ptr %p
  br label %done
no:
  br label %done
done:
  ret void
}
!0 = !{}
!1 = !{i64 8}
!2 = !{i8 0, i8 2}
