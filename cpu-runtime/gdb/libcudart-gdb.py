"""Commands of gdb for kernels of programs that were compiled with cucpu -G; gdb loads this file with libcudart.so.12.

A thread of the process runs blocks, one after another, and the threads of a block in turn up to the next barrier.  Each of
them has a record with its variables (passes/import/record_variables.c); cucpu_focus points to that of the thread whose
code runs.  `cuda thread` stores the address of another record there, so that variables are those of another thread; it is
restored before the program goes on.
"""
import re

import gdb

RETURNED = 0xFFFFFFFF
RESUMING = ["continue", "next", "step", "finish", "until", "advance", "nexti", "stepi", "jump", "call", "detach"]


def triple(value):
    return tuple(int(value[member]) for member in "xyz")


def text_of(index):
    return "(%d,%d,%d)" % index


class Worker:
    """A thread of the process that runs a kernel, with the innermost frame of it."""

    def __init__(self, thread, frame):
        self.thread, self.level = thread, frame.level()  # a frame object does not survive that another thread is selected
        focus = frame.read_var("cucpu_focus")
        self.address = int(focus.address)
        self.type = focus.type
        self.records = frame.read_var("cucpu_records")
        self.running = int(focus)
        for changed in changes:
            if changed.address == self.address and changed.pid == gdb.selected_inferior().pid:
                self.running = changed.running
        self.shown = focus.dereference()
        record = gdb.Value(self.running).cast(self.type).dereference()
        self.block, self.grid, self.dim = (triple(record[m]) for m in ("blockIdx", "gridDim", "blockDim"))
        self.first, self.line = int(record["linear"]), int(record["line"])
        self.count = self.dim[0] * self.dim[1] * self.dim[2]
        width = re.search(r"\.w(\d+)\.", gdb.execute("info symbol %d" % frame.pc(), to_string=True))
        self.lanes = int(width.group(1)) if width else 1
        self.runs_at = frame.find_sal().line
        while frame.older() is not None and frame.older().type() == gdb.INLINE_FRAME:
            frame = frame.older()  # the kernel is inlined into the code that runs blocks
        self.kernel = frame.name()

    def index(self, linear):
        x, y, _ = self.dim
        return (linear % x, linear // x % y, linear // x // y)

    def state(self, linear):
        """What the thread does, and its line."""
        if self.first <= linear < self.first + self.lanes:
            return ("runs", self.runs_at)
        if self.line == 0 and linear > self.first:
            return ("has not started", 0)
        line = int(self.records[linear]["line"])
        return ("has returned", 0) if line == RETURNED else ("waits", line)

    def show(self, linear):
        """Variables become those of this thread."""
        self.thread.switch()
        select_frame(self.level)
        changes[:] = [c for c in changes if c.address != self.address]
        target = int(self.records[linear].address)
        if target != self.running:
            changes.append(Change(self, target))
            hook_commands()
        write_pointer(self.address, target)


class Change:
    def __init__(self, worker, value):
        self.pid, self.address, self.running, self.value = (
            gdb.selected_inferior().pid, worker.address, worker.running, value)


changes = []  # of cucpu_focus: nothing else in the program is changed


def write_pointer(address, value):
    gdb.selected_inferior().write_memory(address, value.to_bytes(8, "little"))


def restore_focus():
    for change in changes:
        if change.pid != gdb.selected_inferior().pid:
            continue
        memory = gdb.selected_inferior().read_memory(change.address, 8)
        if int.from_bytes(bytes(memory), "little") == change.value:
            write_pointer(change.address, change.running)
    changes.clear()


def hook_commands():
    """Commands that let the program go on restore cucpu_focus first."""
    if hook_commands.done:
        return
    hook_commands.done = True
    for command in RESUMING:
        gdb.execute("define hook-%s\npython cucpu_restore_focus()\nend" % command, to_string=True)


hook_commands.done = False
gdb.cucpu_restore_focus = restore_focus
gdb.execute("python cucpu_restore_focus = gdb.cucpu_restore_focus")


def select_frame(level):
    frame = gdb.newest_frame()
    while frame.level() < level:
        frame = frame.older()
    frame.select()


def kernel_frame(frame):
    while frame is not None and frame.is_valid():
        try:
            frame.read_var("cucpu_focus")
            return frame
        except (ValueError, gdb.error):
            frame = frame.older()
    return None


def workers():
    """All of them, that of the selected thread first; the selection stays."""
    inferior, selected, found = gdb.selected_inferior(), gdb.selected_thread(), []
    if selected is None:
        raise gdb.GdbError("The program is not being run.")
    level = gdb.selected_frame().level()
    for thread in sorted(inferior.threads(), key=lambda t: (t.num != selected.num, t.num)):
        thread.switch()
        inner = kernel_frame(gdb.newest_frame())
        if inner is not None:
            found.append(Worker(thread, inner))
    selected.switch()
    select_frame(level)
    if not found:
        raise gdb.GdbError("No kernel that was compiled with -G is running.")
    return found


def table(rows):
    widths = [max(len(str(row[i])) for row in rows) for i in range(len(rows[0]))]
    for row in rows:
        print("  ".join(str(cell).ljust(width) for cell, width in zip(row, widths)).rstrip())


def ranges(worker, first, end):
    """Neighbours in the same state: (first, last, state, line)."""
    found = []
    for linear in range(first, end):
        state = worker.state(linear)
        if found and found[-1][2:] == state:
            found[-1] = (found[-1][0], linear) + state
        else:
            found.append((linear, linear) + state)
    return found


def print_threads(worker, first, end):
    rows = [(" ", "Threads", "Count", "State", "Line")]
    shown = int(worker.shown["linear"])
    for begin, last, state, line in ranges(worker, first, end):
        name = text_of(worker.index(begin)) + (" to " + text_of(worker.index(last)) if last > begin else "")
        rows.append(("*" if begin <= shown <= last else " ", name, last - begin + 1, state, line or ""))
    table(rows)


class InfoCuda(gdb.Command):
    """Kernels that are running: info cuda kernels|blocks|threads|lanes."""

    def __init__(self):
        super().__init__("info cuda", gdb.COMMAND_STATUS)

    def complete(self, text, word):
        return [k for k in ("kernels", "blocks", "threads", "lanes") if k.startswith(word or "")]

    def invoke(self, argument, from_tty):
        found, what = workers(), argument.strip() or "kernels"
        first = found[0]
        if what == "kernels":
            rows = [(" ", "Worker", "Kernel", "Grid", "Block size", "Block")]
            for w in found:
                rows.append(("*" if w is first else " ", w.thread.num, w.kernel, text_of(w.grid),
                             text_of(w.dim), text_of(w.block)))
            table(rows)
        elif what == "blocks":
            rows = [(" ", "Block", "Worker", "Thread that runs", "Line")]
            for w in found:
                rows.append(("*" if w is first else " ", text_of(w.block), w.thread.num,
                             text_of(w.index(w.first)), w.state(w.first)[1]))
            table(rows)
        elif what == "threads":
            print_threads(first, 0, first.count)
        elif what == "lanes":
            warp = int(first.shown["linear"]) // 32
            print("warp %d" % warp)
            print_threads(first, warp * 32, min(warp * 32 + 32, first.count))
        else:
            raise gdb.GdbError("info cuda: kernels, blocks, threads or lanes, not '%s'" % what)


def parse_focus(argument):
    """thread (5,0,0) block 1 ... -> {"thread": (5, 0, 0), "block": (1, 0, 0)}"""
    wanted = {}
    rest = argument
    while rest.strip():
        m = re.match(r"\s*(thread|block|lane|warp)\s*\(?\s*(\d+)\s*(?:,\s*(\d+)\s*)?(?:,\s*(\d+)\s*)?\)?", rest)
        if not m:
            raise gdb.GdbError("cuda: expected thread|block (X,Y,Z), warp N or lane N, not '%s'" % rest.strip())
        wanted[m.group(1)] = tuple(int(g or 0) for g in m.groups()[1:])
        rest = rest[m.end():]
    return wanted


def linear_wanted(worker, wanted):
    shown = int(worker.shown["linear"])
    if "thread" in wanted:
        index = wanted["thread"]
        if any(i >= d for i, d in zip(index, worker.dim)):
            raise gdb.GdbError("cuda: there is no thread %s in a block of %s" % (text_of(index), text_of(worker.dim)))
        return index[0] + worker.dim[0] * (index[1] + worker.dim[1] * index[2])
    warp, lane = wanted.get("warp", (shown // 32,))[0], wanted.get("lane", (shown % 32,))[0]
    if lane >= 32 or warp * 32 + lane >= worker.count:
        raise gdb.GdbError("cuda: there is no lane %d in warp %d of a block of %s" % (lane, warp, text_of(worker.dim)))
    return warp * 32 + lane


class Cuda(gdb.Command):
    """Shows the variables of another thread: cuda thread (X,Y,Z), cuda block (X,Y,Z), cuda warp N lane N.

Blocks are shown while they run, threads while their block does: those that wait at a barrier with what they had there,
those that have returned with what they had last.  Stepping goes on with the thread that runs."""

    def __init__(self):
        super().__init__("cuda", gdb.COMMAND_STATUS)

    def complete(self, text, word):
        return [k for k in ("thread", "block", "warp", "lane") if k.startswith(word or "")]

    def invoke(self, argument, from_tty):
        wanted, found = parse_focus(argument), workers()
        worker = found[0]
        if "block" in wanted:
            running = [w for w in found if w.block == wanted["block"]]
            if not running:
                raise gdb.GdbError("cuda: block %s does not run now; running: %s" % (
                    text_of(wanted["block"]), ", ".join(text_of(w.block) for w in found)))
            worker = running[0]
        linear = int(worker.shown["linear"])
        if set(wanted) - {"block"}:
            linear = linear_wanted(worker, wanted)
        if wanted:
            worker.show(linear)
        state, line = worker.state(linear)
        print("[kernel %s, block %s, thread %s: %s%s]" % (
            worker.kernel, text_of(worker.block), text_of(worker.index(linear)), state,
            " at line %d" % line if line else ""))


def on_stop(event):
    restore_focus()
    try:
        frame = kernel_frame(gdb.newest_frame())
        if frame is None:
            return
        record = frame.read_var("cucpu_focus").dereference()
        now = (frame.read_var("cucpu_focus").address, triple(record["blockIdx"]), triple(record["threadIdx"]))
        if now != on_stop.last:
            print("[block %s, thread %s]" % (text_of(now[1]), text_of(now[2])))
        on_stop.last = now
    except gdb.error:
        pass


on_stop.last = None
# gdb 13 moves an instruction with a breakpoint elsewhere to execute it, but not the addresses of AVX-512 instructions.
gdb.execute("set displaced-stepping off")
InfoCuda()
Cuda()
gdb.events.stop.connect(on_stop)
