# spell_shrink.py SCRIPTS CUCPU FOLDER: the shrinker of spell.py, on made-up times, and on a spelling that is wrong.
import os
import sys

sys.path.insert(0, sys.argv[1])
import spell  # noqa: E402
import spelling  # noqa: E402

os.makedirs(sys.argv[3], exist_ok=True)
sys.argv[1:] = ["--cucpu", sys.argv[2], "--kinds=Rows", "--seed=1", "--count=1", "--spellings=2", "--agree", "--small",
                "--keep", sys.argv[3]]
o = spell.options()
case = spell.Case(1, o)
first = {d: c[0] for d, c in case.computation.dimensions.items()}
last = {d: c[-1] for d, c in case.computation.dimensions.items()} | {"loop": "do"}
a, b, _ = spell.shrink(case, first, last, lambda pairs: [3 if x["loop"] != y["loop"] == "do" else 1 for x, y in pairs])
print(spell.text_of(case, a, b))


class Wrong(spelling.Writer):
    def guarded(self, conditions, body, leave):
        if self.s["guard"] == "negated":
            self.put("if (i == 0) return;")
        super().guarded(conditions, body, leave)


spell.Writer = Wrong
case.spellings = [first, first | {"guard": "negated", "loop": "while"}]
with spell.tempfile.TemporaryDirectory() as folder:
    spell.check(o, [case], folder, [])
