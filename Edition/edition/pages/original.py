"""What each function of the original does, statement by statement, with our lines: original.html."""

from facts import printed, statements

from .. import document
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
    "original.foreign": ("Here alone: {count} of the {all} statements on our page", "只有这里有：我们这一页的 {all} 条语句里的 {count} 条"),
    "original.printed": ("The articles print some of these functions, so each statement of ours that no version has is counted. __CFRunLoopRun and CFRunLoopRunSpecific have {all} statements together; {foreign} of them are in no version of the original: {steps} mark the steps, {debug} are for debug builds, {other} have another reason.",
                         "文章列出了其中一些函数的代码，所以我们逐条数出哪些语句是任何版本都没有的。__CFRunLoopRun 和 CFRunLoopRunSpecific 共有 {all} 条语句，其中 {foreign} 条原版的任何版本都没有：{steps} 条标出步骤，{debug} 条只用于调试构建，{other} 条另有原因。"),
    "reason.STEP": ("step", "步骤"), "reason.debug": ("debug builds", "调试构建"), "reason.probe": ("for debuggers", "供调试器用"), "reason.Linux": ("Linux", "Linux"),
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
        ours = printed.every().get(function, [])
        foreign = [{"text": statement.text, "line": site.source(statement.path, statement.line), "place": f"{statement.path.rpartition('/')[2]}:{statement.line}",
                    "reason": _reason(site, statement.reason), "why": statement.why[language]} for statement in ours if statement.is_foreign]
        functions.append({"name": site.text("original.callouts") if function == "Callouts" else function, "slug": function, "target": target, "rows": rows,
                          "foreign": foreign, "ours": len(ours)})
    count = sum(map(len, everything.values()))
    same = sum(statement.verdict == "same" for found in everything.values() for statement in found)
    choices = [(version, words(site, version), sum(version in statement.versions for found in everything.values() for statement in found)) for version in statements.VERSIONS]
    run = [statement for function in printed.RUN for statement in printed.every()[function]]
    reasons = [statement.reason for statement in run if statement.is_foreign]
    steps, debug = reasons.count(printed.STEP), reasons.count(printed.DEBUG)
    site.page("original.html", site.text("original.title"), "original.html", functions=functions, count=count, same=same, choices=choices,
              run={"all": len(run), "foreign": len(reasons), "steps": steps, "debug": debug, "other": len(reasons) - steps - debug})


def _reason(site, reason):
    """A word, or the difference, which the page links."""
    return reason if reason.startswith("D") else site.text(f"reason.{reason}")
