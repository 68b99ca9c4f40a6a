/* reference.c: the driver API: texture and surface references of modules.
**
** A reference is a variable of device code that holds a texture or surface object (program/registry.c).  What a
** program sets is kept in a description, of which a new object is made with each change once there is memory to
** read; kernels that were launched before read the old one to their end. */
#include "space/alloc.h"
#include "program/program.h"
#include "driver/driver.h"
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

struct CUtexref_st {
    void *variable; /* NULL: made by cuTexRefCreate */
    bool surface, bound;
    CUDA_RESOURCE_DESC resource;
    CUDA_TEXTURE_DESC texture;
    CUarray_format format;
    unsigned channels;
    CUtexObject object;
    CUtexref next;
};

static CUtexref all;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static bool is_reference(CUtexref r) {
    pthread_mutex_lock(&lock);
    CUtexref other = all;
    while (other && other != r) other = other->next;
    pthread_mutex_unlock(&lock);
    return other;
}

static CUtexref make_reference(void *variable, bool surface) {
    pthread_mutex_lock(&lock);
    CUtexref r = variable ? all : NULL;
    while (r && (r->variable != variable || r->surface != surface)) r = r->next;
    CUtexref made = r ? NULL : calloc(1, sizeof *made);
    if (made) {
        *made = (struct CUtexref_st){
            .variable = variable, .surface = surface, .format = CU_AD_FORMAT_FLOAT, .channels = 1, .next = all};
        for (int i = 0; i < 3; i++) made->texture.addressMode[i] = CU_TR_ADDRESS_MODE_CLAMP;
        all = made;
    }
    pthread_mutex_unlock(&lock);
    return r ? r : made;
}

static CUresult of_module(CUtexref *out, CUmodule module, const char *name, bool surface) {
    CUdeviceptr variable;
    size_t bytes;
    if (!out) return CUDA_ERROR_INVALID_VALUE;
    CUresult error = cuModuleGetGlobal(&variable, &bytes, module, name);
    if (error) return error;
    if (bytes != sizeof(CUtexObject)) return CUDA_ERROR_NOT_FOUND;
    *out = make_reference((void *)(uintptr_t)variable, surface);
    return *out ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
}

/* Makes the object anew; its module may have been unloaded. */
static CUresult bind(CUtexref r) {
    RtAlloc a;
    CUtexObject object = 0;
    if (!r->bound || !r->variable) return CUDA_SUCCESS;
    if (!rt_find_alloc(r->variable, &a)) return CUDA_ERROR_INVALID_HANDLE;
    CUresult error = cuCtxSynchronize();
    if (!error)
        error = r->surface ? cuSurfObjectCreate(&object, &r->resource)
                           : cuTexObjectCreate(&object, &r->resource, &r->texture, NULL);
    if (error) return error;
    if (r->object && r->surface) cuSurfObjectDestroy(r->object);
    else if (r->object) cuTexObjectDestroy(r->object);
    r->object = object;
    memcpy(r->variable, &object, sizeof object);
    return CUDA_SUCCESS;
}

static CUresult bind_to(CUtexref r, const CUDA_RESOURCE_DESC *resource) {
    r->resource = *resource;
    r->bound = true;
    return bind(r);
}

/* Sets a field of the reference `r`, or reads one. */
#define SET(right, ...)                                                                                                \
    DRV_ENTER(true);                                                                                                   \
    if (!is_reference(r) || !(right)) return CUDA_ERROR_INVALID_VALUE;                                                 \
    __VA_ARGS__;                                                                                                       \
    return bind(r)
#define GET(out, right, value)                                                                                         \
    DRV_ENTER(true);                                                                                                   \
    if (!is_reference(r) || !(out) || !(right)) return CUDA_ERROR_INVALID_VALUE;                                       \
    *(out) = value;                                                                                                    \
    return CUDA_SUCCESS

CUresult cuModuleGetTexRef(CUtexref *r, CUmodule module, const char *name) {
    RT_CALL();
    return of_module(r, module, name, false);
}
CUresult cuTexRefCreate(CUtexref *r) {
    DRV_ENTER(true);
    if (!r) return CUDA_ERROR_INVALID_VALUE;
    *r = make_reference(NULL, false);
    return *r ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
}
CUresult cuTexRefDestroy(CUtexref r) {
    DRV_ENTER(true);
    if (!is_reference(r) || r->variable) return CUDA_ERROR_INVALID_VALUE;
    pthread_mutex_lock(&lock);
    CUtexref *at = &all;
    while (*at != r) at = &(*at)->next;
    *at = r->next;
    pthread_mutex_unlock(&lock);
    free(r);
    return CUDA_SUCCESS;
}

