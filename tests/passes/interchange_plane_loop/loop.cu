// Kernels that walk through planes get a variant in which a row of blocks does so together: two steps under the test in front of the loop,
// then a barrier.  Counters are those of all threads, what a thread has loaded lives in variables; the entry asks the arguments whether
// it is worth it and calls the variant of rows alone where it is not.
// RUN: %cucpu --cpu=x86-64-v3 --stop-after=make_variants -Rcucpu %s -o %t.ll 2> %t.remarks && FileCheck %s < %t.ll
// RUN: FileCheck --check-prefix=SAYS %s < %t.remarks
// RUN: %cucpu --cpu=x86-64-v3 --stop-after=kernel_table %s -o %t.table && FileCheck --check-prefix=ENTRY %s < %t.table
// RUN: %cucpu --cpu=x86-64-v3 --disable=interchange_plane_loop --stop-after=kernel_table %s -o %t.off && FileCheck --check-prefix=OFF %s < %t.off
// OFF-NOT: .interchanged
// SAYS: loop.cu:[[# @LINE + 34]]:5: remark: {{.*}}: loop interchanged: a row of blocks goes through this loop together
// SAYS-NOT: goes through this loop together

// CHECK-LABEL: define internal i1 @{{.*}}walk{{.*}}.interchanged.profitable(ptr %0, ptr %1, i32 %2, i64 %3)
// CHECK: %trips = udiv i64
// CHECK: %profitable = and i1
// CHECK-LABEL: define {{.*}}walk{{.*}}.interchanged.w16.rows_full(
// CHECK: %[[ON:.*]] = select i1 {{.*}}, i1 {{.*}}, i1 false
// CHECK: %strip{{[0-9]*}} = phi i32
// CHECK: br i1 %[[ON]], label
// CHECK: call void @cucpu.barrier(i32 0)
// CHECK-NEXT: br i1
// CHECK: store float
// CHECK: store float
// CHECK: {{^}}}

// The table has the entry that asks, which has room for what all its groups carry, and none of its own per group.  How many blocks there
// are in a row of those that march depends on the grid; their rows follow each other.
// ENTRY: @cucpu.variants = {{.*}}.interchanged.w16.rows_full.entry, i32 16, i32 0, [3 x i32] zeroinitializer, i32 131072, i32 0
// ENTRY: define internal void @{{.*}}walk{{.*}}.w16.rows_full.entry({{.*}} #[[ALONE:[0-9]+]]
// ENTRY: define internal void @{{.*}}walk{{.*}}.interchanged.w16.rows_full.entry(
// ENTRY: %cache = call i64 @cucpu_private_cache()
// ENTRY: br i1 %profitable, label %block, label %alone
// ENTRY: %stack = select i1
// ENTRY: %rows = mul i32
// ENTRY: alone:
// ENTRY-NEXT: call void @{{.*}}walk{{.*}}.w16.rows_full.entry(ptr %launch, ptr %worker, i64 %first, i64 %end)
// ENTRY: attributes #[[ALONE]] = { {{.*}}noinline{{.*}}"cucpu.single_row"

__global__ void walk(const float *in, float *out, int n) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x == 0 || y == 0 || x >= n - 1 || y >= n - 1) return;
    int at = y * n + x, plane = n * n;
    float below = in[at];
    for (int z = 1; z < n - 1; z++) {
        at += plane;
        float here = in[at];
        out[at] = below + here + in[at - 1] + in[at + n];
        below = here;
    }
}
