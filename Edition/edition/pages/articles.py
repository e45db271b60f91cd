"""The outline of each article, heading by heading: articles/0.html to articles/4.html. Of the articles' text there are only the headings."""

from markupsafe import Markup

from .. import annotations, document, lab

ORDER = 60
NAVIGATION = [("articles/index.html", "navigation.articles")]
TEXT = {
    "navigation.articles": ("Articles", "文章"),
    "articles.title": ("The articles", "文章"),
    "articles.lead": ("The outline of each article. Every listing, demo and exercise is here as a program that runs, with what it printed.",
                      "每篇文章的提纲。每段代码、演示和练习在这里都是可以运行的程序，附它打印的内容。"),
    "article.title": ("Article {number}: {title}", "文章 {number}：{title}"),
    "article.lead": ("{items} places of the article, in its order, and {programs} programs. Have the article open beside this page.",
                     "文章的 {items} 处内容，按文章的顺序，共 {programs} 个程序。请把文章放在旁边对照。"),
    "article.source": ("Our lines", "我们的代码"),
    "article.transcript": ("What it prints", "打印的内容"),
    "article.cured": ("What it prints, cured", "改正后打印的内容"),
    "article.experiment": ("The experiment {name}", "实验 {name}"),
    "article.document": ("This is in {name}.", "见 {name}。"),
    "article.see": ("Shown by the program of {item}.", "由 {item} 的程序展示。"),
    "article.cannot": ("Not here: {why}", "这里没有：{why}"),
    "article.corrections": ("Corrections of this article", "对这篇文章的更正"),
    "article.items": ("{count} items", "{count} 处"),
}


def build(site):
    data = lab.data(site.root)
    programs = {item: program for program in data["programs"] for item in program["items"]}
    experiments = {experiment["name"]: experiment for experiment in data["experiments"]}
    commands = {}
    for program in data["programs"]:
        commands[f"article {program['name']}"] = program["source"]
        if program["isPair"]:
            commands[f"article {program['name']} --cured"] = program["source"]
    shown = lab.transcripts(site.root, commands, site.language)
    corrections = annotations.corrections(site)
    for article in data["articles"]:
        seen, items = set(), []
        for item in article["items"]:
            items.append(_item(site, item, programs, experiments, shown, seen))
        number = str(article["number"])
        own = [correction for correction in corrections if any(of == number for of, _ in correction.quotations)]
        site.page(f"articles/{number}.html", site.text("article.title", number=number, title=article["title"]), "article.html", items=items, count=len(seen), corrections=own)
    site.page("articles/index.html", site.text("articles.title"), "articles.html", articles=data["articles"])


def _item(site, item, programs, experiments, shown, seen):
    language = site.language
    result = {"id": item["id"], "heading": item["heading"], "kind": item["kind"], "transcripts": [], "links": [], "see": None, "verdict": None, "command": None, "notice": None,
              "says": None, "as_said": True}
    match item["kind"]:
        case "program":
            program = programs[item["place"]]
            result["what"] = program["title"][language]
            if program["source"]:
                result["links"].append((document.file_target(site, program["source"], origin="Lab/Articles"), site.text("article.source")))
            if program["name"] in seen:
                result["see"] = program["name"]
            else:
                seen.add(program["name"])
                result |= {"command": f"swift run RunLoopLab article {program['name']}", "says": program["says"][language], "notice": program["notice"][language],
                           "verdict": program["verdict"][language], "as_said": program["asTheArticleSays"]}
                result["transcripts"].append((site.text("article.transcript"), shown[f"article {program['name']}"]))
                if program["isPair"]:
                    result["transcripts"].append((site.text("article.cured"), shown[f"article {program['name']} --cured"]))
                if program["name"] != item["id"]:
                    result["anchor"] = program["name"]
        case "experiment":
            result["what"] = experiments[item["place"]]["shows"][language]
            result["links"].append((site.href(f"experiments/{item['place']}.html"), site.text("article.experiment", name=item["place"])))
        case "document":
            path, _, fragment = item["place"].partition("#")
            name = path.rpartition("/")[2]
            result["what"] = Markup(site.text("article.document")).format(name=site.link(_section(site, path, fragment), name))
        case "cannotBe":
            result["what"] = site.text("article.cannot", why=item["why"][language])
    return result


def _section(site, path, fragment):
    """The address of a heading of a document; in Chinese, of the heading at the same place."""
    if fragment and path.endswith(".md"):
        if path not in _english:
            _english[path] = document.Document(_English(site), path)
        english, own = _english[path], document.Document.of(site, path)
        index = next((index for index, section in enumerate(english.sections) if section.slug == fragment), None)
        if index is not None and len(english.sections) == len(own.sections):
            fragment = own.sections[index].slug
        elif site.language == "zh":
            fragment = ""
    return document.file_target(site, path, fragment, "Lab/Articles")


_english = {}


class _English:
    """The site's documents in English, for headings."""

    def __init__(self, site):
        self.root, self.symbols, self.language = site.root, site.symbols, "en"
