"""The SQLite file of profiled.cu, as programs for the files of Nsight Systems read it."""
import sqlite3
import sys

db = sqlite3.connect(sys.argv[1])


def rows(sql):
    return db.execute(sql).fetchall()


kernels = rows("""SELECT s.value, d.value, m.value, gridX, blockX, staticSharedMemory, dynamicSharedMemory, streamId,
    deviceId, registersPerThread, end > start FROM CUPTI_ACTIVITY_KIND_KERNEL
    JOIN StringIds s ON s.id = shortName JOIN StringIds d ON d.id = demangledName JOIN StringIds m ON m.id = mangledName
    ORDER BY start""")
assert [k[0] for k in kernels] == ["scale"] * 3 + ["narrow"], kernels
assert kernels[0] == ("scale", "void scale<float>(float*, int)", "_Z5scaleIfEvPT_i", 16, 256, 1024, 1024, 7, 0, 32, 1)
# The launch that caused a kernel, and the range around it.
launched = rows("""SELECT s.value, r.start <= k.start, r.globalTid / 0x1000000 % 0x1000000
    FROM CUPTI_ACTIVITY_KIND_KERNEL k
    JOIN CUPTI_ACTIVITY_KIND_RUNTIME r ON r.correlationId = k.correlationId
    JOIN StringIds s ON s.id = r.nameId""")
pid = rows("SELECT pid FROM PROCESSES")[0][0]
assert launched == [("cudaLaunchKernel", 1, pid)] * 4, launched
inside = rows("""SELECT count(*) FROM CUPTI_ACTIVITY_KIND_RUNTIME r JOIN NVTX_EVENTS n ON n.eventType = 59
    AND n.globalTid = r.globalTid AND n.start <= r.start AND n.end >= r.end WHERE n.text = 'loop'""")
assert inside == [(3,)], inside
copies = rows("SELECT bytes, copyKind, srcKind, dstKind FROM CUPTI_ACTIVITY_KIND_MEMCPY")
assert copies == [(16384, 2, 2, 0)], copies
assert rows("SELECT bytes, value FROM CUPTI_ACTIVITY_KIND_MEMSET") == [(16384, 0)]
api = rows("SELECT value, eventClass, returnValue FROM CUPTI_ACTIVITY_KIND_RUNTIME JOIN StringIds ON id = nameId")
for call in (("cuDeviceGet", 1, None), ("cuDeviceGetCount", 1, 0), ("cudaLaunchKernel", 0, 9), ("cudaMemcpy", 0, 0)):
    assert call in api, api
assert rows("SELECT gridX, blockX, result FROM CUCPU_REFUSED") == [(1, 4096, 9)]
assert rows("SELECT sum(blocks) FROM CUCPU_WORKER") == [(49,)]
assert rows("SELECT name FROM TARGET_INFO_GPU")[0][0].startswith("cucpu")
for table in ("TARGET_INFO_CUDA_DEVICE", "TARGET_INFO_CUDA_STREAM", "TARGET_INFO_SESSION_START_TIME",
              "ENUM_CUDA_MEM_KIND"):
    assert rows(f"SELECT count(*) FROM {table}")[0][0], table
