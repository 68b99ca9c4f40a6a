set environment CUCPU_NUM_THREADS 1
set breakpoint pending on
break twice if threadIdx.x == 9 && blockIdx.x == 0
break shift if threadIdx.x == 33 && blockIdx.x == 0
run
print threadIdx
python
for command in ["cuda thread (64,0,0)", "cuda block (1,0,0)", "cuda lne 3", "cuda lane 32", "info cuda warps"]:
    try:
        gdb.execute(command)
    except gdb.error as error:
        print(error)
end
info cuda kernels
cuda thread 12
continue
print threadIdx
delete
cuda thread 3
continue
python
try:
    gdb.execute("cuda")
except gdb.error as error:
    print(error)
end
