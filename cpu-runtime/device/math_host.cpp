/* math_host.cpp: the device library's math as host code: CUDA lets host code call erfinv, normcdf
** and their like, too.  Part of libcudart. */
#include "math.cu"
