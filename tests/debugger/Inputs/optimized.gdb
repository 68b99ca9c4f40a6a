set environment CUCPU_NUM_THREADS 1
set breakpoint pending on
break 16 if threadIdx.x == 16
run
cuda lane 21
print i
print three
cuda lane 20
print v
delete
tbreak 20 if threadIdx.x == 32
continue
cuda lane 5
print v
print three[1]
print tile[21]
info cuda threads
cuda thread (40,0,0)
print i
print v
delete
continue
