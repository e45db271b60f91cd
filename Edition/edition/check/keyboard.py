"""The edition without a mouse: Tab reaches each control of play.html and shows which one it is, and with keys alone a reader plays, moves, changes the program, sets
breakpoints, predicts, breaks a line, finds a broken one, and copies the lines for a frame; opens an item, a claim and a card; and answers a chapter's questions. What
changes is told to a screen reader."""

from selenium.webdriver import ActionChains, Keys

from .browser import Browser

#: All that can have the focus and is in sight.
REACHABLE = """
return [...document.querySelectorAll('a[href], button, select, textarea, input, summary, [tabindex="0"]')]
    .filter(element => element.checkVisibility() && !element.disabled && element.tabIndex >= 0 && !element.closest('[inert]') && !element.matches('.skip'))
    .map((element, index) => { element.dataset.key = index; return [String(index), element.outerHTML.slice(0, 90)]; })"""
FOCUS = """
const element = document.activeElement, style = getComputedStyle(element), box = element.getBoundingClientRect();
return [element.dataset.key ?? '', element === document.body, box.height > 0 && (style.outlineStyle !== 'none' || getComputedStyle(element.parentElement).outlineStyle !== 'none' || element.matches('textarea') || element.querySelector('rect') && getComputedStyle(element.querySelector('rect')).strokeWidth === '2.5px')];"""
TOLD = "return document.getElementById('caption').textContent"


class Keyboard:
    def __init__(self, browser):
        self.browser = browser

    def press(self, *keys, held=None):
        actions = ActionChains(self.browser.driver)
        if held:
            actions.key_down(held)
        for key in keys:
            actions.send_keys(key)
        if held:
            actions.key_up(held)
        actions.perform()

    def to(self, id):
        """With Tab to the element with this id, from the top of the page."""
        self.browser.script("document.activeElement.blur(); scrollTo(0, 0); getSelection().removeAllRanges()")
        for _ in range(150):
            if self.browser.script("return document.activeElement.id === arguments[0]", id):
                return
            self.press(Keys.TAB)
        self.browser.miss(f"Tab does not reach {id}")

    def at(self):
        return self.browser.script("return edition.play.at")


def check(site):
    with Browser(site) as browser:
        browser.look()
        keyboard = Keyboard(browser)
        counts = [every_control(browser, keyboard, page) for page in ("en/play.html", "zh/play.html", "en/index.html")]
        for language in ("en", "zh"):
            browser.open(f"{language}/play.html")
            browser.ready("0")
            moves(browser, keyboard)
            program(browser, keyboard)
            predicts(browser, keyboard)
            breaks(browser, keyboard)
            frame(browser, keyboard)
        opens_pages(browser, keyboard)
        browser.collect()
        return f"{' + '.join(map(str, counts))} controls; the player, the game, items, claims and cards", browser.misses


def every_control(browser, keyboard, page):
    browser.open(page)
    if "play" in page:
        browser.ready("0")
    known, seen = dict(browser.script(REACHABLE)), set()
    for _ in range(2 * len(known) + 20):  # the first page begins at its search box
        keyboard.press(Keys.TAB)
        key, is_over, is_shown = browser.script(FOCUS)
        if is_over and len(seen) == len(known):
            break
        if key in known:
            browser.expect(is_shown, f"nothing shows that the focus is at {known[key]}")
            seen.add(key)
    for key in known.keys() - seen:
        browser.miss(f"Tab does not reach {known[key]}")
    return len(seen)


