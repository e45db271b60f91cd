"""The book: its chapters follow each other, their programs play in them, their lines lead into the sources and can be broken in place. The predictions take a
wrong and a right answer, by mouse and by keyboard, and the exercises know a wrong line and a cure."""

import json

from selenium.webdriver import Keys

from facts import book

from ..pages.book import TEXT
from .browser import Browser

ROWS = "return [...document.querySelectorAll('.choices:not(.lines)')].map(list => list.querySelectorAll('button').length)"
STATE = """
const list = document.querySelectorAll('.choices:not(.lines)')[arguments[0]], said = list.nextElementSibling;
return [said.textContent, said.nextElementSibling.open, document.querySelector('.score').textContent];
"""
LINES = """
const list = document.querySelectorAll('.choices.lines')[arguments[0]], said = list.nextElementSibling, details = [...document.querySelectorAll('details')].find(one => said.compareDocumentPosition(one) & 4);
const before = said.textContent, states = [];
for (const line of arguments[1]) {
    list.querySelectorAll('button')[line].click();
    states.push(details.open, said.textContent);
}
return states;
"""
ENTER = """
const cure = document.querySelectorAll('.cure')[arguments[0]];
cure.querySelector('textarea').value = arguments[1];
cure.querySelector('button').click();
"""
JUDGED = "(cure => cure.querySelector('.said').textContent)(document.querySelectorAll('.cure')[%d])"
COMPARED = "!document.getElementById('compare').hidden && document.querySelectorAll('#logs *').length > 4 && document.getElementById('line').textContent"


def check(site):
    with Browser(site) as browser:
        for language, width in (("en", 1280), ("zh", 390)):
            browser.look(width)
            chapters = book.chapters(language)
            browser.open(f"{language}/book/index.html")
            for chapter in chapters:
                browser.click("a[rel=next]")
                browser.settle()
                browser.page = browser.driver.current_url.split("/site/")[-1]
                browser.expect(browser.driver.title.split(" · ")[0] == chapter.text.splitlines()[0].removeprefix("# "), f"the chapter after the last one is not {chapter.path}")
                browser.until("document.querySelector('.score')", 30)
                questions(browser, chapter)
                exercises(browser, chapter, language)
                plays(browser, chapter, width)
                if language == "en":
                    breaks(browser, chapter)
                shown = browser.script("return document.querySelectorAll('.place a').length")
                browser.expect(shown >= sum(word in ("c", "diff") for word, _, _ in chapter.blocks), "lines of a source file have no link to it")
            for _ in chapters:
                browser.click("a[rel=prev]")
                browser.settle()
            browser.expect(browser.driver.current_url.endswith(f"{language}/book/index.html"), "the way back does not lead to the list of the chapters")
        browser.collect()
        return f"{len(chapters)} chapters in both languages, {sum(len(chapter.answers) for chapter in chapters)} predictions and {sum(len(chapter.wrongs) + len(chapter.goals) for chapter in chapters)} exercises in each", browser.misses


# Of the frame of a chapter, when its program has been performed: its log, where it is, and what the reader sees.
FRAME = """{
    log: edition.play.run.log, at: edition.play.at, wide: document.scrollingElement.scrollWidth - innerWidth, hidden: !$('program').offsetHeight,
    shown: ['band', 'rail', 'picture', 'caption', 'play'].map($).filter(part => part.offsetHeight > 10 && part.getBoundingClientRect().top < innerHeight - 20).map(part => part.id),
}"""


def plays(browser, chapter, width):
    """The chapter's program plays in a frame: by a button and by a key, with the picture, the timeline and the lines, on a phone as well."""
    frame = browser.driver.find_element("css selector", ".book iframe")
    browser.script("arguments[0].scrollIntoView({ block: 'center', behavior: 'instant' })", frame)
    browser.driver.switch_to.frame(frame)
    try:
        browser.until("document.querySelector('#picture .loop')")
        before = browser.ready(FRAME)
        browser.click("[data-go=event][data-by='1']")
        first = browser.ready(FRAME)
        browser.press("s")
        second = browser.ready(FRAME)
    finally:
        browser.driver.switch_to.default_content()
    top = browser.script("return arguments[0].getBoundingClientRect().top + scrollY", frame)
    browser.expect(top < 400, f"the player begins {top} pixels below the top")
    browser.expect(before["log"] == chapter.log, f"the frame's log is {before['log']}")
    browser.expect(before["at"] < first["at"] < second["at"], f"a button and a key lead in the frame from {before['at']} to {first['at']} and {second['at']}")
    browser.expect(len(before["shown"]) == 5 and before["hidden"] and before["wide"] <= 0, f"in a window of {width} pixels the frame shows {before['shown']}, and is {before['wide']} pixels too wide")


