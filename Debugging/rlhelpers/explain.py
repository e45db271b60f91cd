"""rl-explain: what ANNOTATIONS.md says of a name."""

import os
import re

from .debugger import Problem
from .steps import CALLOUTS, FUNCTIONS

ANNOTATIONS = os.path.normpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../ANNOTATIONS.md"))
MOST_MENTIONS = 8
FILE = r"\[\w+\.(?:c|h|swift)\]"
STATES = "same", "adapted", "absent", "ours"


def explain(name):
    """The lines of rl-explain: the table rows about the name or, if there are none, those that mention it."""
    if not name:
        raise Problem("Name what to explain: a function, a field, or an id such as D13.")
    try:
        with open(ANNOTATIONS, encoding="utf-8") as file:
            rows = list(table_rows(file.read().splitlines()))
    except OSError as error:
        raise Problem("The annotations cannot be read: %s." % error) from None
    about = [row for row in rows if is_about(row, name)]
    mentions = [row for row in rows if mentions_name(row, name)]
    lines = step_in_words(name)
    for row in about or mentions[:MOST_MENTIONS]:
        lines += in_words(*row)
    if not about and len(mentions) > MOST_MENTIONS:
        lines.append("and %d more places in ANNOTATIONS.md" % (len(mentions) - MOST_MENTIONS))
    if not about and not mentions:
        raise Problem("ANNOTATIONS.md says nothing of %s." % name)
    return lines


def table_rows(lines):
    """(section, file, header, cells) for each row of each table. The paragraph above a table may serve as a heading, as in
    "`_per_run_data`, one record a run:". It may also name the file for all rows that name none, as in "All in [CFRunLoop.c]"."""
    section, file, header = "", None, None
    for line in lines:
        if line.startswith("#"):
            section, file, header = line.lstrip("#").strip(), None, None
        elif not line.startswith("|"):
            header = None
            if re.match(r"`\w+`, .*:$", line):
                section = line.rstrip(":")
            named = re.match(r"All in \[(\w+\.[ch])\]", line)
            file = named.group(1) if named else file
        elif header is None:
            header = cells_of(line)
        elif not set(line) <= set("|- :"):
            yield section, file, header, cells_of(line)


def cells_of(line):
    return [cell.strip() for cell in re.split(r"(?<!\\)\|", line.strip().strip("|"))]


def names_in(cell):
    return re.findall(r"`([^`]+)`", cell)


def is_about(row, name):
    """A struct has its own section, with a row for each field. `name` may leave out "struct"."""
    section, _, _, cells = row
    names = names_in(section) + names_in(cells[0])
    return name in names or "struct " + name in names or cells[0] == name


def mentions_name(row, name):
    return any(name in names_in(cell) or re.search(r"\b%s\b" % re.escape(name), cell) for cell in row[3])


def plain(cell):
    """Markdown as it would be read aloud."""
    cell = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", cell)
    cell = re.sub(r"\[([^\]]*)\]", r"\1", cell)
    return re.sub(r"[`*]", "", cell)


def in_words(section, file, header, cells):
    lines = ["%s  [%s]" % (plain(cells[0]), plain(section))]
    for title, cell in zip(header[1:], cells[1:]):
        if cell in STATES:
            if file and cell != "absent" and not names_file(cells):
                lines.append("  here: " + file)
            lines.append("  " + cell)
        elif re.fullmatch(r"((before|after|around) )?\d[\d., –]*", cell):
            lines.append("  step " + cell)
        elif re.fullmatch(FILE, cell):
            lines.append("  here: " + plain(cell))
        elif cell and cell != "–":
            lines.append("  " + (plain(title) + ": " if title else "") + plain(cell))
    return lines


def names_file(cells):
    return any(re.search(FILE, cell) for cell in cells)


def step_in_words(name):
    if name in CALLOUTS:
        return ["The callout to %s%s." % (CALLOUTS[name][2], ", in step " + CALLOUTS[name][1] if CALLOUTS[name][1] else "")]
    if name in FUNCTIONS:
        step, sentence = FUNCTIONS[name]
        return [("Step %s: " % step if step else "") + sentence]
    return []
