"""Tables 1 and 2 of Karrenberg and Hack, CC 2012."""
import harness
from papers import Failed, reasons, table, wrapped

HEADING = "Karrenberg and Hack 2012: OpenCL on CPUs"
# our program: theirs, and milliseconds of table 1: scalar, naive, UniVal, BOSCC, UniCF
PROGRAMS = {
    "bitonic": ("BitonicSort", (1649, 549, 519, 518, 519)),
    "blackscholes": ("BlackScholes", (2743, 713, 672, 672, 672)),
    "dct8x8": ("DCT", (732, 1100, 857, 857, 411)),
    "fastwalsh": ("FastWalsh", (9852, 13317, 13450, 13451, 13458)),
    "floyd": ("FloydWarshall", (444, 4081, 3592, 3420, 3603)),
    "histogram": ("Histogram", (1575, 1703, 1454, 1469, 1266)),
    "mandelbrot": ("Mandelbrot", (4136, 8114, 1724, 1727, 1725)),
    "transpose": ("MatrixTranspose", (2295, 2378, 1599, 1599, 1600)),
    "nbody": ("NBody", (3768, 2099, 1410, 1408, 1035)),
}
COLUMNS = {
    "scalar": ["--simd=1", "--disable=vectorize_threads"],
    "naive": ["--disable=uniform_values,uniform_control_flow,guard_coherent,version_all_active"],
    "UniVal": ["--disable=uniform_control_flow,guard_coherent,version_all_active"],
    "BOSCC": ["--disable=uniform_control_flow"],
    "UniCF": ["--disable=guard_coherent,version_all_active"],
}
REASONS = {}


def measure_one(opt, program, directory):
    exes = harness.build(opt, program, COLUMNS, directory)
    if len(exes) != len(COLUMNS): raise Failed(f"{program[0]} could not be built")

    def once(exe):
        t = harness.measure(exe, "cuda", 1, ["--time", str(opt.time)])
        if t is None: raise Failed(f"{program[0]}: wrong result")
        return t[0]
    return harness.medians({c: lambda exe=exe: once(exe) for c, exe in exes.items()}, opt.rounds)


def measure(opt, directory):
    return {"table1": {p[0]: measure_one(opt, p, directory) for p in harness.PROGRAMS if p[0] in PROGRAMS}}


def render(record):
    rows, columns = [], list(COLUMNS)[1:]
    for name, times in record["table1"].items():
        published = PROGRAMS[name][1]
        rows.append([PROGRAMS[name][0], *(f"{times['scalar'] / times[c]:.2f} ({published[0] / p:.2f})"
                                          for c, p in zip(columns, published[1:]))])
    below = [PROGRAMS[n][0] for n, t in record["table1"].items() if t["scalar"] < t["UniCF"]]
    return (wrapped("Table 1: time of scalar code / time of each configuration, one thread; published in parentheses.")
            + [""] + table(["program", *columns], rows) + ([""] if below else []) + reasons(below, REASONS))
