; A blend that is stored becomes a masked store, which are slow on some processors with AVX2.
; RUN: llc -O3 -mtriple=x86_64-linux -mcpu=x86-64-v3 %s -o - | FileCheck %s
; CHECK: vpmaskmovd {{.*}}, (%rdi)
define void @blend(ptr %p, <8 x i32> %x, <8 x i32> %v) {
  %m = icmp eq <8 x i32> %x, zeroinitializer
  %old = load <8 x i32>, ptr %p
  %s = select <8 x i1> %m, <8 x i32> %v, <8 x i32> %old
  store <8 x i32> %s, ptr %p
  ret void
}
