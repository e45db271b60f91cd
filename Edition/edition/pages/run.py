"""run.html: the loop that plays. It shows the recordings in Edition/Recordings, line by line.

The page's scripts get, for each recording, data/recordings/NAME.js; the code is that of the source pages. What a line
does in the run is said in words: the step and the function by Documentation/Data, the fields that have changed by run_words.py."""

from facts import Failure, tables

from .. import run_words
from ..record import files

ORDER = 20
NAVIGATION = [("run.html", "navigation.run")]
TEXT = run_words.TEXT | {
    "run.picture": ("The loop, its modes and their items", "RunLoop、mode 和 mode item"),
    "run.event": ("event", "事件"),
    "run.back.event": ("To what happened before", "回到前一个事件"), "run.forth.event": ("To the next thing that happens", "到下一个事件"),
    "run.speed": ("Speed", "速度"),
    "js.run.picture.asleep": ("asleep", "休眠"),
    "js.run.picture.awake": ("awake", "醒着"),
    "js.run.picture.idle": ("not running", "没有运行"),
    "js.run.picture.message": ("wake-up port: a message", "唤醒端口有消息"),
    "js.run.picture.stopped": ("stop requested", "已请求停止"),
    "js.run.picture.blocks": ("blocks: {0}", "block：{0}"),
    "js.run.picture.queue": ("main queue: work", "主队列有任务"),
    "js.run.picture.runs": ("the current mode", "当前 mode"),
    "js.run.picture.firing": ("fires", "正在触发"),
    "js.run.picture.signaled": ("signaled", "已标记"),
    "js.run.picture.due": ("due", "已到期"),
    "js.run.picture.invalid": ("invalid", "已失效"),
}


def build(site):
    recordings = [files.read(path) for path in files.all_recordings()]
    order = list(run_words.RECORDINGS)
    for recording in recordings:
        if recording["name"] not in run_words.RECORDINGS:
            raise Failure(f"Edition/Recordings/{recording['name']}.json: run_words.py has no title for it")
    recordings.sort(key=lambda recording: order.index(recording["name"]))
    anchors, paths, ends, listed = set(), {}, {}, []
    for recording in recordings:
        site.data(f"recordings/{recording['name']}", f"recording:{recording['name']}", data(site, recording))
        listed.append(summary(site, recording))
        anchors |= set(addresses(recording))
        firsts = files.first_lines(recording)
        for index, (path, _, old, last, _) in enumerate(recording["functions"]):
            paths.setdefault(path, set()).update(
                firsts[index] + line for function, line, _ in recording["stacks"] if function == index)
    for path, lines in sorted(paths.items()):
        ends[path] = {line: files.extent_of(path, line) for line in sorted(lines) if files.extent_of(path, line) != line}
    words = {"ends": ends, "code": {path: site.code[path] for path in paths}, "steps": {number: step.whole(site.language).replace("`", "") for number, step in tables.steps().items()},
             "changes": run_words.changes(site.language), "functions": functions(site, recordings)}
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


def functions(site, recordings):
    """What each function of the library does, in a sentence."""
    names = {name for recording in recordings for path, name, *_ in recording["functions"] if path.startswith("Sources/")}
    found = {name: tables.function(name) for name in sorted(names)}
    return {name: site.text("run.callout.to", what=function.sentence(site.language)) if function.callout else function.sentence(site.language) for name, function in found.items()}
