"""The functions that the articles print, statement by statement: which of our statements no version of the original has.

The reference is Facts/statements.tsv, which says what the original does. One of our statements is the original's if it is

- in the anchor of a row there whose verdict is "same", or
- one of the original's probes (CFRUNLOOP_…, CFRL_…: Facts/versions.tsv).

Every other statement is foreign, and needs a reason. CFRUNLOOP_STEP and the assertions of debug builds (CF_ASSERT_…) have theirs here. Each
other one has a row in Facts/foreign.tsv: the difference (D2) that it belongs to, or "Linux" if it stands for something that
the system offers in another form, "probe" if it is one of our own points for debuggers, "debug" if only debug builds need it. A foreign statement without a row fails the check, and so does a row without its statement.

A statement is a simple statement, or the head of an `if`, `while`, `for` or `switch`. Braces, labels, `do` and `else` do not count.
"""

import re
import sys
from dataclasses import dataclass
from functools import lru_cache

from . import Failure, definitions, statements, tables

RUN = ["__CFRunLoopRun", "CFRunLoopRunSpecific"]
FUNCTIONS = [*RUN, "_CFRunLoopGet0", "__CFRunLoopCreate", "CFRunLoopAddCommonMode",
             "__CFRunLoopDoObservers", "__CFRunLoopDoBlocks", "__CFRunLoopDoSources0", "__CFRunLoopDoTimers", "CFRunLoopWakeUp", "CFRunLoopStop"]
STEP, DEBUG = "STEP", "debug"
HEADS = re.compile(r"(?:else\s+)?(?:if|while|for|switch)\b")


@dataclass(frozen=True)
class Printed:
    """A statement of one of our functions."""
    function: str
    path: str
    line: int
    text: str  # with single spaces
    reason: str  # why it is foreign: STEP, debug, Linux, D2; "" if the original has it
    why: tuple  # English, Chinese; empty strings where the reason says enough

    @property
    def is_foreign(self):
        return bool(self.reason)


@lru_cache(None)
def every():
    """The statements of all functions: a dictionary from the function to a list."""
    rows = {}
    for row in tables.rows("foreign"):
        rows.setdefault(row["function"], []).append(row)
    misses = [f"{name} is none of the printed functions" for name in rows if name not in FUNCTIONS]
    found = {name: _judge(name, rows.get(name, []), misses) for name in FUNCTIONS}
    if misses:
        raise Failure("the printed functions do not match Facts/foreign.tsv and statements.tsv:\n  " + "\n  ".join(misses))
    return found


def _judge(name, rows, misses):
    symbol = statements.body(name)
    ranges = [places for function in statements.every().values() for statement in function if statement.verdict == "same"
              for places in statement.places if statement.where == name]
    unused, result, split = list(rows), [], list(_split(symbol))
    for (line, start, text), following in zip(split, [*(text for _, _, text in split[1:]), ""]):
        reason, why = "", ("", "")
        if text.startswith("CFRUNLOOP_STEP") or (text == "if (!poll)" and following.startswith("CFRUNLOOP_STEP")):
            reason = STEP
        elif text.startswith("CF_ASSERT_"):
            reason = DEBUG
        elif not _is_probe(text) and not any(first <= start <= last for first, last in ranges):
            row = next((row for row in unused if statements.dense(row["statement"]) == statements.dense(text)), None)
            if row:
                unused.remove(row)
                reason, why = row["reason"], (row["why"], row["原因"])
            else:
                misses.append(f"{name} ({symbol.path}:{line}): no version of the original has '{text}'")
        result.append(Printed(name, symbol.path, line, text, reason, why))
    misses += [f"{name} has no foreign statement '{row['statement']}'" for row in unused]
    return result


@lru_cache(None)
def _probes():
    return {row["name"] for row in tables.rows("versions")}


def _is_probe(text):
    """CFRL_… stands for the current source's KDEBUG_EVENT_CFRL_…, whose begin and end have one name."""
    name = re.match(r"(?:CFRUNLOOP|CFRL)_\w+", text)
    point = name and re.sub("_(START|END)$", "", name[0])
    return name and (name[0] in _probes() or any(other.startswith(f"KDEBUG_EVENT_{point}") for other in _probes() if point.startswith("CFRL")))


def _split(symbol):
    """The statements of a function: line, place in its text without white space (as statements.py counts it), text."""
    raw = "\n".join(definitions.lines_of(symbol.path)[symbol.line - 1:symbol.end])
    code = re.sub(r"//[^\n]*|/\*.*?\*/", lambda comment: re.sub(r"\S", "\0", comment[0]), raw, flags=re.S)
    places, count = [], 0
    for character in raw:
        places.append(count)
        count += not character.isspace()
    position, begin, depth = code.index("{") + 1, None, 0
    while position < len(code):
        character = code[position]
        if begin is None:
            if not character.isspace() and character not in "{};\0":
                begin = position
                plain = re.match(r"(?:do|else)\b(?!\s*if\b)|\w+:(?!:)", code[begin:])
                if plain:
                    position, begin = begin + plain.end(), None
                    continue
        if begin is not None:
            depth += (character in "([") - (character in ")]")
            ends = character == ";" or (character == ")" and HEADS.match(code[begin:]) and not _is_tail(code, begin))
            if depth == 0 and ends:
                text = re.sub(r"[\s\0]+", " ", code[begin:position + (character != ";")]).strip()
                yield symbol.line + raw.count("\n", 0, begin), places[begin], text
                begin = None
        position += 1


def _is_tail(code, begin):
    """Whether a `while` belongs to the `do` before it."""
    return code[begin:].startswith("while") and code[:begin].rstrip().endswith("}")


def counts(names=FUNCTIONS):
    """How many statements these functions have, how many of them are foreign, and how many of those are neither STEP nor of a debug build."""
    found = [statement for name in names for statement in every()[name]]
    foreign = [statement for statement in found if statement.is_foreign]
    return len(found), len(foreign), sum(statement.reason not in (STEP, DEBUG) for statement in foreign)


def _main():
    """`PYTHONPATH=Facts python3 -m facts.printed`: the foreign statements; fails if one is new."""
    try:
        for name, found in every().items():
            print(f"{name}: {len(found)} statements")
            for statement in found:
                if statement.is_foreign:
                    print(f"  {statement.line:4} {statement.reason:6} {statement.text}")
        print("%d statements in both functions of a run, %d foreign; without STEP and debug builds %d" % counts(RUN))
        print("%d statements in all printed functions, %d foreign; without STEP and debug builds %d" % counts())
    except Failure as failure:
        sys.exit(str(failure))


if __name__ == "__main__":
    _main()
