; Which memory each pointer points into, and which local arrays only their thread can reach.
; RUN: %cucpu-opt --passes='print<memory_spaces>' %s | FileCheck %s
@table = addrspace(4) global [4 x i32] zeroinitializer
@fixed = constant [4 x i32] zeroinitializer
@counter = global i32 0
declare ptr @cucpu.shared()
declare ptr @cucpu.frame.slot(i32, i32)
declare void @llvm.lifetime.start.p0(ptr)
declare void @llvm.masked.store.v4f32.p0(<4 x float>, ptr, <4 x i1>)
declare void @use(ptr)
declare ptr @make()

; CHECK-LABEL: memory spaces of origins
define void @origins(ptr %p, ptr byval([4 x i32]) %s, ptr addrspace(3) %q, i1 %c, i64 %n) "cucpu.kernel" {
entry:
  ; CHECK: %array = alloca [4 x i32], align 4: private
  %array = alloca [4 x i32]
  call void @llvm.lifetime.start.p0(ptr %array)
  ; CHECK: %global = {{.*}}: global
  %global = load i32, ptr %p
  ; CHECK: %param = {{.*}}: constant
  %param = load i32, ptr %s
  ; CHECK: %held = {{.*}}: global
  %field = getelementptr i8, ptr %s, i64 8
  %pointer = load ptr, ptr %field
  %held = load i32, ptr %pointer
  ; CHECK: %beyond = {{.*}}: global shared constant
  %deep = load ptr, ptr %pointer
  %beyond = load i32, ptr %deep
  ; CHECK: %typed = {{.*}}: shared
  %typed = load i32, ptr addrspace(3) %q
  %arena = call ptr @cucpu.shared()
  %as3 = addrspacecast ptr %arena to ptr addrspace(3)
  %at = getelementptr i32, ptr addrspace(3) %as3, i64 %n
  %back = addrspacecast ptr addrspace(3) %at to ptr
  ; CHECK: %shared = {{.*}}: shared
  %shared = atomicrmw add ptr %back, i32 1 monotonic
  ; CHECK: %constant = {{.*}}: constant
  %constant = load i32, ptr addrspacecast (ptr addrspace(4) @table to ptr)
  ; CHECK: %never = {{.*}}: constant
  %never = load i32, ptr getelementptr (i32, ptr @fixed, i64 1)
  ; CHECK: %variable = {{.*}}: global
  %variable = load i32, ptr @counter
  %slot = call ptr @cucpu.frame.slot(i32 0, i32 4)
  ; CHECK: store i32 %global, ptr %slot, align 4: frame
  store i32 %global, ptr %slot
  %element = getelementptr i32, ptr %array, i64 %n
  ; CHECK: store i32 %global, ptr %element, align 4: local
  store i32 %global, ptr %element
  %either = select i1 %c, ptr %back, ptr %p
  ; CHECK: store i32 0, ptr %either, align 4: global shared
  store i32 0, ptr %either
  ; CHECK: %address = {{.*}}: global
  %address = load ptr, ptr %p
  ; CHECK: store i32 0, ptr %address, align 4: global shared constant{{$}}
  store i32 0, ptr %address
  %made = inttoptr i64 %n to ptr
  ; CHECK: store i32 1, ptr %made, align 4: global shared constant{{$}}
  store i32 1, ptr %made
  ; CHECK: store i32 2, ptr null, align 4: nothing
  store i32 2, ptr null
  br label %loop
loop:
  %walk = phi ptr [ %back, %entry ], [ %next, %loop ]
  ; CHECK: store i32 3, ptr %walk, align 4: shared
  store i32 3, ptr %walk
  %next = getelementptr i32, ptr %walk, i64 1
  br i1 %c, label %loop, label %done
done:
  ret void
}

; The address of one array is passed on: everything of unknown origin may point into it.
; CHECK-LABEL: memory spaces of escapes
define void @escapes(ptr %p) "cucpu.kernel" {
  ; CHECK: %kept = alloca i32, align 4: private
  %kept = alloca i32
  ; CHECK: %given = alloca i32, align 4: escapes
  %given = alloca i32
  call void @use(ptr %given)
  %back = call ptr @make()
  ; CHECK: store i32 0, ptr %back, align 4: global shared constant local
  store i32 0, ptr %back
  ; CHECK: store i32 0, ptr %kept, align 4: local
  store i32 0, ptr %kept
  ret void
}

; CHECK-LABEL: memory spaces of ways_out
define void @ways_out(ptr %p, <4 x float> %v, <4 x i1> %m, i1 %c) "cucpu.kernel" {
  ; CHECK: %stored = {{.*}}: escapes
  %stored = alloca i32
  ; CHECK: %number = {{.*}}: escapes
  %number = alloca i32
  ; CHECK: %aggregate = {{.*}}: escapes
  %aggregate = alloca i32
  ; CHECK: %swapped = {{.*}}: escapes
  %swapped = alloca i32
  ; CHECK: %indirect = {{.*}}: escapes
  %indirect = alloca i32
  ; CHECK: %vector = {{.*}}: private
  %vector = alloca <4 x float>
  ; CHECK: %compared = {{.*}}: private
  %compared = alloca i32
  store ptr %stored, ptr %p
  %i = ptrtoint ptr %number to i64
  store i64 %i, ptr %p
  %s = insertvalue { ptr, i32 } poison, ptr %aggregate, 0
  %x = cmpxchg ptr %p, ptr null, ptr %swapped monotonic monotonic
  %choice = select i1 %c, ptr %indirect, ptr %p
  store ptr %choice, ptr %p
  call void @llvm.masked.store.v4f32.p0(<4 x float> %v, ptr %vector, <4 x i1> %m)
  %null = icmp eq ptr %compared, null
  ret void
}
