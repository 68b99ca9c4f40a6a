#!/usr/bin/env python3
"""Makes what is generated in samples/README.md: the table of speed-ups, and the pictures.

  gallery.py --cucpu build/bin/cucpu            compiles all samples, measures them, writes the table
  gallery.py --cucpu build/bin/cucpu --pictures writes samples/pictures/*.png
  gallery.py --verify                           checks that the README has all samples and pictures

Names of samples after the options restrict what is made; other lines of the table stay as they are."""
import argparse
import math
import os
import re
import struct
import subprocess
import sys
import tempfile
import zlib

HERE = os.path.dirname(os.path.abspath(__file__))
README = os.path.join(HERE, "README.md")
FLAGS = ["-O3", "-fopenmp", "-march=native", "-Xcompiler", "-fno-math-errno"]
LARGEST_PICTURE = 60000  # bytes

# Why a sample is slower than its OpenMP version, or little faster.
REASONS = {
    "gaussian": "22 instructions for a vector of 16 elements, 10 of them `cmp` and branch: bounds of `i` and `j`, whether "
                "`k + blockIdx.x * blockDim.x` wraps around, `j == k`, end of a row of 64; OpenMP has 18 for 4 vectors",
    "histo": "one increment of memory per element in both",
    "hotspot": "tiles with a halo are copied to shared memory first; OpenMP reads the neighbours from the cache",
    "hotspot3D": "memory: a vector of threads goes up the layers, OpenMP along the rows",
    "huffman": "words of lanes are ored one by one (`tzcnt`, two `mov` from the stack, `or`, and the next lane: 7 "
               "instructions), their bytes are collected by 16 `vpinsrb`; OpenMP appends to a register",
    "mri-gridding": "threads test all samples of 3 x 3 tiles; OpenMP visits the points around each sample",
    "mummergpu": "latency: each step of a match follows a pointer into the tree, in both",
    "saxpy": "memory",
    "srad": "memory, and divisions in both",
    "stencil": "memory",
}


def samples():
    """Names of the samples in alphabetical order, and what each says about itself."""
    found = {}
    for name in sorted(os.listdir(HERE), key=str.lower):
        try:
            with open(os.path.join(HERE, name, "main.cu")) as f:
                match = re.search(r'Sample sample\(argc, argv, "([^"]+)", "([^"]+)"(, PICTURE)?', f.read())
        except OSError:
            continue
        if match:
            found[name] = match.group(2), bool(match.group(3))
    return found


def build(cucpu, name, folder):
    program = os.path.join(folder, name)
    subprocess.run([cucpu] + FLAGS + [os.path.join(HERE, name, "main.cu"), "-o", program], check=True)
    return program


def measure(program, threads):
    env = dict(os.environ, OMP_NUM_THREADS=str(threads), CUCPU_NUM_THREADS=str(threads))
    command = [program, "--cpu-time" if threads == 1 else "--bench"]
    text = subprocess.run(command, env=env, check=True, stdout=subprocess.PIPE, text=True).stdout
    match = re.search(r"CUDA ([\d.]+) ms, OpenMP ([\d.]+) ms", text)
    cuda, openmp = (float(f"{float(ms):.4g}") for ms in match.groups())  # as the table has them
    return openmp, cuda


def read_ppm(path):
    with open(path, "rb") as f:
        data = f.read()
    match = re.match(rb"P6\n(\d+) (\d+)\n255\n", data)
    return int(match.group(1)), int(match.group(2)), data[match.end():]


def shrink(width, height, pixels, limit):
    """Means of squares of pixels, so that the larger side is at most the limit."""
    step = -(-max(width, height) // limit)
    w, h = width // step, height // step
    out = bytearray()
    for y in range(h):
        rows = [pixels[3 * width * (y * step + k):3 * width * (y * step + k + 1)] for k in range(step)]
        for x in range(w):
            for c in range(3):
                total = sum(sum(row[3 * x * step + c:3 * (x + 1) * step:3]) for row in rows)
                out.append(total // (step * step))
    return w, h, bytes(out)


def png(width, height, pixels, bits):
    """A compressed PNG whose colours keep the given number of bits; rows are differences to the row above."""
    mask = 0xff << (8 - bits) & 0xff
    pixels = bytes((p & mask) | (p & mask) >> bits for p in pixels)
    above, rows = bytes(3 * width), b""
    for y in range(height):
        row = pixels[3 * width * y:3 * width * (y + 1)]
        rows += b"\2" + bytes((a - b) & 0xff for a, b in zip(row, above))
        above = row

    def chunk(kind, body):
        return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))

    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(rows, 9)) + chunk(b"IEND", b"")


