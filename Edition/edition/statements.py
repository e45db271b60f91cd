"""What the original does, statement by statement, and our lines for it: Documentation/Data/statements.tsv, whose head explains the columns.

`of(symbols, function)` gives the statements of one function of the original, and `all_of(symbols)` those of all, in the order of the file.
The anchors are looked up in the sources, so a statement follows its lines when the code changes. An anchor that is not found exactly
once fails the build with the row to mend.
"""

import re
from dataclasses import dataclass
from functools import lru_cache

from facts import Failure

DATA = "Documentation/Data/statements.tsv"
COLUMNS = ["function", "number", "versions", "verdict", "where", "anchor", "statement", "语句", "why", "原因"]
VERSIONS = ["CF-855", "CF-1153", "current"]
VERDICTS = ["same", "otherwise", "absent"]
RANGE = " … "


@dataclass(frozen=True)
class Statement:
    function: str  # the original's
    number: str
    versions: tuple  # of VERSIONS
    verdict: str  # same, otherwise, absent
    statement: tuple  # English, Chinese
    why: tuple  # English, Chinese; empty strings if there is nothing to explain
    where: str  # our function; empty if absent
    path: str
    line: int  # of the counterpart: the first and the last
    end: int

    @property
    def anchor(self):
        """The fragment of the statement on the page of statements."""
        return f"{self.function}.{self.number}"


def all_of(symbols):
    """The statements of all functions: a dictionary from the original's function to a list."""
    if symbols.root not in _loaded:
        _loaded[symbols.root] = _load(symbols)
    return _loaded[symbols.root]


def of(symbols, function):
    """The statements of a function of the original, in their order; an empty list if there are none."""
    return all_of(symbols).get(function, [])


def at(symbols, path):
    """The statements whose counterpart is in a file, in the order of its lines, each with the statement whose lines it stands beside.
    That is the statement itself. One that is absent here stands beside the statement before it, or after it if it is the first."""
    return _by_path(symbols).get(path, [])


@lru_cache(None)
def _by_path(symbols):
    found = {}
    for statements in all_of(symbols).values():
        for number, statement in enumerate(statements):
            beside = next((other for other in [*statements[number::-1], *statements[number:]] if other.path), None)
            if beside:
                found.setdefault(beside.path, []).append((statement, beside))
    return {path: sorted(pairs, key=lambda pair: (pair[1].line, pair[1].end)) for path, pairs in found.items()}


_loaded = {}


def _load(symbols):
    functions, misses, heads = {}, [], None
    for number, row in enumerate((symbols.root / DATA).read_text(encoding="utf-8").splitlines(), 1):
        if row.startswith("#"):
            continue
        cells = row.split("\t")
        if heads is None:
            heads = cells
            if cells != COLUMNS:
                raise Failure(f"{DATA}:{number}: the columns are not {', '.join(COLUMNS)}")
            continue
        try:
            statement = _statement(symbols, cells)
            functions.setdefault(statement.function, []).append(statement)
        except Failure as failure:
            misses.append(f"{DATA}:{number}: {failure}")
    if misses:
        raise Failure("statements of the original that do not match the code:\n  " + "\n  ".join(misses))
    return functions


def _statement(symbols, cells):
    if len(cells) != len(COLUMNS):
        raise Failure(f"has {len(cells)} columns, not {len(COLUMNS)}")
    function, number, versions, verdict, where, anchor, english, chinese, why, reason = cells
    named = VERSIONS if versions == "all" else versions.split(", ")
    if not set(named) <= set(VERSIONS):
        raise Failure(f"unknown versions: {versions}")
    if verdict not in VERDICTS:
        raise Failure(f"unknown verdict: {verdict}")
    if not english or not chinese or bool(why) != bool(reason):
        raise Failure("needs its texts in English and in Chinese")
    if verdict != "same" and not why:
        raise Failure(f"is '{verdict}' and does not say why")
    path, first, last = ("", 0, 0) if verdict == "absent" else _find(symbols, where, anchor)
    return Statement(function, number, tuple(named), verdict, (english, chinese), (why, reason), where, path, first, last)


def _find(symbols, where, anchor):
    """The file and the lines of an anchor in one of our functions."""
    bodies = [symbol for symbol in symbols.by_name.get(where, []) if symbol.kind == "function" and symbol.path.startswith("Sources/CRunLoop/")]
    if len(bodies) != 1:
        raise Failure(f"Sources/CRunLoop has {len(bodies)} functions '{where}'")
    symbol = bodies[0]
    code, lines = _code(symbols.root, symbol.path, symbol.line, symbol.end)
    places = []
    for part in anchor.split(RANGE):
        text = _dense(part)
        count = code.count(text) if text else 0
        if count != 1:
            raise Failure(f"{where} ({symbol.path}:{symbol.line}) has {count} places with the text '{part}', not one")
        start = code.index(text)
        places += [lines[start], lines[start + len(text) - 1]]
    if places != sorted(places):
        raise Failure(f"in {where} the second text of '{anchor}' comes before the first")
    return symbol.path, places[0], places[-1]


def _dense(text):
    return re.sub(r"\s", "", text)


@lru_cache(maxsize=None)
def _code(root, path, first, last):
    """The characters of some lines without white space, and the line of each."""
    text, numbers = [], []
    for number, line in enumerate((root / path).read_text(encoding="utf-8").splitlines(), 1):
        if first <= number <= last:
            dense = _dense(line)
            text.append(dense)
            numbers += [number] * len(dense)
    return "".join(text), numbers


def _main():
    """`PYTHONPATH=Edition:Scripts python3 -m edition.statements`: says in a second whether each statement still finds its lines."""
    import sys
    from facts import ROOT
    from .symbols import Symbols
    files = [str(path.relative_to(ROOT)) for path in ROOT.glob("Sources/CRunLoop/**/*.[ch]")]
    try:
        print(f"{sum(map(len, all_of(Symbols(ROOT, files)).values()))} statements of the original find their lines")
    except Failure as failure:
        sys.exit(str(failure))


if __name__ == "__main__":
    _main()