/* ---- what it reads ---- */

CUresult cuTexRefSetArray(CUtexref r, CUarray array, unsigned flags) {
    CUDA_RESOURCE_DESC d = {.resType = CU_RESOURCE_TYPE_ARRAY, .res.array.hArray = array};
    CUDA_ARRAY_DESCRIPTOR a;
    DRV_ENTER(true);
    if (!is_reference(r) || flags != CU_TRSA_OVERRIDE_FORMAT) return CUDA_ERROR_INVALID_VALUE;
    CUresult error = cuArrayGetDescriptor(&a, array);
    if (error) return error;
    r->format = a.Format, r->channels = a.NumChannels;
    return bind_to(r, &d);
}
CUresult cuTexRefSetMipmappedArray(CUtexref r, CUmipmappedArray array, unsigned flags) {
    CUDA_RESOURCE_DESC d = {.resType = CU_RESOURCE_TYPE_MIPMAPPED_ARRAY, .res.mipmap.hMipmappedArray = array};
    DRV_ENTER(true);
    if (!is_reference(r) || !array || flags != CU_TRSA_OVERRIDE_FORMAT) return CUDA_ERROR_INVALID_VALUE;
    return bind_to(r, &d);
}
CUresult cuTexRefSetAddress(size_t *offset, CUtexref r, CUdeviceptr p, size_t bytes) {
    DRV_ENTER(true);
    if (!is_reference(r)) return CUDA_ERROR_INVALID_VALUE;
    CUDA_RESOURCE_DESC d = {.resType = CU_RESOURCE_TYPE_LINEAR};
    d.res.linear.devPtr = p, d.res.linear.sizeInBytes = bytes;
    d.res.linear.format = r->format, d.res.linear.numChannels = r->channels;
    if (offset) *offset = 0;
    return bind_to(r, &d);
}
CUresult cuTexRefSetAddress2D(CUtexref r, const CUDA_ARRAY_DESCRIPTOR *a, CUdeviceptr p, size_t pitch) {
    DRV_ENTER(true);
    if (!is_reference(r) || !a) return CUDA_ERROR_INVALID_VALUE;
    CUDA_RESOURCE_DESC d = {.resType = CU_RESOURCE_TYPE_PITCH2D};
    d.res.pitch2D.devPtr = p, d.res.pitch2D.pitchInBytes = pitch;
    d.res.pitch2D.width = a->Width, d.res.pitch2D.height = a->Height;
    d.res.pitch2D.format = r->format = a->Format, d.res.pitch2D.numChannels = r->channels = a->NumChannels;
    return bind_to(r, &d);
}
CUresult cuTexRefSetFormat(CUtexref r, CUarray_format format, int channels) {
    DRV_ENTER(true);
    if (!is_reference(r) || (channels != 1 && channels != 2 && channels != 4)) return CUDA_ERROR_INVALID_VALUE;
    r->format = format, r->channels = (unsigned)channels;
    bool linear = r->bound && r->resource.resType == CU_RESOURCE_TYPE_LINEAR;
    if (linear) r->resource.res.linear.format = format, r->resource.res.linear.numChannels = r->channels;
    return linear ? bind(r) : CUDA_SUCCESS;
}
CUresult cuTexRefGetArray(CUarray *array, CUtexref r) {
    GET(array, r->bound && r->resource.resType == CU_RESOURCE_TYPE_ARRAY, r->resource.res.array.hArray);
}
CUresult cuTexRefGetMipmappedArray(CUmipmappedArray *array, CUtexref r) {
    GET(array, r->bound && r->resource.resType == CU_RESOURCE_TYPE_MIPMAPPED_ARRAY,
        r->resource.res.mipmap.hMipmappedArray);
}
CUresult cuTexRefGetAddress(CUdeviceptr *p, CUtexref r) {
    CUresourcetype t = is_reference(r) && r->bound ? r->resource.resType : CU_RESOURCE_TYPE_ARRAY;
    GET(p, t == CU_RESOURCE_TYPE_LINEAR || t == CU_RESOURCE_TYPE_PITCH2D,
        t == CU_RESOURCE_TYPE_LINEAR ? r->resource.res.linear.devPtr : r->resource.res.pitch2D.devPtr);
}
CUresult cuTexRefGetFormat(CUarray_format *format, int *channels, CUtexref r) {
    DRV_ENTER(true);
    if (!is_reference(r) || (!format && !channels)) return CUDA_ERROR_INVALID_VALUE;
    if (format) *format = r->format;
    if (channels) *channels = (int)r->channels;
    return CUDA_SUCCESS;
}

/* ---- how ---- */