def moves(browser, keyboard):
    """Each key of the player leads somewhere, says so, and its Shift leads back."""
    browser.script("edition.play.setView('code')")
    for key in "sczlptb":
        keyboard.press("X" if key == "b" else Keys.NULL)
        keyboard.press(Keys.HOME)
        start, told = keyboard.at(), browser.script(TOLD)
        keyboard.press(key)
        after = keyboard.at()
        # The example has one thread, so no change of it; the page says that.
        browser.expect(after > start or browser.script(TOLD) != told, f"the key {key} does nothing, and nothing is said")
        keyboard.press(key)
        further = keyboard.at()
        keyboard.press(key.upper())
        browser.expect(keyboard.at() == after, f"the key ⇧{key} leads from {further} to {keyboard.at()}, not back to {after}")
    keyboard.press("v", Keys.HOME)
    before = []
    for _ in range(8):
        keyboard.press(Keys.ARROW_RIGHT)
        before.append(browser.script(TOLD))
    browser.expect(len(set(before)) >= 7 and browser.script("return document.getElementById('caption').getAttribute('role')") == "status", f"the events are told as {before}")
    at = keyboard.at()
    keyboard.press(Keys.SPACE)
    browser.until(f"edition.play.at > {at}")
    keyboard.press(Keys.SPACE)
    browser.expect(browser.script("return document.getElementById('play').ariaPressed") == "false", "the space does not stop the player")
    keyboard.to("scrubber")
    keyboard.press(Keys.END)
    at = keyboard.at()
    keyboard.press(Keys.ARROW_LEFT)
    browser.expect(keyboard.at() < at and browser.script("return /\\d/.test(document.getElementById('scrubber').getAttribute('aria-valuetext'))"), "the band does not move with ←, or does not say where it is")


def program(browser, keyboard):
    """An example, a program of one's own, a line of the log, a step, a breakpoint on a line that the program is not at."""
    keyboard.to("example")
    text = browser.script("return document.getElementById('program').value")
    keyboard.press(Keys.ARROW_DOWN)
    browser.expect(browser.script("return document.getElementById('program').value") != text, "the menu of the examples does not change with ↓")
    keyboard.to("program")
    keyboard.press("a", held=Keys.CONTROL)
    keyboard.press("timer T every 1s in default", Keys.ENTER, "run default for 2.5s", Keys.ENTER)
    browser.until("edition.play.run?.lines?.length === 3")
    keyboard.press(Keys.TAB)
    browser.expect(browser.script("return document.activeElement.id") != "program", "Tab does not leave the editor")
    keyboard.to("log")
    keyboard.press(Keys.TAB, Keys.TAB, Keys.ENTER)
    browser.expect(browser.script("return edition.play.at === edition.play.momentOfLine(2)"), "Enter on the second line of the log does not lead there")
    keyboard.press("v")
    keyboard.to("code")
    browser.until("edition.play.breaks.suspect && document.querySelector('#code pre')")
    line = browser.script("return edition.play.breaks.suspect.line")
    keyboard.press(Keys.ARROW_DOWN, Keys.ARROW_DOWN, Keys.ARROW_UP)
    browser.expect(browser.script("return edition.play.breaks.suspect.line") == line + 1, "↓ in the code does not choose the next line")
    keyboard.press("x")
    browser.expect(browser.script("return document.querySelectorAll('#code .stops').length") == 1, "x sets no breakpoint on the line that ↓ has chosen")
    keyboard.press("x", "v")


def predicts(browser, keyboard):
    keyboard.press(Keys.HOME)
    keyboard.to("predict")
    keyboard.press(Keys.SPACE)
    keyboard.to("play")
    for _ in range(60):
        if browser.script("return !document.getElementById('question').hidden"):
            break
        keyboard.press(Keys.ARROW_RIGHT)
    browser.expect(browser.script("return document.activeElement.closest('#question') !== null"), "the question does not have the focus")
    keyboard.press(Keys.TAB, Keys.ENTER)
    browser.expect(browser.script("return document.getElementById('question').getAttribute('aria-live') === 'polite' && document.getElementById('question').querySelector('.why') !== null"), "the answer is not told")
    keyboard.to("predict")
    keyboard.press(Keys.SPACE)


