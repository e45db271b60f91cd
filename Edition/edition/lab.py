"""What RunLoopLab knows and prints: the articles, their programs, the experiments, and the transcripts of both.

A transcript is made by running the program (with --fast), and kept in .build/edition/transcripts until the program's source or RunLoopLab's
own output code changes.
"""

import concurrent.futures
import hashlib
import json
import os
import re
import shutil
import subprocess
from functools import lru_cache

from . import background
from facts import ROOT, Failure, tables

PROGRAM = os.environ.get("RUNLOOPLAB", ".build/debug/RunLoopLab")  # .ci/run has one already
OPTIONAL = dict.fromkeys(["place", "says", "verdict", "verdictWords", "truth", "breakPoint", "example"])  # what an item may not have
LONGEST = 120  # seconds, of one program
COMMON = ["Lab/Common", "Lab/Pictures/Trace"]  # what prints transcripts


@lru_cache(None)
def data():
    """The articles, programs and experiments, with their texts in both languages: all that `list --json` prints."""
    _build()
    output = subprocess.run([ROOT / PROGRAM, "list", "--json"], cwd=ROOT, capture_output=True, text=True)
    if output.returncode:
        raise Failure(f"{PROGRAM} list --json: {output.stderr.strip()}")
    found = json.loads(output.stdout)
    for article in found["articles"]:
        article["items"] = [OPTIONAL | item for item in article["items"]]
    return found


def _build():
    if _is_newer(ROOT / PROGRAM, (file for folder in ("Sources", "Lab") for file in (ROOT / folder).rglob("*.swift"))):
        return
    print("reading-edition: building RunLoopLab, which knows the articles' programs", flush=True)
    if not shutil.which("swift"):
        raise Failure("needs the Swift toolchain, which builds RunLoopLab: there is no 'swift' in PATH; see https://www.swift.org/install/linux")
    if subprocess.run(["swift", "build", "--product", "RunLoopLab", "--quiet"], cwd=ROOT).returncode:
        raise Failure("cannot build RunLoopLab; see the compiler's message above")
    (ROOT / PROGRAM).touch()


def _is_newer(program, sources):
    """Whether a program was built after its sources were changed."""
    return program.exists() and program.stat().st_mtime >= max(path.stat().st_mtime for path in sources)


@lru_cache(maxsize=None)
def experiment_names():
    return frozenset(experiment["name"] for experiment in data()["experiments"])


def transcripts(names, language):
    """What RunLoopLab prints for each of these command lines, in a language: a dictionary from the command line to the text.
    `names` has the source file of each command line."""
    return _made(names, language, "txt", lambda words, file: [*words.split(), "--fast"])


FORMS = ["as-written", "cured"]


def command(program, form=None):
    """The command line of what an item's page shows: the transcript of a program, in a form if it has two."""
    return f"article {program['name']} --brief" + (f" --{form}" if form else "")


def commands(data):
    """The command lines of all programs of the articles, each with its source file."""
    return {command(program, form): program["source"] for program in data["programs"] for form in (FORMS if program["isPair"] else [None])}


def figures(names, language):
    """The figures of `draw`: a dictionary from the name to the SVG. A drawing fails where the machine was too busy for what it shows, so it may need another try."""
    return _made({name: "Lab/Pictures" for name in names}, language, "svg", lambda words, file: ["draw", words, str(file)], tries=3)


def make():
    """Makes all transcripts and figures, which the pages then find."""
    found = data()
    sources = {experiment["name"]: experiment["source"] for experiment in found["experiments"]}
    kinds = [(transcripts, commands(found) | sources), (figures, [figure["id"] for figure in found["figures"]])]
    with concurrent.futures.ThreadPoolExecutor() as pool:
        for done in [pool.submit(kind, names, language) for kind, names in kinds for language in ("en", "zh")]:
            done.result()


@lru_cache(None)
def _pool():
    """The programs run at the same time, because most of them sleep most of the time."""
    return concurrent.futures.ThreadPoolExecutor(6)


def _made(names, language, ending, command, tries=1):
    background.wait(make)
    folder = ROOT / ".build/edition/transcripts" / language
    folder.mkdir(parents=True, exist_ok=True)
    shown, missing = {}, []
    common = digest(COMMON)
    for words, path in names.items():
        file = folder / f"{re.sub(r'[^A-Za-z0-9.-]', '_', words)}.{ending}"
        key = common + digest([path]) + told(words)
        kept = file.with_name(file.name + ".key")
        if file.is_file() and kept.is_file() and kept.read_text() == key:
            shown[words] = file.read_text(encoding="utf-8")
        else:
            missing.append((words, file, kept, key))

    def run(job):
        words, file, kept, key = job
        try:
            for _ in range(tries):
                result = subprocess.run([ROOT / PROGRAM, *command(words, file), "--lang", language], cwd=ROOT, capture_output=True, text=True, errors="replace", timeout=LONGEST,
                                        stdin=subprocess.DEVNULL)
                if result.returncode == 0:
                    break
        except subprocess.TimeoutExpired as error:
            raise Failure(f"RunLoopLab {words} --fast did not end within {LONGEST} s") from error
        if ending == "txt":
            file.write_text(result.stdout.replace(str() + "/", ""), encoding="utf-8")
        if not file.is_file() or not file.stat().st_size:
            raise Failure(f"RunLoopLab {' '.join(command(words, file))} made nothing: {result.stderr.strip()}")
        if result.returncode == 0:
            kept.write_text(key)
        return words, file.read_text(encoding="utf-8")

    return shown | dict(_pool().map(run, missing))


def told(words):
    """What the table of the items says of the program of a command line."""
    row = tables.rows("items"), re.match(r"article ([\d.]+)", words)
    return hashlib.sha256(json.dumps([each for each in row[0] if row[1] and each["item"] == row[1][1]]).encode()).hexdigest()[:16]


@lru_cache(maxsize=None)
def _file_digest(file, changed):
    return hashlib.sha256(file.read_bytes()).hexdigest()[:16]


def digest(paths, files="*.swift"):
    """A digest of what files have, and of those in folders."""
    found = hashlib.sha256()
    for path in paths:
        place = ROOT / path
        for file in sorted(place.rglob(files)) if place.is_dir() else [place]:
            found.update(_file_digest(file, file.stat().st_mtime_ns).encode())
    return found.hexdigest()[:16]
