"""The book: its chapters follow each other, their programs play in them, their lines lead into the sources, and the questions take a wrong and a right
answer, by mouse and by keyboard."""

from selenium.webdriver import Keys

from facts import book

from .browser import Browser

ROWS = "return [...document.querySelectorAll('.choices')].map(list => list.querySelectorAll('button').length)"
STATE = """
const list = document.querySelectorAll('.choices')[arguments[0]], details = list.nextElementSibling.nextElementSibling;
return [list.nextElementSibling.textContent, details.open, document.querySelector('.score').textContent];
"""


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
                questions(browser, chapter)
                plays(browser, chapter, width)
                breaks(browser, chapter)
                shown = browser.script("return document.querySelectorAll('.place a').length")
                browser.expect(shown >= sum(word in ("c", "diff") for word, _, _ in chapter.blocks), "lines of a source file have no link to it")
            for _ in chapters:
                browser.click("a[rel=prev]")
                browser.settle()
            browser.expect(browser.driver.current_url.endswith(f"{language}/book/index.html"), "the way back does not lead to the list of the chapters")
        browser.collect()
        return f"{len(chapters)} chapters in both languages, {sum(len(chapter.answers) for chapter in chapters)} questions in each", browser.misses


# Of the frame of a chapter, when its program has been performed: its log, where it is, and what the reader sees.
FRAME = """{
    log: edition.play.run.log, at: edition.play.at, wide: document.scrollingElement.scrollWidth - innerWidth, hidden: !$('program').offsetHeight,
    shown: ['band', 'rail', 'picture', 'caption', 'play'].map($).filter(part => part.offsetHeight > 10 && part.getBoundingClientRect().top < innerHeight - 20).map(part => part.id),
}"""


def plays(browser, chapter, width):
    """The chapter begins with its program in a frame, whose log is folded: by a button and by a key, with the picture, the timeline and the lines, on a phone as well."""
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


def breaks(browser, chapter):
    """The chapter's line is broken below it, by a key: both logs, with the first difference."""
    link = browser.driver.find_element("css selector", ".book a.break")
    browser.script("arguments[0].scrollIntoView({ block: 'center', behavior: 'instant' })", link)
    link.send_keys(Keys.ENTER)
    frame = browser.driver.find_element("css selector", ".book iframe.broken")
    browser.script("arguments[0].scrollIntoView({ block: 'start', behavior: 'instant' })", frame)
    browser.driver.switch_to.frame(frame)
    try:
        browser.until("document.querySelector('#picture .loop')")
        log, first, wide = browser.ready("[edition.play.run.log, all('#logs .first').length, document.scrollingElement.scrollWidth - innerWidth]")
    finally:
        browser.driver.switch_to.default_content()
    browser.expect(log == chapter.broken_log and first == 1 and wide <= 0, f"the broken loop below the line has the log {log}, {first} first differences, and is {wide} pixels too wide")


def questions(browser, chapter):
    counts = browser.script(ROWS)
    if not browser.expect(counts == [count for count, _ in chapter.answers], f"the buttons of the questions are {counts}, and the answers {chapter.answers}"):
        return
    logs = "return [...document.querySelectorAll('.book details.log')].map(log => log.open)"
    browser.expect(browser.script(logs) == [False, False], "the log of the program, and that of the broken loop, are not folded")
    for index, (count, right) in enumerate(chapter.answers):
        buttons = browser.driver.find_elements("css selector", ".choices")[index].find_elements("tag name", "button")
        wrong = buttons[right % count]
        wrong.send_keys(Keys.ENTER)
        said, is_open, score = browser.script(STATE, index)
        browser.expect(not is_open and said and "0" in score, f"a wrong answer to question {index + 1} counts as right: {said} {score}")
        browser.script("arguments[0].scrollIntoView({ block: 'center', behavior: 'instant' })", buttons[right - 1])
        buttons[right - 1].click()
        after, is_open, _ = browser.script(STATE, index)
        browser.expect(browser.script(logs) == [True, False], "the log that was to be predicted is not open after the right answer")
        browser.expect(is_open and after != said, f"the right answer to question {index + 1} does not open the explanation")
