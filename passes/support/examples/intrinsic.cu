// options:
__global__ void in_constants(const void *p, bool *result) {
    *result = __nvvm_isspacep_const(p);
}