CUresult cuTexRefSetAddressMode(CUtexref r, int dim, CUaddress_mode mode) {
    SET(dim >= 0 && dim < 3 && (unsigned)mode <= CU_TR_ADDRESS_MODE_BORDER, r->texture.addressMode[dim] = mode);
}
CUresult cuTexRefGetAddressMode(CUaddress_mode *mode, CUtexref r, int dim) {
    GET(mode, dim >= 0 && dim < 3, r->texture.addressMode[dim]);
}
CUresult cuTexRefSetFilterMode(CUtexref r, CUfilter_mode mode) {
    SET((unsigned)mode <= CU_TR_FILTER_MODE_LINEAR, r->texture.filterMode = mode);
}
CUresult cuTexRefGetFilterMode(CUfilter_mode *mode, CUtexref r) { GET(mode, true, r->texture.filterMode); }
CUresult cuTexRefSetMipmapFilterMode(CUtexref r, CUfilter_mode mode) {
    SET((unsigned)mode <= CU_TR_FILTER_MODE_LINEAR, r->texture.mipmapFilterMode = mode);
}
CUresult cuTexRefGetMipmapFilterMode(CUfilter_mode *mode, CUtexref r) { GET(mode, true, r->texture.mipmapFilterMode); }
CUresult cuTexRefSetMipmapLevelBias(CUtexref r, float bias) { SET(true, r->texture.mipmapLevelBias = bias); }
CUresult cuTexRefGetMipmapLevelBias(float *bias, CUtexref r) { GET(bias, true, r->texture.mipmapLevelBias); }
CUresult cuTexRefSetMipmapLevelClamp(CUtexref r, float low, float high) {
    SET(true, r->texture.minMipmapLevelClamp = low, r->texture.maxMipmapLevelClamp = high);
}
CUresult cuTexRefGetMipmapLevelClamp(float *low, float *high, CUtexref r) {
    DRV_ENTER(true);
    if (!is_reference(r) || !low || !high) return CUDA_ERROR_INVALID_VALUE;
    *low = r->texture.minMipmapLevelClamp, *high = r->texture.maxMipmapLevelClamp;
    return CUDA_SUCCESS;
}
CUresult cuTexRefSetMaxAnisotropy(CUtexref r, unsigned most) { SET(true, r->texture.maxAnisotropy = most); }
CUresult cuTexRefGetMaxAnisotropy(int *most, CUtexref r) { GET(most, true, (int)r->texture.maxAnisotropy); }
CUresult cuTexRefSetBorderColor(CUtexref r, float *colour) {
    SET(colour, memcpy(r->texture.borderColor, colour, 4 * sizeof(float)));
}
CUresult cuTexRefGetBorderColor(float *colour, CUtexref r) {
    DRV_ENTER(true);
    if (!is_reference(r) || !colour) return CUDA_ERROR_INVALID_VALUE;
    memcpy(colour, r->texture.borderColor, 4 * sizeof(float));
    return CUDA_SUCCESS;
}
CUresult cuTexRefSetFlags(CUtexref r, unsigned flags) {
    const unsigned known = CU_TRSF_READ_AS_INTEGER | CU_TRSF_NORMALIZED_COORDINATES | CU_TRSF_SRGB |
                           CU_TRSF_DISABLE_TRILINEAR_OPTIMIZATION | CU_TRSF_SEAMLESS_CUBEMAP;
    SET(!(flags & ~known), r->texture.flags = flags);
}
CUresult cuTexRefGetFlags(unsigned *flags, CUtexref r) { GET(flags, true, r->texture.flags); }

/* A kernel holds the references that it reads. */
CUresult cuParamSetTexRef(CUfunction f, int unit, CUtexref r) {
    RtKernel *k;
    DRV_ENTER(true);
    if (rt_find_kernel(f, &k)) return CUDA_ERROR_INVALID_HANDLE;
    return unit == CU_PARAM_TR_DEFAULT && is_reference(r) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

/* ---- surfaces ---- */

CUresult cuModuleGetSurfRef(CUsurfref *s, CUmodule module, const char *name) {
    RT_CALL();
    return of_module((CUtexref *)s, module, name, true);
}
CUresult cuSurfRefSetArray(CUsurfref s, CUarray array, unsigned flags) {
    CUDA_RESOURCE_DESC d = {.resType = CU_RESOURCE_TYPE_ARRAY, .res.array.hArray = array};
    DRV_ENTER(true);
    if (!is_reference((CUtexref)s) || flags) return CUDA_ERROR_INVALID_VALUE;
    return bind_to((CUtexref)s, &d);
}
CUresult cuSurfRefGetArray(CUarray *array, CUsurfref s) {
    CUtexref r = (CUtexref)s;
    GET(array, r->bound, r->resource.res.array.hArray);
}
