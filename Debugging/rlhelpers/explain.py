"""rl-explain: what ANNOTATIONS.md and its pages in Documentation/Reference say of a name."""

import re

from . import words
from .debugger import Problem
from .steps import CALLOUTS, called_out_to, is_of_the_loop, sentence_of, step_of
from .words import say

from facts import annotations  # steps.py has said where
from facts.annotations import VERDICTS, VERSIONS, plain

MOST_MENTIONS = 8
FILE = r"\[\w+\.(?:c|h|swift)\]"


def explain(name):
    """The lines of rl-explain: the table rows about the name or, if there are none, those that mention it."""
    if not name:
        raise Problem(say("Name what to explain: a function, a field, or an id such as D13."))
    try:
        rows = rows_and_notes(annotations.rows(words.language))
    except OSError as error:
        raise Problem(say("The annotations cannot be read: %s.") % error) from None
    about = [entry for entry in rows if is_about(entry[0], name)]
    mentions = [entry for entry in rows if mentions_name(entry, name)]
    lines = step_in_words(name)
    for entry in about or mentions[:MOST_MENTIONS]:
        lines += in_words(*entry)
    if not about and len(mentions) > MOST_MENTIONS:
        lines.append(say("and %d more places in ANNOTATIONS.md") % (len(mentions) - MOST_MENTIONS))
    if not about and not mentions:
        raise Problem(say("ANNOTATIONS.md says nothing of %s.") % name)
    return lines


def rows_and_notes(rows):
    """The rows of tables, each with what the list below its table says of it. An item about names without a row is a row as well."""
    found = []
    for row in rows:
        subjects = set(row.names or [row.cells[0]])
        about = [entry for entry in found if entry[0].section == row.section and subjects & set(entry[0].names or [entry[0].cells[0]])]
        covered = {name for entry in about for name in entry[0].names}
        if not row.is_item or not about or not covered.issuperset(row.names):
            found.append((row, []))
        if row.is_item:
            for entry in about:
                entry[1].append(row.cells[-1])
    return found


def is_about(row, name):
    """A struct has its own section, with a row for each field. `name` may leave out "struct"."""
    return name.removeprefix("struct ") in row.names or "`%s`" % name in row.section or "`struct %s`" % name in row.section or row.cells[0] == name


def mentions_name(entry, name):
    return any(re.search(r"(?<!\w)%s(?!\w)" % re.escape(name), cell) for cell in [*entry[0].cells, *entry[1]])


def in_words(row, notes):
    cells, heads = [*row.cells, *notes], [*row.heads, *[""] * len(notes)]
    lines = ["%s  [%s]" % (plain(cells[0]), plain(row.section))]
    there = [title for title, cell in zip(heads, cells) if title in VERSIONS and cell == "✓"]
    if there:
        lines.append(say("  in the original: %s") % say(", ").join(there))
    if row.is_item and row.file:
        lines.append(say("  here: %s") % plain(row.file))
    for title, cell in zip(heads[1:], cells[1:]):
        if title in VERSIONS:
            continue
        if cell in VERDICTS:
            if row.file and not row.is_item and cell != "absent" and not any(re.search(FILE, other) for other in cells):
                lines.append(say("  here: %s") % row.file)
            lines.append("  " + cell)
        elif match := re.fullmatch(r"(?:steps? |步骤 )?((?:(?:before|after|around) )?\d[\d., –、]*(?: ?之前| ?之后)?)", cell):
            lines.append(say("  step %s") % match.group(1))
        elif re.fullmatch(FILE, cell):
            lines.append(say("  here: %s") % plain(cell))
        elif cell and cell != "–":
            lines.append("  " + (say("%s: ") % plain(title) if title else "") + plain(cell))
    return lines


def step_in_words(name):
    if name in CALLOUTS:
        return [say("The callout to %s%s.") % (called_out_to(name), say(", in step %s") % step_of(name) if step_of(name) else "")]
    if is_of_the_loop(name):
        return [(say("Step %s: ") % step_of(name) if step_of(name) else "") + sentence_of(name)]
    return []
