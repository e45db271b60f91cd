"""What each function of the original does, statement by statement, with our lines: original.html."""

from .. import document, statements
from .differences import words

NAVIGATION = [("original.html", "navigation.original")]
TEXT = {
    "navigation.original": ("Original", "原版"),
    "original.title": ("The original, statement by statement", "原版，逐条陈述"),
    "original.lead": ("What CFRunLoop's functions do in CF-855, CF-1153 and the current source, in this project's words, and the lines here that do it. {same} of {count} statements hold here as they are.",
                      "CFRunLoop 的函数在 CF-855、CF-1153 和现行版里做了什么（用本项目自己的话），以及这里的哪几行在做。{count} 条里有 {same} 条在这里原样成立。"),
    "original.callouts": ("Callouts", "回调（callout）"),
    "verdict.same": ("same", "相同"),
    "verdict.otherwise": ("otherwise", "另有做法"),
    "verdict.absent": ("absent", "没有"),
    "original.functions": ("Functions", "函数"),
}

def build(site):
    document.filters(site)
    functions, language = [], ("en", "zh").index(site.language)
    everything = statements.every()
    for function, found in everything.items():
        target = document.name_target(site, function) if function != "Callouts" else None
        rows = []
        for statement in found:
            rows.append({"anchor": statement.anchor, "number": statement.number, "verdict": statement.verdict, "text": statement.statement[language], "why": statement.why[language],
                         "versions": [words(site, version) for version in statement.versions] if len(statement.versions) < 3 else [], "choices": "|".join(statement.versions),
                         "line": site.source(statement.path, statement.line) if statement.path else None,
                         "place": f"{statement.path.rpartition('/')[2]}:{statement.line}" + (f"–{statement.end}" if statement.end > statement.line else "")})
        functions.append({"name": site.text("original.callouts") if function == "Callouts" else function, "slug": function, "target": target, "rows": rows})
    count = sum(map(len, everything.values()))
    same = sum(statement.verdict == "same" for found in everything.values() for statement in found)
    choices = [(version, words(site, version), sum(version in statement.versions for found in everything.values() for statement in found)) for version in statements.VERSIONS]
    site.page("original.html", site.text("original.title"), "original.html", functions=functions, count=count, same=same, choices=choices)
