"""The numbers that documents give of what can be counted: `wrong()` says which of their sentences are no longer true."""

import re

from . import ROOT, documents

MUTANT = re.compile(r"^(?:swift_)?mutant '[^']*' (\S+) (.*)$", re.M)
QUOTED = re.compile(r"'(?:[^']|'\\'')*'")
ITEM = re.compile(r"[0-4]\.\d+")
#: What the library's mutants are called: those of the Swift layer begin in its folder.
C_LIBRARY = re.compile(r"(?:\.\./)?CRunLoop/")


def mutants():
    """(the file, the names of what must notice) of each mutant of Scripts/mutate-loop."""
    text = re.sub(r"\\\n\s*", " ", (ROOT / "Scripts/mutate-loop").read_text(encoding="utf-8"))
    return [(match[1], QUOTED.sub("", match[2]).split()) for match in MUTANT.finditer(text)]


def ratios():
    """Of each operation whose time the table of speed.md has: our time in the toolchain's."""
    rows = [row for row in documents.read("Documentation/Explanation/speed.md").rows() if "ours/toolch." in row.heads]
    return [float(row.cells[row.heads.index("ours/toolch.")]) for row in rows if re.search(r"\d (?:ns|µs|ms|s)$", row.cells[1])]


def counted():
    """(what is counted, how many there are, by document the pattern of the number that must be smaller)."""
    found, times = mutants(), ratios()
    readme, proof, hour = ({"en": f"{page}.md", "zh": f"{page}.zh.md"} for page in ("README", "Documentation/Explanation/proof", "Documentation/Tutorial/first-hour"))
    yield "mutants", len(found), {
        readme["en"]: r"breaks more than (\d+) places", proof["en"]: r"breaks more than (\d+) places", hour["en"]: r"more than (\d+) such changes",
        readme["zh"]: r"改坏 (\d+) 多处", proof["zh"]: r"改坏 (\d+) 多处", hour["zh"]: r"有 (\d+) 多处这样的改动"}
    yield "mutants of the C library", sum(bool(C_LIBRARY.match(file)) for file, _ in found), {
        **{paths["en"]: r"more than (\d+)(?: of them)? in the C library" for paths in (readme, proof, hour)},
        readme["zh"]: r"C 库里 (\d+) 多处", proof["zh"]: r"C 库里 (\d+) 多处", hour["zh"]: r"(\d+) 多处在 C 库里"}
    yield "mutants that a program of the articles notices", sum(any(map(ITEM.fullmatch, names)) for _, names in found), {
        proof["en"]: r"Of more than (\d+) of these places", proof["zh"]: r"其中 (\d+) 处以上"}
    yield "hundredths of the operations that take a third of the time or less", 100 * sum(ratio <= 1 / 3 for ratio in times) // len(times), {
        readme["en"]: (r"more than half of the operations", 50), readme["zh"]: (r"有一半以上只需要它三分之一", 50)}


def wrong():
    """A line for each sentence that is not there, or gives a number that is too large."""
    for what, count, places in counted():
        for path, pattern in places.items():
            pattern, number = pattern if isinstance(pattern, tuple) else (pattern, None)
            text = " ".join((ROOT / path).read_text(encoding="utf-8").split())
            match = re.search(pattern, text)
            if not match:
                yield f"{path}: it says nothing of the {what}: {pattern}"
            elif count <= (number if number is not None else int(match[1])):
                yield f"{path}: “{match[0]}”, but there are {count} {what}"
