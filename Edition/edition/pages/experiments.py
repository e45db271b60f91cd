"""The experiments with their transcripts: experiments/NAME.html."""

from markupsafe import Markup

from .. import document, lab

NAVIGATION = [("experiments/index.html", "navigation.experiments")]
TEXT = {
    "navigation.experiments": ("Experiments", "实验"),
    "experiments.title": ("Experiments", "实验"),
    "experiments.lead": ("{count} small programs. Each shows a claim of the articles on a real loop and computes its verdict from what happened. Programs of the articles show most of the other claims.",
                         "{count} 个小程序。每个都在真实的 RunLoop 上展示文章的一条论断，并根据发生的事得出结论。其余的论断，多数由文章的程序展示。"),
    "experiment.setting": ("What is about to happen", "将要发生什么"),
    "experiment.transcript": ("What happened", "发生了什么"),
    "experiment.notice": ("What to notice", "值得注意"),
    "experiment.correction": ("What an article gets wrong", "文章的错误"),
    "experiment.source": ("Read it", "阅读源码"),
    "experiment.articles": ("In the articles", "在文章里"),
    "group.threads": ("Threads and their loops", "线程与它们的 RunLoop"),
    "group.structure": ("Modes and their items", "mode 与 item"),
    "group.leaving": ("Staying and leaving", "留下与退出"),
    "group.sources": ("Sources", "Source"),
    "group.timers": ("Timers", "Timer"),
    "group.run": ("The run", "运行"),
    "group.building": ("Built on a run loop", "在 RunLoop 之上构建"),
}


def build(site):
    document.filters(site)
    data = lab.data()
    experiments = data["experiments"]
    shown = lab.transcripts({experiment["name"]: experiment["source"] for experiment in experiments}, site.language)
    groups = {}
    for experiment in experiments:
        name, language = experiment["name"], site.language
        ids = Markup(" ").join(document.link_ids(site, id) for id in experiment["claims"])
        groups.setdefault(experiment["group"], []).append((f"experiments/{name}.html", Markup("<code>{}</code>").format(name), experiment["title"][language], ids))
        items = [item["id"] for article in data["articles"] for item in article["items"] if item["kind"] == "experiment" and item["place"] == name]
        site.page(f"experiments/{name}.html", name, "experiment.html", about={"correction": None} | {key: value[language] if isinstance(value, dict) else value for key, value in experiment.items()},
                  transcript=shown[name], items=items, source_of=document.file_target(site, experiment["source"], origin="Lab/Experiments"))
    site.page("experiments/index.html", site.text("experiments.title"), "list.html", lead=site.text("experiments.lead", count=len(experiments)),
              groups=[(site.text(f"group.{group}"), rows) for group, rows in groups.items()])
