"""rl-explain: what ANNOTATIONS.md says of a name; and, of a name that is ours alone, Documentation/Reference/our-helpers.md."""

import os
import re

from .debugger import Problem
from .steps import CALLOUTS, FUNCTIONS
from .words import say

ROOT = os.path.normpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "../.."))
DOCUMENTS = "ANNOTATIONS.md", "Documentation/Explanation/one-pass.md", "Documentation/Reference/our-helpers.md"
NOTE = ["", "here", ""]
VERSIONS = "CF-855", "CF-1153", "current", "Linux build", "现行版", "Linux 构建"
MOST_MENTIONS = 8
FILE = r"\[\w+\.(?:c|h|swift)\]"
STATES = "same", "adapted", "absent", "ours"


def explain(name):
    """The lines of rl-explain: the table rows about the name or, if there are none, those that mention it."""
    if not name:
        raise Problem(say("Name what to explain: a function, a field, or an id such as D13."))
    rows = []
    try:
        for document in DOCUMENTS:
            with open(os.path.join(ROOT, say(document)), encoding="utf-8") as file:
                rows += rows_and_notes(file.read().splitlines())
    except OSError as error:
        raise Problem(say("The annotations cannot be read: %s.") % error) from None
    about = [row for row in rows if is_about(row, name)]
    mentions = [row for row in rows if mentions_name(row, name)]
    lines = step_in_words(name)
    for row in about or mentions[:MOST_MENTIONS]:
        lines += in_words(*row)
    if not about and len(mentions) > MOST_MENTIONS:
        lines.append(say("and %d more places in ANNOTATIONS.md") % (len(mentions) - MOST_MENTIONS))
    if not about and not mentions:
        raise Problem(say("ANNOTATIONS.md says nothing of %s.") % name)
    return lines


def rows_and_notes(lines):
    """The rows of tables, each with what the list below its table says of it. An item about names without a row is a row as well."""
    rows = []
    for row in table_rows(lines):
        section, _, header, cells = row
        about = [other for other in rows if other[0] == section and set(names_in(other[3][0]) or [other[3][0]]) & set(names_in(cells[0]) or [cells[0]])]
        covered = {name for other in about for name in names_in(other[3][0])}
        if header != NOTE or not about or not covered.issuperset(names_in(cells[0])):
            rows.append(row)
        if header == NOTE:
            for other in about:
                other[2].append("")
                other[3].append(cells[-1])
    return rows


def table_rows(lines):
    """(section, file, header, cells) for each row of each table, and for each item of a list that begins with names: its cells are the names,
    the file and the text. The paragraph above a table may serve as a heading, as in
    "`_per_run_data`, one record a run:". It may also name the file for all rows that name none, as in "All in [CFRunLoop.c]"."""
    section, file, header = "", None, None
    for line in lines:
        if line.startswith("#"):
            section, file, header = line.lstrip("#").strip(), None, None
        elif not line.startswith("|"):
            header = None
            item = re.match(r"- \*\*([^*]+)\*\*(?: in (.*?))?(?:: |：)(.*)", line)
            if item:
                yield section, None, NOTE, [item.group(1), item.group(2) or "", item.group(3)]
            if re.match(r"`\w+`[,，].*[:：]$", line):
                section = line.rstrip(":：")
            named = re.match(r"All in \[(\w+\.[ch])\]|没有注明文件的，都在 \[(\w+\.[ch])\]", line)
            file = named.group(1) or named.group(2) if named else file
        elif header is None:
            header = cells_of(line)
        elif not set(line) <= set("|- :"):
            yield section, file, list(header), cells_of(line)


def cells_of(line):
    return [re.sub(r'<a id="[^"]*"></a>', "", cell).strip() for cell in re.split(r"(?<!\\)\|", line.strip().strip("|"))]


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
    cell = re.sub(r"\[([^\]]*)\](?:\([^)]*\)|\[[^\]]*\])", r"\1", cell)
    cell = re.sub(r"\[([^\]]*)\]", r"\1", cell)
    return re.sub(r"[`*]", "", cell)


def in_words(section, file, header, cells):
    lines = ["%s  [%s]" % (plain(cells[0]), plain(section))]
    there = [title for title, cell in zip(header, cells) if title in VERSIONS and cell == "✓"]
    if VERSIONS[0] in header and there:
        lines.append(say("  in the original: %s") % say(", ").join(there))
    for title, cell in zip(header[1:], cells[1:]):
        if title in VERSIONS:
            continue
        if cell in STATES:
            if file and cell != "absent" and not names_file(cells):
                lines.append(say("  here: %s") % file)
            lines.append("  " + cell)
        elif match := re.fullmatch(r"(?:steps? |步骤 )?((?:(?:before|after|around) )?\d[\d., –、]*(?: ?之前| ?之后)?)", cell):
            lines.append(say("  step %s") % match.group(1))
        elif re.fullmatch(FILE, cell):
            lines.append(say("  here: %s") % plain(cell))
        elif cell and cell != "–":
            lines.append("  " + (say("%s: ") % plain(title) if title else "") + plain(cell))
    return lines


def names_file(cells):
    return any(re.search(FILE, cell) for cell in cells)


def step_in_words(name):
    if name in CALLOUTS:
        return [say("The callout to %s%s.") % (say(CALLOUTS[name][2]), say(", in step %s") % CALLOUTS[name][1] if CALLOUTS[name][1] else "")]
    if name in FUNCTIONS:
        step, sentence = FUNCTIONS[name]
        return [(say("Step %s: ") % step if step else "") + say(sentence)]
    return []
