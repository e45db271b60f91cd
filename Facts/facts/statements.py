"""What the original does, statement by statement, and our lines for it: Facts/statements.tsv, whose head explains the columns.

The anchors are looked up in the sources, so a statement follows its lines when the code changes. An anchor that is not found exactly
once fails the build with the row to mend.
"""

import re
from dataclasses import dataclass
from functools import lru_cache

from . import Failure, definitions, tables

VERSIONS = ["CF-855", "CF-1153", "current"]
VERDICTS = ["same", "otherwise", "absent"]
RANGE, BOTH = " … ", " · "


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
    places: tuple  # the same as a pair of places in the function's text without white space; none if absent

    @property
    def anchor(self):
        """The fragment of the statement on the page of statements."""
        return f"{self.function}.{self.number}"


@lru_cache(None)
def every():
    """The statements of all functions: a dictionary from the original's function to a list."""
    functions, misses = {}, []
    for row in tables.rows("statements"):
        try:
            statement = _statement(row)
            functions.setdefault(statement.function, []).append(statement)
        except (Failure, KeyError) as failure:  # a row with too few columns
            misses.append(f"{row['function']} {row['number']}: {failure}")
    if misses:
        raise Failure("statements of the original (Facts/statements.tsv) that do not match the code:\n  " + "\n  ".join(misses))
    return functions


def at(path):
    """The statements whose counterpart is in a file, in the order of its lines, each with the statement whose lines it stands beside.
    That is the statement itself. One that is absent here stands beside the statement before it, or after it if it is the first."""
    return _by_path().get(path, [])


@lru_cache(None)
def _by_path():
    found = {}
    for statements in every().values():
        for number, statement in enumerate(statements):
            beside = next((other for other in [*statements[number::-1], *statements[number:]] if other.path), None)
            if beside:
                found.setdefault(beside.path, []).append((statement, beside))
    return {path: sorted(pairs, key=lambda pair: (pair[1].line, pair[1].end)) for path, pairs in found.items()}


def _statement(row):
    named, verdict = VERSIONS if row["versions"] == "all" else row["versions"].split(", "), row["verdict"]
    if not set(named) <= set(VERSIONS):
        raise Failure(f"unknown versions: {row['versions']}")
    if verdict not in VERDICTS:
        raise Failure(f"unknown verdict: {verdict}")
    if not row["statement"] or not row["语句"] or bool(row["why"]) != bool(row["原因"]):
        raise Failure("needs its texts in English and in Chinese")
    if verdict != "same" and not row["why"]:
        raise Failure(f"is '{verdict}' and does not say why")
    found = ("", 0, 0, ()) if verdict == "absent" else _find(row["where"], row["anchor"])
    return Statement(row["function"], row["number"], tuple(named), verdict, (row["statement"], row["语句"]), (row["why"], row["原因"]), row["where"], *found)


def _find(where, anchor):
    """The file, the lines and the places of an anchor in one of our functions."""
    symbol = body(where)
    code, lines = _code(symbol)
    ranges = []
    for several in anchor.split(BOTH):
        places = []
        for part in several.split(RANGE):
            text = dense(part)
            count = code.count(text) if text else 0
            if count != 1:
                raise Failure(f"{where} ({symbol.path}:{symbol.line}) has {count} places with the text '{part}', not one")
            places += [code.index(text), code.index(text) + len(text) - 1]
        ranges.append((places[0], places[-1]))
    if ranges != sorted(ranges) or any(first > last for first, last in ranges):
        raise Failure(f"in {where} the second text of '{anchor}' comes before the first")
    return symbol.path, lines[ranges[0][0]], lines[ranges[-1][1]], tuple(ranges)


def body(name):
    """Our function of that name."""
    bodies = [symbol for symbol in definitions.library().get(name, []) if symbol.kind == "function"]
    if len(bodies) != 1:
        raise Failure(f"{definitions.LIBRARY} has {len(bodies)} functions '{name}'")
    return bodies[0]


def dense(text):
    return re.sub(r"\s", "", text)


@lru_cache(None)
def _code(symbol):
    """The characters of a function without white space, and the line of each."""
    lines = [dense(line) for line in definitions.lines_of(symbol.path)[symbol.line - 1:symbol.end]]
    return "".join(lines), [symbol.line + index for index, line in enumerate(lines) for _ in line]


def _main():
    """`PYTHONPATH=Facts python3 -m facts.statements`: says in a second whether each statement still finds its lines."""
    import sys
    try:
        print(f"{sum(map(len, every().values()))} statements of the original find their lines")
    except Failure as failure:
        sys.exit(f"{failure}\nA row says what the original does, and follows only the original. If no version has your line, undo it, or make it a difference: a D in Facts/claims.tsv, and its\n"
                 "row in Facts/foreign.tsv. If the line means the same as before, put its new text into the row of Facts/statements.tsv.")


if __name__ == "__main__":
    _main()
