// A field that is copied from the same field of other structures, which nobody knows.
struct Box {
    int n;
    dim3 block;
};
struct Outer {
    long pad;
    Box box;
};
__global__ void kernel(int *p) {
    __shared__ int s[1024];
    s[threadIdx.x] = p[threadIdx.x];
    __syncthreads();
    p[threadIdx.x] = s[blockDim.x - 1 - threadIdx.x];
}
void assign(Outer *a, Outer *b) { a->box = b->box; }
Outer *find(int);
void go(int *q) {
    Outer *a = find(1), *b = find(2);
    assign(a, b);
    assign(b, a);
    kernel<<<1, a->box.block.y>>>(q);
}
