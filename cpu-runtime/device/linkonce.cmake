# cmake -DIN=a.ll -DOUT=b.ll -P linkonce.cmake: makes every definition linkonce_odr, so that linking
# the library into a kernel module brings in only what the kernels use.
file(READ ${IN} text)
string(REGEX REPLACE "\ndefine (dso_local )?([^i])" "\ndefine linkonce_odr \\2" text "${text}")
file(WRITE ${OUT} "${text}")
