"""run.html: the loop that plays. It shows the recordings in Documentation/Recordings, line by line.

The page's scripts get, for each recording, data/recordings/NAME.js, and for each source file that it steps through data/code/FILE.js. What a line
does in the run is said in words: the step and the function by Documentation/Data, the fields that have changed by run_words.py."""

from pathlib import Path

from facts import tables

from .. import run_words, source
from facts import Failure
from ..record import files

ORDER = 20
NAVIGATION = [("run.html", "navigation.run")]
TEXT = run_words.TEXT


def build(site):
    recordings = [files.read(path) for path in files.all_recordings()]
    order = list(run_words.RECORDINGS)
    for recording in recordings:
        if recording["name"] not in run_words.RECORDINGS:
            raise Failure(f"Documentation/Recordings/{recording['name']}.json: run_words.py has no title for it")
    recordings.sort(key=lambda recording: order.index(recording["name"]))
    anchors, paths, listed = set(), {}, []
    for recording in recordings:
        site.data(f"recordings/{recording['name']}", f"recording:{recording['name']}", data(site, recording))
        listed.append(summary(site, recording))
        anchors |= set(addresses(recording))
        firsts = files.first_lines(recording)
        for index, (path, _, old, last, _) in enumerate(recording["functions"]):
            paths.setdefault(path, set()).update(
                firsts[index] + line for function, line, _ in recording["stacks"] if function == index)
    for path, lines in sorted(paths.items()):
        site.data(f"code/{Path(path).name}", f"code:{path}", code(site, path, lines))
    words = {"steps": {number: step.whole(site.language).replace("`", "") for number, step in tables.steps().items()}, "changes": run_words.changes(site.language), "functions": functions(site, recordings)}
    site.data("run-words", "run-words", words)
    site.page("run.html", site.text("run.title"), "run.html", anchors=anchors, kind="run", recordings=listed)


def addresses(recording):
    """All fragments that name a moment: source0, source0/12, worst-moment.asleep/12."""
    for order in recording["orders"]:
        name = recording["name"] + (f".{order['name']}" if order["name"] else "")
        yield from (name, *(f"{name}/{moment}" for moment in range(len(order["moments"]))))
    yield recording["name"]


def summary(site, recording):
    title, sentence = (run_words.RECORDINGS[recording["name"]][i][site.text.index] for i in (0, 1))
    first = recording["orders"][0]
    return {"name": recording["name"], "title": title, "sentence": sentence, "moments": sum(len(order["moments"]) for order in recording["orders"]),
            "orders": len(recording["orders"]), "threads": len(recording["threads"]), "program": recording["program"],
            "address": recording["name"] + (f".{first['name']}" if first["name"] else "")}


def data(site, recording):
    """A recording for the script. Functions that have moved since are where they are today."""
    firsts = files.first_lines(recording)
    functions = [[path, name, firsts[index], firsts[index] + last - first] for index, (path, name, first, last, _) in enumerate(recording["functions"])]
    orders = []
    for order in recording["orders"]:
        words = run_words.ORDERS.get((recording["name"], order["name"])) if order["name"] else None
        if order["name"] and not words:
            raise Failure(f"run_words.py has no sentence for the order {order['name']} of {recording['name']}")
        orders.append({"name": order["name"], "words": words[site.text.index] if words else "", "moments": order["moments"]})
    entry = summary(site, recording)
    return {key: recording[key] for key in ("name", "threads", "stacks", "names", "values", "program")} | {
        "functions": functions, "orders": orders, "title": entry["title"], "sentence": entry["sentence"]}


def code(site, path, lines):
    """A file for the code pane: its lines in HTML, and where the recorded statements end."""
    return {"lines": source.highlighted(site.symbols, path),
            "ends": {line: files.extent_of(path, line) for line in sorted(lines) if files.extent_of(path, line) != line}}


def functions(site, recordings):
    """What each function of the library does, in a sentence."""
    names = {name for recording in recordings for path, name, *_ in recording["functions"] if path.startswith("Sources/")}
    found = {name: tables.function(name) for name in sorted(names)}
    return {name: site.text("run.callout.to", what=function.sentence(site.language)) if function.callout else function.sentence(site.language) for name, function in found.items()}
