/* test_arrays.c: arrays and the copies with them, texture and surface objects, references. */
#include "check.h"
#include "cucpu/image.h"

static const struct cudaChannelFormatDesc float1d = {32, 0, 0, 0, cudaChannelFormatKindFloat};
static const struct cudaChannelFormatDesc uchar4d = {8, 8, 8, 8, cudaChannelFormatKindUnsigned};

static void copies_rows(void **state) {
    (void)state;
    cudaArray_t a, b;
    float host[6][10], back[6][10] = {{0}};
    for (int i = 0; i < 60; i++) host[i / 10][i % 10] = (float)i;
    OK(cudaMallocArray(&a, &float1d, 10, 6, 0));
    OK(cudaMallocArray(&b, &float1d, 10, 6, 0));
    OK(cudaMemcpy2DToArray(a, 0, 0, host, 40, 40, 6, cudaMemcpyHostToDevice));
    OK(cudaMemcpy2DArrayToArray(b, 0, 0, a, 0, 0, 40, 6, cudaMemcpyDeviceToDevice));
    OK(cudaMemcpy2DFromArray(back, 40, b, 0, 0, 40, 6, cudaMemcpyDeviceToHost));
    assert_memory_equal(host, back, sizeof host);
    OK(cudaMemcpy2DFromArray(back, 40, a, 8, 2, 4, 1, cudaMemcpyDeviceToHost));
    assert_true(back[0][0] == 22);
    OK(cudaMemcpyFromArray(back, a, 36, 1, 8, cudaMemcpyDeviceToHost)); /* over the end of a row */
    assert_true(back[0][0] == 19 && back[0][1] == 20);
    OK(cudaMemcpyToArray(a, 0, 0, host, sizeof host, cudaMemcpyHostToDevice));
    FAILS(cudaErrorInvalidValue,
          cudaMemcpy2DToArray(a, 4, 0, host, 40, 40, 6, cudaMemcpyHostToDevice));
    FAILS(cudaErrorInvalidValue,
          cudaMemcpy2DToArray(a, 0, 1, host, 40, 40, 6, cudaMemcpyHostToDevice));
    FAILS(cudaErrorInvalidPitchValue,
          cudaMemcpy2DToArray(a, 0, 0, host, 20, 40, 6, cudaMemcpyHostToDevice));
    FAILS(cudaErrorInvalidValue,
          cudaMemcpyToArray(a, 4, 0, host, sizeof host, cudaMemcpyHostToDevice));
    OK(cudaFreeArray(a));
    OK(cudaFreeArray(b));
    OK(cudaFreeArray(NULL));
    FAILS(cudaErrorInvalidResourceHandle, cudaFreeArray(a));
    FAILS(cudaErrorInvalidResourceHandle,
          cudaMemcpy2DToArray(a, 0, 0, host, 40, 40, 6, cudaMemcpyHostToDevice));
}

static void copies_volumes(void **state) {
    (void)state;
    cudaArray_t a;
    unsigned host[3][4][5], back[3][4][5];
    struct cudaExtent e = {5, 4, 3};
    for (int i = 0; i < 60; i++) host[i / 20][i / 5 % 4][i % 5] = (unsigned)i;
    OK(cudaMalloc3DArray(&a, &uchar4d, e, 0));
    struct cudaMemcpy3DParms p = {
        .srcPtr = {host, 20, 5, 4}, .dstArray = a, .extent = e, .kind = cudaMemcpyHostToDevice};
    OK(cudaMemcpy3D(&p));
    struct cudaMemcpy3DParms q = {.srcArray = a,
                                  .srcPos = {1, 1, 1},
                                  .dstPtr = {back, 20, 5, 4},
                                  .extent = {2, 3, 2},
                                  .kind = cudaMemcpyDeviceToHost};
    memset(back, 0, sizeof back);
    OK(cudaMemcpy3D(&q));
    for (int z = 0; z < 3; z++)
        for (int y = 0; y < 4; y++)
            for (int x = 0; x < 5; x++)
                assert_int_equal(back[z][y][x],
                                 z < 2 && y < 3 && x < 2 ? host[z + 1][y + 1][x + 1] : 0);
    q.extent.depth = 3;
    FAILS(cudaErrorInvalidValue, cudaMemcpy3D(&q));
    q.srcPtr = p.srcPtr;
    FAILS(cudaErrorInvalidValue, cudaMemcpy3D(&q)); /* two sources */
    FAILS(cudaErrorInvalidValue, cudaMemcpy3D(NULL));
    struct cudaPitchedPtr v;
    OK(cudaMalloc3D(&v, (struct cudaExtent){20, 4, 3}));
    struct cudaMemcpy3DParms r = {.srcPtr = {host, 20, 20, 4},
                                  .dstPtr = v,
                                  .extent = {20, 4, 3},
                                  .kind = cudaMemcpyHostToDevice};
    OK(cudaMemcpy3D(&r));
    assert_memory_equal((char *)v.ptr + v.pitch * 11, host[2][3], 20);
    r.extent.depth = 4;
    FAILS(cudaErrorInvalidValue, cudaMemcpy3D(&r));
    OK(cudaFree(v.ptr));
    OK(cudaFreeArray(a));
}

