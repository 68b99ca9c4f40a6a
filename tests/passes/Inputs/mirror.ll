target triple = "nvptx64-nvidia-cuda"
@s = internal addrspace(3) global [256 x float] undef, align 4

define ptx_kernel void @mirror(ptr noundef %a, i32 noundef %n) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %i = zext nneg i32 %t to i64
  %p = getelementptr inbounds float, ptr %a, i64 %i
  %v = load float, ptr %p, align 4
  %q = getelementptr inbounds float, ptr addrspace(3) @s, i64 %i
  store float %v, ptr addrspace(3) %q, align 4
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %c = fcmp ogt float %v, 0.0
  br i1 %c, label %then, label %end
then:
  %m = sub nsw i32 %n, %t
  %j = sext i32 %m to i64
  %r = getelementptr inbounds float, ptr addrspace(3) @s, i64 %j
  %w = load float, ptr addrspace(3) %r, align 4
  store float %w, ptr %p, align 4
  br label %end
end:
  ret void
}