def questions(browser, chapter):
    counts = browser.script(ROWS)
    if not browser.expect(counts == [count for count, _ in chapter.answers], f"the buttons of the questions are {counts}, and the answers {chapter.answers}"):
        return
    for index, (count, right) in enumerate(chapter.answers):
        buttons = browser.driver.find_elements("css selector", ".choices:not(.lines)")[index].find_elements("tag name", "button")
        wrong = buttons[right % count]
        wrong.send_keys(Keys.ENTER)
        said, is_open, score = browser.script(STATE, index)
        browser.expect(not is_open and said and "0" in score, f"a wrong answer to question {index + 1} counts as right: {said} {score}")
        browser.script("arguments[0].scrollIntoView({ block: 'center', behavior: 'instant' })", buttons[right - 1])
        buttons[right - 1].click()
        after, is_open, _ = browser.script(STATE, index)
        browser.expect(is_open and after != said, f"the right answer to question {index + 1} does not open the explanation")


def exercises(browser, chapter, language):
    """A log with a wrong line: another line is not it, and the wrong one opens the answer. A program to cure: it lacks a line as it is, and the answer's is cured."""
    said = {key: TEXT[f"js.book.{key}"][language == "zh"] for key in ("not-it", "cured")}
    for index, (_, log, wrong) in enumerate(chapter.wrongs):
        lines = log.splitlines()
        at = next(number for number, line in enumerate(wrong.splitlines()) if line != lines[number])
        found = browser.script(LINES, index, [(at + 1) % len(lines), at])
        browser.expect(found[:2] == [False, said["not-it"]] and found[2] and lines[at].strip() in found[3], f"log {index + 1} with a wrong line says {found}")
    for index, (program, _, goal, cure, _) in enumerate(chapter.goals * (language == "zh")):
        for text, is_cured in ((program, False), (cure, True)):
            before = browser.script(f"return {JUDGED % index}")
            browser.script(ENTER, index, text)
            browser.until(f"{JUDGED % index} !== {json.dumps(before)}", 30)
            now = browser.script(f"return {JUDGED % index}")
            browser.expect((now == said["cured"]) == is_cured and (is_cured or any(line.strip() in now for line in goal.splitlines())), f"a program that is {'' if is_cured else 'not '}cured is judged so: {now}")


def breaks(browser, chapter):
    """The link at a broken line opens a player that shows both logs."""
    links = [link for link in browser.driver.find_elements("css selector", "a.here-plays") if "broken=" in link.get_attribute("href")]
    browser.expect(len(links) == len(chapter.changes), f"{len(links)} links break {len(chapter.changes)} lines")
    for link in links[:1]:
        browser.script("arguments[0].scrollIntoView({ block: 'center', behavior: 'instant' }); arguments[0].click()", link)
        browser.driver.switch_to.frame(browser.script("return arguments[0].closest('p').nextElementSibling", link))
        try:
            browser.until(COMPARED, 30)
            log, first, wide = browser.ready("[edition.play.run.log, all('#logs .first').length, document.scrollingElement.scrollWidth - innerWidth]")
        finally:
            browser.driver.switch_to.default_content()
        browser.expect(log == chapter.changes[0].broken_log and first == 1 and wide <= 0, f"the broken loop below the line has the log {log}, {first} first differences, and is {wide} pixels too wide")
        browser.script("arguments[0].click()", link)
        browser.expect(browser.script("return !arguments[0].closest('p').nextElementSibling.matches('iframe')", link), "the link does not close the player again")
