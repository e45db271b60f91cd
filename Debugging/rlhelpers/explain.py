"""rl-explain: what the index knows of a name, a call, a word or a question: Documentation/Data/index.tsv, where RunLoopLab explain looks, too."""

import re

from . import words
from .debugger import Problem
from .words import say

from facts import annotations, index, place_of  # steps.py has said where

MOST_OTHERS = 4
VERDICTS = {"same": "相同", "adapted": "有改动", "absent": "没有", "ours": "自有"}


def explain(phrase):
    """The lines of rl-explain: a sentence, the card's parts, and the other cards that answer."""
    if not phrase:
        raise Problem(say("Name what to explain: a function, a call, a word, a question, or an id such as D13.",
                          "请写出要解释的东西：函数、调用、术语、问题，或 D13 这样的编号。"))
    try:
        found = index.index().find(phrase)
    except OSError as error:
        raise Problem(say("The index cannot be read: %s.", "无法读取索引：%s。") % error) from None
    if not found:
        near = index.index().near(phrase)[:5]
        raise Problem(say("Nothing is known of %s. Close spellings: %s.",
                          "没有关于“%s”的内容。相近的写法：%s。") % (phrase, say(", ", "，").join(near)) if near else
                      say("Nothing is known of %s. Try one of its names or words alone.",
                          "没有关于“%s”的内容。请只写其中一个名字或词。") % phrase)
    language = "zh" if re.search(r"[\u4e00-\u9fff]", phrase) else words.language
    others = [say("  see also %s", "  另见 %s", language) % answer(name, language) for name in found[1:1 + MOST_OTHERS]]
    return [answer(found[0], language), *parts(index.index().card(found[0]), language), *others]


def answer(name, language):
    sentence, title = index.in_language(index.index().card(name), "sentence", language), index.title(name, language)
    mark = "" if not title else " " if title.endswith(":") else "：" if language == "zh" else ": "
    return title + mark + sentence


def parts(card, language):
    for place in filter(None, card["here"].split("¦")):
        yield say("  here: %s", "  这里：%s", language) % place_of(place, language)
    if card["original"]:
        names = dict(zip(annotations.VERSIONS.values(), annotations.VERSIONS)) if language == "zh" else {}  # the Chinese ones come last
        versions = say(", ", "，", language).join(names.get(version, version) for version in card["versions"].split(", "))
        yield say("  in the original: %s",
                  "  原版：%s", language) % ": ".join(filter(None, [index.in_language(card, "original", language), versions]))
    if card["verdict"]:
        yield "  " + (VERDICTS[card["verdict"]] if language == "zh" else card["verdict"])
    if more := index.in_language(card, "more", language):
        yield "  " + more
    if card["step"]:
        yield step_in_chinese(card["step"]) if language == "zh" else "  step " + card["step"]
    for id in card["claims"].split():
        yield "  " + answer(id, language)
    for test in filter(None, card["tests"].split(", ")):
        yield say("  test: %s", "  测试：%s", language) % f"{place_of(test, language)} {test.rpartition('#')[2]}"
    for program in filter(None, card["programs"].split(", ")):
        yield "  swift run RunLoopLab " + program.removeprefix("experiment ")


def step_in_chinese(step):
    """The step of a card, which may be "before 2, 7, 9"."""
    forms = {"before": "第 %s 步之前", "after": "第 %s 步之后", "around": "包含第 %s 步"}
    where, _, steps = step.partition(" ")
    if where in forms:
        return "  " + forms[where] % steps.replace(", ", "、")
    return "  任意线程" if step == "any thread" else f"  步骤 {step}"
