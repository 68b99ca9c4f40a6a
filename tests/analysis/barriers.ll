; The regions between barriers, where each leads, and whether the whole block goes the same way.
; RUN: %cucpu-opt --passes='split_barriers,print<barriers>' --simd=1 %s | FileCheck %s
declare void @cucpu.barrier(i32)
declare void @cucpu.barrier.count(i32, i32)
declare void @cucpu.grid.sync()
declare i32 @cucpu.barrier.popc(i32, i1)
declare i32 @cucpu.tid.x()

; CHECK-LABEL: barriers of straight:{{$}}
; CHECK-NEXT: region 0, entry: entry -> 1{{$}}
; CHECK-NEXT: region 1, cucpu.barrier: barrier -> end{{$}}
define void @straight(ptr %p) "cucpu.kernel" {
entry:
  store i32 1, ptr %p
  call void @cucpu.barrier(i32 0)
  store i32 2, ptr %p
  ret void
}

; A barrier in a loop leads to itself; the loop ends for all threads at once.
; CHECK-LABEL: barriers of loop:{{$}}
; CHECK-NEXT: region 0, entry: entry head {{.*}}-> 1{{$}}
; CHECK-NEXT: region 1, cucpu.barrier.popc: {{.*}}-> {{1 end|end 1}} (uniform)
define void @loop(ptr %p, i32 %n) "cucpu.kernel" {
entry:
  br label %head
head:
  %i = phi i32 [ 0, %entry ], [ %next, %head ]
  %c = call i32 @cucpu.barrier.popc(i32 0, i1 true)
  %next = add i32 %i, 1
  %more = icmp slt i32 %next, %n
  br i1 %more, label %head, label %out
out:
  ret void
}

; Threads go apart; named barriers and those of the grid are noted.
; CHECK-LABEL: barriers of apart: named grid
; CHECK-NEXT: region 0, entry: {{.*}}-> {{(1 end|end 1)}} (apart)
; CHECK-NEXT: region 1, cucpu.barrier.count: {{.*}}-> 2{{$}}
; CHECK-NEXT: region 2, cucpu.grid.sync: {{.*}}-> end{{$}}
define void @apart(ptr %p, i32 %n) "cucpu.kernel" {
entry:
  %t = call i32 @cucpu.tid.x()
  %c = icmp slt i32 %t, %n
  br i1 %c, label %go, label %out
go:
  call void @cucpu.barrier.count(i32 1, i32 64)
  store i32 2, ptr %p
  call void @cucpu.grid.sync()
  br label %out
out:
  ret void
}
