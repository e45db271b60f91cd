"""The book: its chapters follow each other, their lines lead into the sources, and the questions take a wrong and a right answer, by mouse and by keyboard."""

from selenium.webdriver import Keys

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