static void checks_formats_and_shapes(void **state) {
    (void)state;
    cudaArray_t a;
    struct cudaChannelFormatDesc three = {8, 8, 8, 0, cudaChannelFormatKindUnsigned},
                                 odd = {7, 0, 0, 0, 0};
    struct cudaExtent e;
    unsigned flags;
    FAILS(cudaErrorInvalidChannelDescriptor, cudaMallocArray(&a, &three, 4, 4, 0));
    FAILS(cudaErrorInvalidChannelDescriptor, cudaMallocArray(&a, &odd, 4, 4, 0));
    FAILS(cudaErrorInvalidValue, cudaMallocArray(&a, &float1d, 0, 4, 0));
    FAILS(cudaErrorMemoryAllocation,
          cudaMalloc3DArray(&a, &float1d, (struct cudaExtent){16384, 16384, 16384}, 0));
    FAILS(cudaErrorInvalidValue,
          cudaMalloc3DArray(&a, &float1d, (struct cudaExtent){4, 4, 5}, cudaArrayCubemap));
    FAILS(cudaErrorInvalidValue, cudaMallocArray(&a, &float1d, 131073, 0, 0));
    FAILS(cudaErrorInvalidValue, cudaMallocArray(&a, &float1d, 8, 65537, 0));
    FAILS(cudaErrorInvalidValue,
          cudaMalloc3DArray(&a, &float1d, (struct cudaExtent){4, 0, 2049}, cudaArrayLayered));
    FAILS(cudaErrorInvalidValue,
          cudaMalloc3DArray(&a, &float1d, (struct cudaExtent){4, 4, 4}, cudaArrayTextureGather));
    OK(cudaMalloc3DArray(&a, &float1d, (struct cudaExtent){4, 0, 5}, cudaArrayLayered));
    OK(cudaArrayGetInfo(NULL, &e, &flags, a));
    assert_int_equal(e.depth, 5);
    assert_int_equal(flags, cudaArrayLayered);
    OK(cudaFreeArray(a));
    cudaMipmappedArray_t m;
    OK(cudaMallocMipmappedArray(&m, &float1d, (struct cudaExtent){8, 4, 0}, 10, 0));
    OK(cudaGetMipmappedArrayLevel(&a, m, 3));
    OK(cudaArrayGetInfo(NULL, &e, NULL, a));
    assert_int_equal(e.width * 10 + e.height, 11);
    FAILS(cudaErrorInvalidValue, cudaGetMipmappedArrayLevel(&a, m, 4));
    FAILS(cudaErrorInvalidResourceHandle, cudaFreeArray(a)); /* belongs to the others */
    OK(cudaFreeMipmappedArray(m));
}

static void makes_textures(void **state) {
    (void)state;
    cudaTextureObject_t object;
    float *p;
    OK(cudaMalloc((void **)&p, 4096));
    struct cudaResourceDesc r = {.resType = cudaResourceTypeLinear};
    r.res.linear.devPtr = p;
    r.res.linear.desc = float1d;
    r.res.linear.sizeInBytes = 4096;
    struct cudaTextureDesc d = {.addressMode = {cudaAddressModeWrap},
                                .readMode = cudaReadModeElementType};
    OK(cudaCreateTextureObject(&object, &r, &d, NULL));
    const CucpuTexture *t = (const CucpuTexture *)(uintptr_t)object;
    assert_ptr_equal(t->image.data, p);
    assert_int_equal(t->image.width, 1024);
    assert_int_equal(t->address[0],
                     cudaAddressModeClamp); /* wrapping needs normalised coordinates */
    assert_int_equal(t->channels * 100 + t->bits, 132);
    struct cudaResourceDesc back;
    OK(cudaGetTextureObjectResourceDesc(&back, object));
    assert_int_equal(back.res.linear.sizeInBytes, 4096);
    OK(cudaDestroyTextureObject(object));
    FAILS(cudaErrorInvalidValue, cudaDestroyTextureObject(object));
    r.res.linear.sizeInBytes = 4100;
    OK(cudaCreateTextureObject(&object, &r, &d, NULL)); /* nobody looks where the allocation ends */
    OK(cudaDestroyTextureObject(object));
    r.res.linear.devPtr = (char *)p + 256; /* not textureAlignment */
    FAILS(cudaErrorInvalidValue, cudaCreateTextureObject(&object, &r, &d, NULL));
    r.res.linear.devPtr = p;
    r.res.linear.sizeInBytes = 4096;
    r.res.linear.desc.f = cudaChannelFormatKindSigned;
    d.filterMode = cudaFilterModeLinear;
    FAILS(cudaErrorInvalidFilterSetting, cudaCreateTextureObject(&object, &r, &d, NULL));
    struct cudaResourceDesc rows = {.resType = cudaResourceTypePitch2D};
    rows.res.pitch2D.devPtr = p;
    rows.res.pitch2D.desc = r.res.linear.desc;
    rows.res.pitch2D.width = 3;
    rows.res.pitch2D.height = 2;
    rows.res.pitch2D.pitchInBytes = 32;
    FAILS(cudaErrorInvalidFilterSetting, cudaCreateTextureObject(&object, &rows, &d, NULL));
    d.filterMode = cudaFilterModePoint;
    OK(cudaCreateTextureObject(&object, &rows, &d, NULL));
    OK(cudaDestroyTextureObject(object));
    rows.res.pitch2D.pitchInBytes = 36; /* not texturePitchAlignment */
    FAILS(cudaErrorInvalidValue, cudaCreateTextureObject(&object, &rows, &d, NULL));
    struct cudaResourceDesc mip = {.resType = cudaResourceTypeMipmappedArray};
    OK(cudaMallocMipmappedArray(&mip.res.mipmap.mipmap, &float1d, (struct cudaExtent){8, 4, 0}, 2,
                                0));
    d.normalizedCoords = 1;
    OK(cudaCreateTextureObject(&object, &mip, &d, NULL));
    OK(cudaDestroyTextureObject(object));
    OK(cudaFreeMipmappedArray(mip.res.mipmap.mipmap));
    OK(cudaFree(p));
}

