"""Figure 7 of Bulavintsev (2019): what flattening gains, by k and by the costs of the two loops."""
import os
import statistics

HERE = os.path.dirname(os.path.abspath(__file__))
RATIOS = [(10, 1), (4, 4), (1, 10), (1, 100)]
K = range(0, 32)
PUBLISHED = ("published (RTX 2060): up to 24 at k = 31; "
             "gains from k = 14 on at A/B = 10/1, for every k at 1/10 and 1/100")


def times(call, exe):
    out = call([exe, *map(str, K)], env=dict(os.environ, CUCPU_NUM_THREADS="1"))
    rows = [line.split() for line in out.splitlines()] if out else []
    return {int(k): (float(t), total) for k, t, total in rows}


def table(opt, call, directory):
    """Prints times of the loops as they are / flattened; 1 if a program fails or gives another result."""
    print("nested loops as they are / flattened (CPU time, one thread); lanes of 32 that leave the inner loop at once:")
    print("A/B    " + "".join(f"{k:6}" for k in K))
    failed = 0
    for outer, inner in RATIOS:
        exes, bad = [], False
        for off in (["--disable=flatten_loops"], []):
            exes.append(os.path.join(directory, f"flattening_{outer}_{inner}{'_off' if off else ''}"))
            made = call([opt.cucpu, "-O3", *off, f"-DA={outer}", f"-DB={inner}",
                         os.path.join(HERE, "flattening.cu"), "-o", exes[-1]])
            if made is None: return 1
        rounds = [[times(call, e) for e in exes] for _ in range(opt.rounds)]
        for k in K:
            sums = {r[k][1] for pair in rounds for r in pair if k in r}
            bad |= len(sums) != 1
        gains = [statistics.median(off[k][0] for off, _ in rounds) / statistics.median(on[k][0] for _, on in rounds)
                 for k in K] if not bad else []
        print(f"{outer}/{inner:<5}" + "".join(f"{g:6.2f}" for g in gains) + ("  FAILED" if bad else ""), flush=True)
        failed |= bad
    print(PUBLISHED)
    return int(failed)