def breaks(browser, keyboard):
    keyboard.to("broken")
    keyboard.press(Keys.ARROW_DOWN)
    browser.expect(browser.script("return edition.play.breaks.number") > 0, "the menu of the broken lines does not change with ↓")
    keyboard.press(Keys.ESCAPE)
    browser.expect(browser.script("return document.activeElement.id") == "play", "Esc does not lead from the menu of the broken lines to the player")
    keyboard.press("?")
    browser.expect(browser.script("return document.getElementById('play-keys').open"), "? does not show the keys")
    keyboard.press("?")
    keyboard.to("game")
    keyboard.press(Keys.ENTER)
    browser.expect(browser.script("return document.activeElement.id") == "riddle", "the question of the game does not have the focus")
    steps = browser.script("return edition.play.breaks.breaks.get(edition.play.breaks.number).steps")
    keyboard.press(*[Keys.TAB] * (steps[0] or 11), Keys.ENTER)
    browser.expect(browser.script("return edition.play.breaks.stepFound && document.activeElement.id === 'riddle'"), f"with Tab and Enter the step {steps[0]} is not found")
    browser.until("edition.play.breaks.suspect && document.querySelector('#code pre')")
    its = browser.script("const { path, line } = edition.play.breaks.breaks.get(edition.play.breaks.number); return [path, line]")
    keyboard.press("!")
    browser.expect(browser.script("return document.getElementById('answer').textContent && document.getElementById('answer').getAttribute('role') === 'status'"), "an accusation has no answer")
    for _ in range(400):
        if browser.script("return edition.play.breaks.suspect?.path") == its[0]:
            break
        keyboard.press(*[Keys.ARROW_RIGHT] * 10)
    browser.until("document.querySelector('#code .suspect')")
    away = its[1] - browser.script("return edition.play.breaks.suspect.line")
    keyboard.press(*[Keys.ARROW_DOWN if away > 0 else Keys.ARROW_UP] * abs(away), "!")
    browser.expect(browser.script("return edition.play.breaks.found"), f"with ↓ and ! the line {its} is not found")
    keyboard.to("again")
    keyboard.press(Keys.ENTER)
    for _ in range(2):  # the step, then the line
        keyboard.to("solve")
        keyboard.press(Keys.ENTER)
    browser.expect(browser.script("return document.activeElement.id") == "riddle", "what the answer of the game shows does not have the focus")
    keyboard.to("broken")
    keyboard.press(Keys.HOME)


def frame(browser, keyboard):
    browser.script("document.querySelector('#embed summary').id = 'summary-of-embed'")
    keyboard.to("summary-of-embed")
    keyboard.press(Keys.ENTER)
    browser.until("document.getElementById('snippet').value.startsWith('<iframe')")
    keyboard.to("snippet")


def opens_pages(browser, keyboard):
    """Enter in the search opens the page of an item, a claim or a difference; the folded parts of a card open; on a phone, so does the menu."""
    for name, end in (("0.22", "/items/0.22.html"), ("T1", "/claims.html#T1"), ("D4", "/differences.html#D4")):
        browser.open("en/play.html")
        browser.ready("0")
        keyboard.press("/", name)
        browser.until("document.querySelector('#results li')")
        keyboard.press(Keys.ENTER)
        browser.until(f"location.href.endsWith({end!r})")
    browser.open("en/name.html#CFRunLoopWakeUp")
    browser.until("document.querySelector('.card .part')")
    browser.expect(browser.script("return document.querySelector('.card').offsetHeight") < 700, "a card does not fold what follows its first sentences")
    browser.script("document.querySelector('.card .part summary').id = 'first-part'")
    keyboard.to("first-part")
    keyboard.press(Keys.ENTER)
    browser.expect(browser.script("return document.querySelector('.card .part').open"), "Enter does not unfold a part of a card")
    browser.look(390, 844)
    browser.open("zh/index.html")
    keyboard.to("menu")
    keyboard.press(Keys.ENTER, Keys.TAB)
    browser.expect(browser.script("return document.activeElement.closest('#pages') !== null && document.getElementById('menu').ariaExpanded === 'true'"), "the menu of a phone does not open with Enter")