static void makes_surfaces(void **state) {
    (void)state;
    cudaSurfaceObject_t object;
    cudaArray_t plain, a;
    OK(cudaMallocArray(&plain, &float1d, 4, 4, 0));
    OK(cudaMallocArray(&a, &uchar4d, 4, 3, cudaArraySurfaceLoadStore));
    struct cudaResourceDesc r = {.resType = cudaResourceTypeArray};
    r.res.array.array = plain;
    OK(cudaCreateSurfaceObject(&object, &r));
    OK(cudaDestroySurfaceObject(object));
    r.res.array.array = a;
    OK(cudaCreateSurfaceObject(&object, &r));
    const CucpuSurface *s = (const CucpuSurface *)(uintptr_t)object;
    assert_int_equal(s->image.height * 1000 + s->channels * 100 + s->bits, 3408);
    FAILS(cudaErrorInvalidValue, cudaDestroyTextureObject(object));
    OK(cudaDestroySurfaceObject(object));
    OK(cudaFreeArray(plain));
    OK(cudaFreeArray(a));
}

static void binds_references(void **state) {
    (void)state;
    static cudaTextureObject_t twin; /* the variable in the device code */
    static struct textureReference reference = {.filterMode = cudaFilterModePoint};
    static const CucpuVar var = {"tex", &twin, NULL, 8, 0, 0};
    static const CucpuModule m = {CUCPU_ABI_VERSION, 32, 4711, "t", NULL, &var, 0, 1, NULL, 0, 0, 0, NULL, NULL};
    static const CucpuFatbin blob = {CUCPU_FATBIN_MAGIC, CUCPU_ABI_VERSION, 4711};
    static const FakeWrapper wrapper = {0x466243b1u, 1, &blob, NULL};
    cucpu_register_module(&m);
    void **h = __cudaRegisterFatBinary((void *)(uintptr_t)&wrapper);
    __cudaRegisterTexture(h, &reference, NULL, "tex", 1, 0, 0);
    __cudaRegisterFatBinaryEnd(h);
    float *p;
    size_t offset = 9;
    OK(cudaMalloc((void **)&p, 4000));
    OK(cudaBindTexture(&offset, &reference, p, &float1d, 0xffffffffu));
    assert_int_equal(offset, 0);
    assert_true(twin && twin == reference.object);
    assert_int_equal(((const CucpuTexture *)(uintptr_t)twin)->image.width, 1000);
    OK(cudaGetTextureAlignmentOffset(&offset, &reference));
    OK(cudaUnbindTexture(&reference));
    FAILS(cudaErrorInvalidTextureBinding, cudaGetTextureAlignmentOffset(&offset, &reference));
    struct textureReference unknown = {0};
    FAILS(cudaErrorInvalidTexture, cudaBindTexture(NULL, &unknown, p, &float1d, 4));
    OK(cudaFree(p));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(copies_rows),
        cmocka_unit_test(copies_volumes),
        cmocka_unit_test(checks_formats_and_shapes),
        cmocka_unit_test(makes_textures),
        cmocka_unit_test(makes_surfaces),
        cmocka_unit_test(binds_references),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
