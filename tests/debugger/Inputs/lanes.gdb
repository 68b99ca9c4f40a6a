set environment CUCPU_NUM_THREADS 1
set breakpoint pending on
break 16 if threadIdx.x == 16
run
print threadIdx.x
cuda lane 21
print t
print v
info cuda threads