def make_picture(program, name, folder):
    ppm = os.path.join(folder, name + ".ppm")
    subprocess.run([program, "--picture", ppm], check=True, stdout=subprocess.DEVNULL)
    image = read_ppm(ppm)
    for limit, bits in [(400, 6), (320, 6), (320, 5), (256, 5), (200, 4)]:
        data = png(*shrink(*image, limit), bits)
        if len(data) < LARGEST_PICTURE:
            break
    os.makedirs(os.path.join(HERE, "pictures"), exist_ok=True)
    with open(os.path.join(HERE, "pictures", name + ".png"), "wb") as f:
        f.write(data)
    print(f"{name}: {len(data)} bytes")


def old_times(text):
    """Times that the README has: OpenMP and cucpu, by sample."""
    rows = re.findall(r"^\| \[([\w-]+)\]\(.*?\) \| .* \| ([\d.]+) \| ([\d.]+) \| [\d.]+ \|.*\|$", text, re.M)
    return {name: (float(openmp), float(cuda)) for name, openmp, cuda in rows}


def row(name, what, openmp, cuda):
    reason = REASONS.get(name, "")
    return f"| [{name}]({name}/main.cu) | {what} | {openmp:.4g} | {cuda:.4g} | {openmp / cuda:.2f} | {reason} |"


def table(known, times):
    mean = math.exp(sum(math.log(openmp / cuda) for openmp, cuda in times.values()) / len(times))
    lines = ["| sample | | OpenMP, ms | cucpu, ms | ratio | what limits it |", "|---|---|---|---|---|---|"]
    lines += [row(name, what, *times[name]) for name, (what, _) in known.items() if name in times]
    return "\n".join(lines) + f"\n| **geometric mean** | | | | {mean:.2f} | |\n"


def with_table(text, known, times):
    return re.sub(r"(?<=<!-- table -->\n).*?(?=<!-- end -->)", lambda _: table(known, times), text, flags=re.S)


def verify():
    with open(README) as f:
        text = f.read()
    known, times, wrong = samples(), old_times(text), []
    for name, (_, picture) in known.items():
        path = os.path.join(HERE, "pictures", name + ".png")
        if name not in times:
            wrong.append(f"{name}: not in the table")
        elif times[name][0] < 0.8 * times[name][1] and name not in REASONS:
            wrong.append(f"{name}: slower than OpenMP without a reason")
        if picture and f"(pictures/{name}.png)" not in text:
            wrong.append(f"{name}: its picture is not shown")
        elif picture and os.path.getsize(path) >= LARGEST_PICTURE:
            wrong.append(f"{name}: its picture is too large")
    wrong += [f"{name}: no such sample" for name in times if name not in known]
    if not wrong and with_table(text, known, times) != text:
        wrong.append("the table is not what gallery.py writes")
    print("\n".join(wrong) or "gallery: ok")
    return 1 if wrong else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cucpu", help="the compiler")
    parser.add_argument("--pictures", action="store_true", help="make pictures, do not measure")
    parser.add_argument("--threads", type=int, default=1, help="threads of both versions (1)")
    parser.add_argument("--verify", action="store_true", help="check the README")
    parser.add_argument("names", nargs="*", metavar="NAME", help="samples (all)")
    options = parser.parse_args()
    if options.verify:
        return verify()
    known = samples()
    unknown = [name for name in options.names if name not in known]
    if unknown or not options.cucpu:
        parser.error(f"no sample '{unknown[0]}'" if unknown else "--cucpu is missing")
    times = {}
    with tempfile.TemporaryDirectory() as folder:
        for name in options.names or known:
            if options.pictures and not known[name][1]:
                continue
            program = build(options.cucpu, name, folder)
            if options.pictures:
                make_picture(program, name, folder)
                continue
            times[name] = measure(program, options.threads)
            print(row(name, known[name][0], *times[name]), flush=True)
    if times:
        with open(README) as f:
            text = f.read()
        times = {**old_times(text), **times}
        with open(README, "w") as f:
            f.write(with_table(text, known, {name: times[name] for name in known if name in times}))
    return 0


if __name__ == "__main__":
    sys.exit(main())
