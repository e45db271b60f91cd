"""Sessions with a debugger, written down where a reader sees them, and compared with what the debugger really prints.

In a C file a session is a comment:

    // session inspected: scenario inspected
    // (gdb) b inspected_end
    // (gdb) run
    // ...
    // (gdb) rl-loops
    // * 0x1000  thread 1 "CScenarios" (main)  in kCFRunLoopDefaultMode: step 9.1, in a timer's callback, inspected_end

In a Markdown file it is all blocks marked `console` behind a comment <!-- session NAME: scenario NAME -->. The scenario is one of
CScenarios; "RunLoopLab tour" may stand in its place. Behind it may stand
", gdb only" (it uses commands of gdb's own), ", debug build" (it shows what a release build leaves out), ", in Chinese" (after rl-lang zh)
and ", core file of FUNCTION" (it is about the core file that gdb writes there).

Commands that are not the helpers' own (b, run, continue, up) are spelled so that gdb and lldb both know them; what they print is compared
in gdb only. Addresses, times, descriptors and ids of processes may be any. "..." alone stands for any number of lines, within a line for
any characters. Line numbers may be any in a C file's sessions; in a Markdown file, which a reader has before him, they must be those of
the code: Scripts/check-debugging --write puts them there.
"""

import difflib
import re

HEADER = re.compile(r"session ([\w-]+): (scenario \w+|RunLoopLab tour)((?:, [\w ]+)*)$")
PROMPT = "(gdb) "


class Session:
    def __init__(self, file, line, name, command, options):
        self.file, self.line, self.name = file, line, name
        #: The program that the debugger starts, and its arguments.
        self.program, *self.arguments = (command if command.startswith("RunLoopLab") else "CScenarios " + command).split()
        self.options = [option.strip() for option in options.split(",") if option.strip()]
        self.steps = []  # [line, command, the lines that it must print]


def sessions_in(path):
    """All sessions in a file."""
    found, session = [], None
    for number, text in texts_of(path):
        if text is None:
            session = None
        elif header := HEADER.match(text):
            session = Session(path, number, *header.groups())
            found.append(session)
        elif session:
            add(session, number, text)
    return found


def texts_of(path):
    """Each line with its number: the text of a header or of a session, None where no session goes on, and nothing in the prose between."""
    with open(path, encoding="utf-8") as file:
        lines = file.read().splitlines()
    is_console = False
    for number, line in enumerate(lines, 1):
        if not path.endswith(".md"):
            yield number, re.sub(r"^\s*// ?", "", line) if re.match(r"^\s*//($| )", line) else None
        elif header := re.match(r"<!-- (session .*) -->$", line):
            yield number, header[1]
        elif line.startswith("```"):
            is_console = line == "```console"
        elif is_console:
            yield number, line


def add(session, number, text):
    if text.startswith(PROMPT):
        session.steps.append((number, text.removeprefix(PROMPT), []))
    elif session.steps:
        session.steps[-1][2].append(text.rstrip())


# Comparing

ANY = [(re.compile(pattern), replacement) for pattern, replacement in (
    (r"0x[0-9a-f]+", "0x…"),
    (r"-?\d+\.\d+ (s\b|秒)", r"N \1"),
    (r"(\w\.(?:c|h|swift)):\d+", r"\1:N"),
    (r"(\b(?:descriptor|set|wake-up|port|timer|the thread|height)|描述符|端口集|端口|系统线程) -?\d+\b", r"\1 N"),
    (r"\b(LWP|process) \d+", r"\1 N"),
    (r"(_\w+Port|_sleepTime|_tid): \S+", r"\1: N"),
    (r"\b\d{7,}\b", "N"),
    (r"/\S*/", "/…/"),
)]


#: gdb says this of any core file where the processor has more state than gdb knows.
CORE_WARNING = re.compile(r"^warning: Section `\.reg-xstate/\d+' in core file too small\.\n", re.M)


def normalised(line):
    for pattern, replacement in ANY:
        line = pattern.sub(replacement, line)
    return line.rstrip()


def alignment(expected, actual):
    """Which line of what was printed stands for each line that was written, None for "...", which takes as many as are needed; None if they
    do not match."""
    if not expected:
        return None if actual else []
    if expected[0] == "...":
        rests = (alignment(expected[1:], actual[start:]) for start in range(len(actual) + 1))
        return next(([None, *rest] for rest in rests if rest is not None), None)
    if not actual or not line_matches(expected[0], actual[0]):
        return None
    rest = alignment(expected[1:], actual[1:])
    return None if rest is None else [actual[0], *rest]


def line_matches(expected, actual):
    pattern = ".*".join(re.escape(part) for part in normalised(expected).split("..."))
    return re.fullmatch(pattern, normalised(actual)) is not None


PLACE = re.compile(r"(\w\.(?:c|h|swift)):(\d+)")


def stale_lines(number, expected, aligned):
    """The lines of the file whose line numbers are not those of the code: number in the file, as it should be."""
    stale = []
    for index, (written, printed) in enumerate(zip(expected, aligned)):
        if printed is None or "..." in written:
            continue
        places = [match[2] for match in PLACE.finditer(printed)]
        if places != [match[2] for match in PLACE.finditer(written)]:
            numbers = iter(places)
            stale.append((number + 1 + index, PLACE.sub(lambda match: match[1] + ":" + next(numbers), written)))
    return stale


def write(path, stale):
    """Puts lines into a file: number and text of each."""
    with open(path, encoding="utf-8") as file:
        lines = file.read().split("\n")
    for number, text in stale:
        lines[number - 1] = text
    with open(path, "w", encoding="utf-8") as file:
        file.write("\n".join(lines))


def differences(session, printed, compares):
    """The lines of a report about what a session's commands have printed, none if it is as written; and the lines of the file whose line
    numbers are stale. `compares` says whether a command's output counts."""
    report, stale = [], []
    for (number, command, expected), text in zip(session.steps, printed):
        if not compares(command):
            continue
        text = CORE_WARNING.sub("", text)
        actual, wanted = ("\n".join(map(str.rstrip, lines)).rstrip("\n").split("\n") for lines in (text.splitlines(), expected))
        aligned = alignment(wanted, actual)
        if aligned is None:
            report.append("%s:%d: %s" % (session.file, number, command))
            report += difflib.unified_diff([normalised(line) for line in wanted], [normalised(line) for line in actual], "written", "printed",
                                           lineterm="", n=1)
        elif session.file.endswith(".md"):
            stale += stale_lines(number, wanted, aligned)
    return report, stale
