# find_package(cucpu): the compiler and the libraries of this installation, wherever it lies.
#
#   cucpu_COMPILER            the command that takes the place of nvcc; also the target cucpu::cucpu
#   cucpu_TOOLKIT             the folder that takes the place of the toolkit (bin, include, lib64)
#   cucpu::cudart             the runtime with its headers, for C++ targets; cucpu::cublas and its like
#   cucpu_enable_cuda()       enables the language CUDA with this compiler; at the top level of the project
get_filename_component(cucpu_PREFIX "${CMAKE_CURRENT_LIST_DIR}/../../.." ABSOLUTE)
set(cucpu_COMPILER "${cucpu_PREFIX}/bin/cucpu")
set(cucpu_TOOLKIT "${cucpu_PREFIX}/lib/cucpu")
foreach(file "${cucpu_COMPILER}" "${cucpu_TOOLKIT}/libcudart.so")
  if(NOT EXISTS "${file}")
    set(cucpu_FOUND FALSE)
    set(cucpu_NOT_FOUND_MESSAGE "${file} is missing: the installation is incomplete")
    return()
  endif()
endforeach()

if(NOT TARGET cucpu::cucpu)
  add_executable(cucpu::cucpu IMPORTED)
  set_target_properties(cucpu::cucpu PROPERTIES IMPORTED_LOCATION "${cucpu_COMPILER}")
endif()
foreach(library cudart cublas cublasLt cufft curand nvrtc cuda nvToolsExt nvidia-ml)
  if(NOT TARGET cucpu::${library} AND EXISTS "${cucpu_TOOLKIT}/lib${library}.so")
    # Names with a version are links; the linker has to write the name that each file gives itself.
    add_library(cucpu::${library} INTERFACE IMPORTED)
    set_target_properties(cucpu::${library} PROPERTIES
      INTERFACE_INCLUDE_DIRECTORIES "${cucpu_TOOLKIT}/include"
      INTERFACE_LINK_DIRECTORIES "${cucpu_TOOLKIT}"
      INTERFACE_LINK_OPTIONS "LINKER:-rpath,${cucpu_TOOLKIT}"
      INTERFACE_LINK_LIBRARIES "${library}")
  endif()
endforeach()

# Not a function: languages are enabled for the scope of the caller.
macro(cucpu_enable_cuda)
  if(CMAKE_CUDA_COMPILER_LOADED AND NOT CMAKE_CUDA_COMPILER STREQUAL cucpu_COMPILER)
    message(FATAL_ERROR "cucpu_enable_cuda: the language CUDA is enabled with ${CMAKE_CUDA_COMPILER}; call this first")
  endif()
  set(CMAKE_CUDA_COMPILER "${cucpu_COMPILER}" CACHE FILEPATH "CUDA compiler")
  if(NOT DEFINED CMAKE_CUDA_ARCHITECTURES)
    set(CMAKE_CUDA_ARCHITECTURES 80) # any works on any CPU
  endif()
  enable_language(CUDA)
endmacro()
