"""The book: its chapters follow each other, their programs play in them, their lines lead into the sources, and the questions take a wrong and a right
answer, by mouse and by keyboard."""

from selenium.webdriver import ActionChains, Keys

from facts import book

from .browser import Browser

ROWS = "return [...document.querySelectorAll('.choices')].map(list => list.querySelectorAll('button').length)"
STATE = """
const list = document.querySelectorAll('.choices')[arguments[0]], details = list.parentElement.querySelectorAll('details')[arguments[0]];
return [list.nextElementSibling.textContent, details.open, document.querySelector('.score').textContent];
"""


def check(site):
    with Browser(site) as browser:
        for language, width in (("en", 1280), ("zh", 390)):
            browser.look(width)
            chapters = book.chapters(language)
            browser.open(f"{language}/book/index.html")
            for chapter in chapters:
                browser.driver.find_element("css selector", "a[rel=next]").click()
                browser.settle()
                browser.page = browser.driver.current_url.split("/site/")[-1]
                if browser.driver.title.split(" · ")[0] != chapter.text.splitlines()[0].removeprefix("# "):
                    browser.miss(f"the chapter after the last one is not {chapter.path}")
                questions(browser, chapter)
                plays(browser, chapter, width)
                shown = browser.script("return document.querySelectorAll('.place a').length")
                if shown < sum(word in ("c", "diff") for word, _, _ in chapter.blocks):
                    browser.miss("lines of a source file have no link to it")
            for _ in chapters:
                browser.driver.find_element("css selector", "a[rel=prev]").click()
                browser.settle()
            if not browser.driver.current_url.endswith(f"{language}/book/index.html"):
                browser.miss("the way back does not lead to the list of the chapters")
        browser.collect()
        return f"{len(chapters)} chapters in both languages, {sum(len(chapter.answers) for chapter in chapters)} questions in each", browser.misses


# Of the frame of a chapter, when its program has been performed: its log, where it is, and what the reader sees.
FRAME = """
const done = arguments[0], $ = id => document.getElementById(id), seen = id => $(id).getBoundingClientRect();
const look = () => document.body?.dataset.ready && document.querySelector('#code .l') ? done({
    log: edition.play.run.log, at: edition.play.at, wide: document.scrollingElement.scrollWidth - innerWidth,
    shown: ['time', 'picture', 'code', 'caption', 'play'].filter(id => seen(id).height > 10 && seen(id).top < innerHeight - 20), hidden: !$('program').offsetHeight,
}) : setTimeout(look, 50);
look();
"""


def plays(browser, chapter, width):
    """The chapter's program plays in a frame: by a button and by a key, with the picture, the timeline and the lines, on a phone as well."""
    frame = browser.driver.find_element("css selector", ".book iframe")
    browser.script("arguments[0].scrollIntoView({ block: 'center', behavior: 'instant' })", frame)
    browser.driver.switch_to.frame(frame)
    try:
        before = browser.wait_for(FRAME)
        browser.driver.find_element("css selector", "[data-go=log][data-by='1']").click()
        first = browser.wait_for(FRAME)
        ActionChains(browser.driver).send_keys("s").perform()
        second = browser.wait_for(FRAME)
    finally:
        browser.driver.switch_to.default_content()
    if before["log"] != chapter.log:
        browser.miss(f"the frame's log is {before['log']}")
    if not before["at"] < first["at"] < second["at"]:
        browser.miss(f"a button and a key lead in the frame from {before['at']} to {first['at']} and {second['at']}")
    if len(before["shown"]) != 5 or not before["hidden"] or before["wide"] > 0:
        browser.miss(f"in a window of {width} pixels the frame shows {before['shown']}, and is {before['wide']} pixels too wide")


def questions(browser, chapter):
    counts = browser.script(ROWS)
    if counts != [count for count, _ in chapter.answers]:
        browser.miss(f"the buttons of the questions are {counts}, and the answers {chapter.answers}")
        return
    for index, (count, right) in enumerate(chapter.answers):
        buttons = browser.driver.find_elements("css selector", ".choices")[index].find_elements("tag name", "button")
        wrong = buttons[right % count]
        wrong.send_keys(Keys.ENTER)
        said, is_open, score = browser.script(STATE, index)
        if is_open or not said or "0" not in score:
            browser.miss(f"a wrong answer to question {index + 1} counts as right: {said} {score}")
        browser.script("arguments[0].scrollIntoView({ block: 'center', behavior: 'instant' })", buttons[right - 1])
        buttons[right - 1].click()
        after, is_open, _ = browser.script(STATE, index)
        if not is_open or after == said:
            browser.miss(f"the right answer to question {index + 1} does not open the explanation")
