set environment CUCPU_NUM_THREADS 1
set style enabled off
set width 110
set print repeats 3
break 13 if threadIdx.x == 5 && blockIdx.x == 1
run
backtrace 1
print v
print scale
print blockDim
tbreak 16 if threadIdx.x == 5
continue
print left
print tile[4]
info cuda threads
cuda thread (7,0,0)
print v
print i
