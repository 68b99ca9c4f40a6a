; Blocks follow each other along y where most accesses lie along y; where the loads of a transposition do, and lanes lie apart; all variants alike, and not joined.
; RUN: %cucpu-opt --passes=coalesce_blocks,make_variants --cpu=x86-64-v4 %s -o %t.ll && FileCheck %s < %t.ll
; RUN: %cucpu-opt --passes=coalesce_blocks,make_variants --cpu=x86-64-v4 --simd=1 %s | FileCheck --check-prefix=ONE %s
; RUN: %cucpu-opt --passes=coalesce_blocks,make_variants --cpu=x86-64-v4 --disable=order_blocks %s | FileCheck --check-prefix=NONE %s
; NONE-NOT: cucpu.order
; NONE: "cucpu.base"="far"{{.*}}"cucpu.joined"
; NONE-NOT: cucpu.order
; ONE-DAG: "cucpu.base"="far"{{.*}}"cucpu.order"="1"
; ONE-DAG: "cucpu.base"="reads"{{.*}}"cucpu.order"="1"
; With lanes along y the grid has changed places as well, and blocks are joined again, along y.
; CHECK-DAG: "cucpu.along"="1"{{.*}}"cucpu.base"="far" {{.*}}"cucpu.joined"{{.*}}"cucpu.swapped_grid"
; CHECK-DAG: "cucpu.base"="far" {{.*}}"cucpu.layout"="2" "cucpu.order"="1"
; CHECK-DAG: "cucpu.base"="reads"{{.*}}"cucpu.order"="1"
; CHECK-DAG: "cucpu.base"="deep"{{.*}}"cucpu.order"="2"
; RUN: grep cucpu.base %t.ll | FileCheck --check-prefix=OTHERS %s
; OTHERS-NOT: "cucpu.base"="{{writes|rows|once}}"{{.*}}"cucpu.order"
; OTHERS-NOT: { "cucpu.base"="far"{{.*}}"cucpu.joined"
declare i32 @cucpu.tid.x()
declare i32 @cucpu.tid.y()
declare i32 @cucpu.ntid.x()
declare i32 @cucpu.ntid.y()
declare i32 @cucpu.ctaid.x()
declare i32 @cucpu.ctaid.y()
define void @far(ptr %a, ptr %b, i32 %n) "cucpu.kernel" {
  %tx = call i32 @cucpu.tid.x()
  %nx = call i32 @cucpu.ntid.x()
  %cx = call i32 @cucpu.ctaid.x()
  %ox = mul i32 %cx, %nx
  %x = add i32 %ox, %tx
  %ty = call i32 @cucpu.tid.y()
  %ny = call i32 @cucpu.ntid.y()
  %cy = call i32 @cucpu.ctaid.y()
  %oy = mul i32 %cy, %ny
  %y = add i32 %oy, %ty
  %pr = mul nsw i32 %x, %n
  %pi = add nsw i32 %pr, %y
  %pw = sext i32 %pi to i64
  %p = getelementptr float, ptr %a, i64 %pw
  %v = load float, ptr %p
  %qr = mul nsw i32 %x, %n
  %qi = add nsw i32 %qr, %y
  %qw = sext i32 %qi to i64
  %q = getelementptr float, ptr %b, i64 %qw
  store float %v, ptr %q
  ret void
}
define void @reads(ptr %a, ptr %b, i32 %n) "cucpu.kernel" {
  %tx = call i32 @cucpu.tid.x()
  %nx = call i32 @cucpu.ntid.x()
  %cx = call i32 @cucpu.ctaid.x()
  %ox = mul i32 %cx, %nx
  %x = add i32 %ox, %tx
  %ty = call i32 @cucpu.tid.y()
  %ny = call i32 @cucpu.ntid.y()
  %cy = call i32 @cucpu.ctaid.y()
  %oy = mul i32 %cy, %ny
  %y = add i32 %oy, %ty
  %pr = mul nsw i32 %x, %n
  %pi = add nsw i32 %pr, %y
  %pw = sext i32 %pi to i64
  %p = getelementptr float, ptr %a, i64 %pw
  %v = load float, ptr %p
  %qr = mul nsw i32 %y, %n
  %qi = add nsw i32 %qr, %x
  %qw = sext i32 %qi to i64
  %q = getelementptr float, ptr %b, i64 %qw
  store float %v, ptr %q
  ret void
}
define void @writes(ptr %a, ptr %b, i32 %n) "cucpu.kernel" {
  %tx = call i32 @cucpu.tid.x()
  %nx = call i32 @cucpu.ntid.x()
  %cx = call i32 @cucpu.ctaid.x()
  %ox = mul i32 %cx, %nx
  %x = add i32 %ox, %tx
  %ty = call i32 @cucpu.tid.y()
  %ny = call i32 @cucpu.ntid.y()
  %cy = call i32 @cucpu.ctaid.y()
  %oy = mul i32 %cy, %ny
  %y = add i32 %oy, %ty
  %pr = mul nsw i32 %y, %n
  %pi = add nsw i32 %pr, %x
  %pw = sext i32 %pi to i64
  %p = getelementptr float, ptr %a, i64 %pw
  %v = load float, ptr %p
  %qr = mul nsw i32 %x, %n
  %qi = add nsw i32 %qr, %y
  %qw = sext i32 %qi to i64
  %q = getelementptr float, ptr %b, i64 %qw
  store float %v, ptr %q
  ret void
}
define void @rows(ptr %a, ptr %b, i32 %n) "cucpu.kernel" {
  %tx = call i32 @cucpu.tid.x()
  %nx = call i32 @cucpu.ntid.x()
  %cx = call i32 @cucpu.ctaid.x()
  %ox = mul i32 %cx, %nx
  %x = add i32 %ox, %tx
  %ty = call i32 @cucpu.tid.y()
  %ny = call i32 @cucpu.ntid.y()
  %cy = call i32 @cucpu.ctaid.y()
  %oy = mul i32 %cy, %ny
  %y = add i32 %oy, %ty
  %pr = mul nsw i32 %y, %n
  %pi = add nsw i32 %pr, %x
  %pw = sext i32 %pi to i64
  %p = getelementptr float, ptr %a, i64 %pw
  %v = load float, ptr %p
  %qr = mul nsw i32 %y, %n
  %qi = add nsw i32 %qr, %x
  %qw = sext i32 %qi to i64
  %q = getelementptr float, ptr %b, i64 %qw
  store float %v, ptr %q
  ret void
}
define void @once(ptr %a, ptr %b, i32 %n) "cucpu.kernel" {
  %tx = call i32 @cucpu.tid.x()
  %nx = call i32 @cucpu.ntid.x()
  %cx = call i32 @cucpu.ctaid.x()
  %ox = mul i32 %cx, %nx
  %x = add i32 %ox, %tx
  %ty = call i32 @cucpu.tid.y()
  %ny = call i32 @cucpu.ntid.y()
  %cy = call i32 @cucpu.ctaid.y()
  %oy = mul i32 %cy, %ny
  %y = add i32 %oy, %ty
  %pw = sext i32 %x to i64
  %p = getelementptr float, ptr %a, i64 %pw
  %v = load float, ptr %p
  %qr = mul nsw i32 %y, %n
  %qi = add nsw i32 %qr, %x
  %qw = sext i32 %qi to i64
  %q = getelementptr float, ptr %b, i64 %qw
  store float %v, ptr %q
  ret void
}
declare i32 @cucpu.tid.z()
declare i32 @cucpu.ctaid.z()
declare i32 @cucpu.ntid.z()
define void @deep(ptr %a, ptr %b, i32 %n) "cucpu.kernel" {
  %tx = call i32 @cucpu.tid.x()
  %nx = call i32 @cucpu.ntid.x()
  %cx = call i32 @cucpu.ctaid.x()
  %ox = mul i32 %cx, %nx
  %x = add i32 %ox, %tx
  %tz = call i32 @cucpu.tid.z()
  %nz = call i32 @cucpu.ntid.z()
  %cz = call i32 @cucpu.ctaid.z()
  %oz = mul i32 %cz, %nz
  %z = add i32 %oz, %tz
  %r = mul nsw i32 %x, %n
  %i = add nsw i32 %r, %z
  %w = sext i32 %i to i64
  %p = getelementptr float, ptr %a, i64 %w
  %v = load float, ptr %p
  %q = getelementptr float, ptr %b, i64 %w
  store float %v, ptr %q
  ret void
}
