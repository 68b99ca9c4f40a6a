; Which memory an access goes to, also behind phis, selects and vectors of pointers (analysis/memory_spaces.h).  What may be
; either has no scope of its own; nothing of the program points into the frame.
; RUN: %cucpu-opt --passes=loop_groups --simd=1 %s | FileCheck %s
define void @k(ptr %p, ptr %q, i1 %c) "cucpu.kernel" {
  %s = call ptr @cucpu.shared()
  %parameter = select i1 %c, ptr %p, ptr %q
  %tile = getelementptr i8, ptr %s, i64 64
  %one = insertelement <2 x ptr> poison, ptr %s, i64 0
  %both = insertelement <2 x ptr> %one, ptr %tile, i64 1
  %lane = extractelement <2 x ptr> %both, i64 1
  %either = select i1 %c, ptr %p, ptr %s
  store i32 1, ptr %parameter
  store i32 2, ptr %lane
  store i32 3, ptr %either
  %far = load ptr, ptr %p
  store i32 4, ptr %far
  ret void
}
declare ptr @cucpu.shared()
; CHECK: store i32 1, ptr {{.*}} !alias.scope ![[GLOBAL:[0-9]+]], !noalias ![[NOT_GLOBAL:[0-9]+]]
; CHECK: store i32 2, ptr {{.*}} !alias.scope ![[SHARED:[0-9]+]], !noalias ![[NOT_SHARED:[0-9]+]]
; CHECK: store i32 3, ptr %either, align 4, !noalias ![[NOT_FRAME:[0-9]+]]
; CHECK: store i32 4, ptr %far, align 4, !noalias ![[NOT_FRAME]]
; CHECK-DAG: ![[NOT_FRAME]] = !{![[FRAME_SCOPE:[0-9]+]]}
; CHECK-DAG: ![[FRAME_SCOPE]] = !{!"frame"
; CHECK-DAG: ![[GLOBAL]] = !{![[GLOBAL_SCOPE:[0-9]+]]}
; CHECK-DAG: ![[GLOBAL_SCOPE]] = !{!"global"
; CHECK-DAG: ![[SHARED]] = !{![[SHARED_SCOPE:[0-9]+]]}
; CHECK-DAG: ![[SHARED_SCOPE]] = !{!"shared"
; CHECK-DAG: ![[NOT_GLOBAL]] = !{![[FRAME_SCOPE]], ![[SHARED_SCOPE]]}
; CHECK-DAG: ![[NOT_SHARED]] = !{![[FRAME_SCOPE]], ![[GLOBAL_SCOPE]]}
