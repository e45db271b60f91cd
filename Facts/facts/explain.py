"""What RunLoopLab explain and rl-explain say of a name, a call, a word, a claim or a question: each line is a head and a text."""

import re

from . import VERSIONS, index, pasted, place_of, shapes, tables
from .texts import tokens

MOST_OTHERS, MOST_SPELLINGS, MOST_NAMES = 4, 5, 8
VERDICTS = {word: row["in Chinese"] for word, row in tables.verdicts("name").items()}
FORMS = {"before": "第 {} 步之前", "after": "第 {} 步之后", "around": "包含第 {} 步"}
PARTLY = {"en": ("", "That answers a part of the question at most; what follows may say more."), "zh": ("", "这最多回答了问题的一部分，其余的请看下面。")}
KINDS = {"correction": "更正", "experiment": "实验"}


def reply(phrase, language):
    """The lines of the answer, and whether there is one. The first has the sentence that answers. If a word that nothing knows makes most of the phrase, no card answers it: then come
    the cards that speak of the other words. A card that has less than half of what is asked is said to answer a part. A pasted stack and a printed loop are read as what they are."""
    language = "zh" if re.search(r"[\u4e00-\u9fff]", phrase) else language
    if read := pasted.read(phrase, language):
        return read, True
    say = Say(language)
    found, unknown, is_sure = index.index().answer(phrase)
    if shape := shapes.of(phrase):  # of a listing, first what it does
        sentence, also = in_language(shape, "sentence", language), [name for name in [shape["card"], *found] if name]
        return [("", sentence), *[(say("see also", "另见"), answer(name, language)) for name in dict.fromkeys(also[:MOST_OTHERS])]], True
    if "\n" in phrase.strip() and not is_sure and (named := [*index.index().names(phrase)]):  # of other code, its names: the rest of its words are the reader's own
        return [("", say("What this code names:", "这段代码里的名字：")), *[(say("see also", "另见"), answer(name, language)) for name in dict.fromkeys([*named, *found][:MOST_NAMES])]], True
    said = say(", ", "、").join(say("‘{}’", "“{}”").format(word) for word in unknown or [phrase])
    if not found:
        near = index.index().near(phrase)[:MOST_SPELLINGS]
        advice = (say("close spellings: {}", "相近的写法：{}").format(say(", ", "、").join(near)) if near else
                  say("try one of its names or words alone; ", "请只写其中一个名字或词；") * (len(list(tokens(phrase))) > 1) +
                  say("RunLoopLab article lists the items of the articles, RunLoopLab list the experiments", "RunLoopLab article 列出文章里的条目，RunLoopLab list 列出实验"))
        return [("", say("nothing here speaks of {}; {}", "这里没有关于{}的内容；{}").format(said, advice))], False
    nothing = [("", say("Nothing here speaks of {}.", "这里没有关于{}的内容。").format(said))] if unknown else [] if is_sure else [PARTLY[language]]
    others = [(say("see also", "另见"), answer(name, language)) for name in found[:MOST_OTHERS + 1]]
    if unknown and not is_sure:
        return nothing + others[:MOST_OTHERS], True
    return [("", answer(found[0], language)), *nothing, *card(found[0], language), *others[1:]], True


class Say:
    def __init__(self, language):
        self.language = language

    def __call__(self, english, chinese):
        return chinese if self.language == "zh" else english


def in_language(row, column, language):
    return row[column + " in Chinese" * (language == "zh")]


def answer(name, language):
    """What answers, in a sentence, behind what it is called."""
    row, title = index.index().card(name), titled(name, language)
    mark = "" if not title else " " if title.endswith(":") else Say(language)(": ", "：")
    return title + mark + in_language(row, "sentence", language)


def titled(name, language):
    """What a card is called before its sentence; of a term, nothing, because its sentence begins with it."""
    kind, _, rest = name.partition(" ")
    if title := in_language(index.index().card(name), "title", language):
        return title
    if kind == "term":
        return ""
    if re.fullmatch(r"\d+|9\.\d", name):
        return f"第 {name} 步" if language == "zh" else f"step {name}"
    return f"{KINDS[kind]} {rest}" if kind in KINDS and rest and language == "zh" else name


def card(name, language):
    """What a card says below its sentence."""
    say, row = Say(language), index.index().card(name)
    versions = {english: name for name, english in VERSIONS.items()} if language == "zh" else {}  # the Chinese ones come last
    versions = say(", ", "、").join(versions.get(version, version) for version in filter(None, row["versions"].split(", ")))
    tests = [test for test in row["tests"].split(", ") if test]
    parts = [
        (say("here", "这里"), [place_of(row["here in Chinese"])] if language == "zh" and row["here in Chinese"] else [place_of(place, language) for place in row["here"].split("¦") if place]),
        (say("original", "原版"), [say(": ", "：").join(filter(None, [in_language(row, "original", language), versions]))] if row["original"] else []),
        (say("verdict", "判断"), [say(row["verdict"], VERDICTS.get(row["verdict"], ""))]),
        (say("more", "说明"), [in_language(row, "more", language)]),
        (say("step", "步骤"), [row["step"] if language == "en" else step_in_chinese(row["step"])]),
        (say("articles", "文章"), row["articles"].split(",")),
        (say("claims", "论断"), [answer(id, language) for id in row["claims"].split()]),
        (say("tests", "测试"), [f"{place_of(test, language)}  {test.rpartition('#')[2]}" for test in tests]),
        (say("run it", "运行"), ["swift run RunLoopLab " + program.removeprefix("experiment ") for program in row["programs"].split(", ") if program])]
    return [(head, text.strip()) for head, texts in parts for text in texts if text]


def step_in_chinese(step):
    """The step of a card, which may be "before 2, 7, 9"."""
    where, _, steps = step.partition(" ")
    return FORMS[where].format(steps.replace(", ", "、")) if where in FORMS else "任意线程" if where == "any" else step
