# cmake -DCC=cc -DNM=nm -DRUNTIME=libcudart.so.12 -DSLEEF=libsleef.so -DOUT=libcudart.so -P libcudart.cmake: the library that -lcudart and
# dlopen("libcudart.so") find.
#
# Kernels call the vector mathematics library and that of C.  -lcudart is to be enough for linkers that are not started by cucpu, as with nvcc,
# so that libcudart.so must have these functions too; programs that cucpu links do not load them in vain.  Therefore it is a library of names
# without code: its own name is libcudart.so, and the functions are looked up in the real ones, as DT_AUXILIARY says.
get_filename_component(directory ${OUT} DIRECTORY)
set(source ${OUT}.s)
set(map ${OUT}.map)
execute_process(COMMAND ${CC} -print-file-name=libm.so.6 OUTPUT_VARIABLE libm OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)

# names_of(list file pattern): the functions that the library defines and whose name with version matches.
function(names_of list file pattern)
  execute_process(COMMAND ${NM} -D --defined-only ${file} OUTPUT_VARIABLE lines COMMAND_ERROR_IS_FATAL ANY)
  string(REGEX MATCHALL " [TWi] ${pattern}" names "${lines}")
  list(TRANSFORM names REPLACE "^ . " "")
  set(${list} ${names} PARENT_SCOPE)
endfunction()
names_of(runtime ${RUNTIME} "(cu|nvrtc|nvJitLink|__cu|__nv)[A-Za-z0-9_]+")
list(REMOVE_DUPLICATES runtime) # versions of one function
names_of(sleef ${SLEEF} "Sleef_[fc]inz_[A-Za-z0-9_]+")
names_of(math ${libm} "[A-Za-z0-9_]+@@[A-Z0-9_.]+")
if(NOT runtime OR NOT sleef OR NOT math)
  message(FATAL_ERROR "no functions in ${RUNTIME}, ${SLEEF} or ${libm}")
endif()

# Programs would else be bound to the oldest versions of the functions of C.
set(text "")
set(versions ${math})
list(TRANSFORM versions REPLACE "^.*@@" "")
list(REMOVE_DUPLICATES versions)
foreach(version ${versions})
  set(functions ${math})
  list(FILTER functions INCLUDE REGEX "@@${version}$")
  list(TRANSFORM functions REPLACE "@@.*$" "")
  list(JOIN functions "; " functions)
  string(APPEND text "${version} { ${functions}; };\n")
endforeach()
file(WRITE ${map} "${text}")

list(TRANSFORM math REPLACE "@@.*$" "")
set(text ".text\n")
foreach(name ${runtime} ${sleef} ${math})
  string(APPEND text ".globl ${name}\n.type ${name}, @function\n${name}:\n")
endforeach()
file(WRITE ${source} "${text}ud2\n.section .note.GNU-stack, \"\", @progbits\n")
execute_process(COMMAND ${CC} -shared -nostdlib -s ${source} -o ${OUT} -Wl,-soname,libcudart.so -Wl,--version-script=${map}
  -Wl,-f,libcudart.so.12 -Wl,-f,libsleef.so.3 -Wl,-f,libm.so.6 -Wl,--no-as-needed ${RUNTIME} ${SLEEF} ${libm}
  -Wl,--enable-new-dtags -Wl,-rpath,$ORIGIN COMMAND_ERROR_IS_FATAL ANY)
file(REMOVE ${source} ${map})
