/* cuda_gl_interop.h: OpenGL interoperation: declared, so that programs with an OpenGL mode compile;
** the runtime answers cudaErrorNotSupported or does not define the functions. */
#ifndef CUCPU_CUDA_GL_INTEROP_H
#define CUCPU_CUDA_GL_INTEROP_H
#include "cuda_runtime_api.h"
#if defined(__has_include)
#if __has_include(<GL/gl.h>)
#include <GL/gl.h>
#define CUCPU_HAS_GL
#endif
#endif
#ifndef CUCPU_HAS_GL
typedef unsigned int GLuint;
typedef unsigned int GLenum;
#endif

#if defined(__cplusplus)
extern "C" {
#endif
enum cudaGLDeviceList {
    cudaGLDeviceListAll = 1,
    cudaGLDeviceListCurrentFrame = 2,
    cudaGLDeviceListNextFrame = 3
};
CUCPU_API cudaGLGetDevices(unsigned int *count, int *devices, unsigned int size,
                           enum cudaGLDeviceList list);
CUCPU_API cudaGLSetGLDevice(int device);
CUCPU_API cudaGraphicsGLRegisterImage(struct cudaGraphicsResource **resource, GLuint image,
                                      GLenum target, unsigned int flags);
CUCPU_API cudaGraphicsGLRegisterBuffer(struct cudaGraphicsResource **resource, GLuint buffer,
                                       unsigned int flags);
CUCPU_API cudaGLRegisterBufferObject(GLuint buffer);
CUCPU_API cudaGLUnregisterBufferObject(GLuint buffer);
CUCPU_API cudaGLMapBufferObject(void **devPtr, GLuint buffer);
CUCPU_API cudaGLUnmapBufferObject(GLuint buffer);
#if defined(__cplusplus)
}
#endif
#endif
