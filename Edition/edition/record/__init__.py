"""Scripts/reading-edition record: recordings of the run loop, made by gdb, which run.html plays.

Read recordings.py first (what is recorded), then record.py (how gdb is driven), inside.py (what is read at each line) and files.py (the format).
"""

import argparse
import shutil

from facts import Failure, tables

from . import files

DESCRIPTION = """\
Makes the recordings in Edition/Recordings again: it builds the programs in Edition/edition/record/programs with the library's own sources, and steps their
threads line by line in gdb. Takes about 15 s for each recording; worst-moment has eight."""


def main(arguments):
    parser = argparse.ArgumentParser(prog="Scripts/reading-edition record", description=DESCRIPTION)
    parser.add_argument("--check", action="store_true", help="record nothing: say which recordings are stale, and exit with 1 if any is")
    parser.add_argument("--list", action="store_true", help="list the recordings")
    parser.add_argument("--log", metavar="FILE", help="write what gdb says into a file")
    parser.add_argument("names", metavar="NAME", nargs="*", help="the recordings; all if none is named")
    options = parser.parse_args(arguments)
    if options.check:
        return check()
    from . import record, recordings
    known = {recording.name: recording for recording in recordings.RECORDINGS}
    if options.list:
        print("\n".join(known))
        return 0
    for name in options.names:
        if name not in known:
            raise Failure(f"there is no recording {name}, only {', '.join(known)}")
    if not shutil.which("gdb"):
        raise Failure("record needs gdb: apt-get install gdb")
    log = open(options.log, "w", encoding="utf-8") if options.log else None
    for name in options.names or known:
        orders = record.record(known[name], log)
        path = files.write(known[name], orders)
        print(f"{path.relative_to(files.ROOT)}: {sum(len(lines) for _, lines, _ in orders)} lines", flush=True)
    return 0


def stale_recordings():
    """A line for each function that has changed, with the recordings that must be made again because they step through it."""
    found, all_names = {}, []
    for path in files.all_recordings():
        content = files.read(path)
        all_names.append(content["name"])
        for reason in files.stale(content):
            found.setdefault(reason, []).append(content["name"])
    return [f"{reason}: stale recordings: {', '.join(names)}. Make them again: Scripts/reading-edition record{'' if names == all_names else ' ' + ' '.join(names)}"
            for reason, names in found.items()]


def missing_words():
    """A line for each function of the library that a recording enters and that has no sentence."""
    entered = {(name, content["name"]) for content in map(files.read, files.all_recordings()) for file, name, *_ in content["functions"] if file.startswith("Sources/")}
    return [f"Documentation/Data/functions.tsv has no {word} for {name}, which the recording {recording} enters" for name, recording in sorted(entered)
            for language, word in (("en", "English"), ("zh", "Chinese")) if not tables.function(name).sentence(language)]


def check():
    found = stale_recordings() + missing_words()
    print("\n".join(found) if found else f"{len(files.all_recordings())} recordings show today's sources")
    return 1 if found else 0
