"""What a reader does: the card beside the code stays while the pointer goes to it, the code has its 100 columns, every page has the search, the
first page leads to the steps, and the switch of the language keeps the place."""

from selenium.webdriver import ActionChains, Keys

from .. import play
from .browser import Browser, kinds

CODE = "src/Sources/CRunLoop/CFRunLoop.c.html"
WIDTHS = [1280, 1366, 1440, 1728, 1920, 2560]
# What the reader sees of a source page: the columns of code, and whether the statements and the card are in the window.
LOOK = """
const code = document.querySelector('.code'), probe = document.createElement('span');
probe.textContent = '0'.repeat(100);
code.querySelector('.l').append(probe);
const hundred = probe.getBoundingClientRect();
probe.remove();
const box = code.getBoundingClientRect(), original = document.getElementById('original'), notes = document.getElementById('notes').getBoundingClientRect();
const numbers = parseFloat(getComputedStyle(code.querySelector('.l:nth-child(1)'), '::before').width) * 1.5;
return { columns: Math.floor((box.width - numbers) / (hundred.width / 100)), statements: !!original.offsetWidth && original.getBoundingClientRect().left >= box.right,
         card: notes.width > 200 && notes.left >= box.right - 1 && notes.right <= innerWidth, wide: document.scrollingElement.scrollWidth };
"""
SHOWN = "document.querySelector('#notes .card')?.dataset.name"
PINNED = "return document.getElementById('pin').getAttribute('aria-pressed')"
NAME = """
const found = [...document.querySelectorAll('.code a:not(.step)')].find(name => name.textContent === arguments[0] && !name.classList.contains('d') && !name.closest('.c'));
found.scrollIntoView({ block: 'center', behavior: 'instant' });
return found;
"""
HOVERED = "__CFRunLoopServiceMachPort"


def check(site):
    with Browser(site) as browser:
        for part in (columns, card, methods, keyboard, used_at, search, first_page, switch, item, corrected, head):
            part(browser)
        browser.collect()
        return f"columns at {', '.join(map(str, WIDTHS))} px, the card, the cards of methods, the keyboard, used at, the search of {len(kinds(site))} pages, the first page, the switch of the language, the pages of items, their corrections, the head", browser.misses


def columns(browser):
    for width in WIDTHS:
        browser.look(width, 768)
        browser.open(f"en/{CODE}#step-7")
        seen = browser.script(LOOK)
        browser.expect(seen["columns"] >= 100, f"the code has {seen['columns']} columns in a window of {width} pixels")
        browser.expect(seen["statements"], f"the original's statements are not beside the code in a window of {width} pixels")
        browser.expect(seen["card"], f"the card is not beside the code in a window of {width} pixels")
        browser.expect(seen["wide"] <= width, f"the page is {seen['wide']} pixels wide in a window of {width}")


def card(browser):
    """The pointer goes from a name to its card in steps, over other names; the card is still there, can be clicked, and a pin keeps it."""
    for width in (1366, 1920):
        browser.look(width, 768)
        browser.open(f"en/{CODE}#step-7")
        browser.until("document.body.dataset.ready")
        name = browser.script(NAME, HOVERED)
        ActionChains(browser.driver).move_to_element(name).pause(.3).perform()
        if not browser.expect(browser.until(f"{SHOWN} === '{HOVERED}'"), f"the card of {HOVERED} does not appear ({width} px)"):
            continue
        start, end = browser.script("""
            const middle = element => { const box = element.getBoundingClientRect(); return [box.left + box.width / 2, Math.min(box.top + 60, innerHeight - 20)]; };
            return [middle(arguments[0]), middle(document.querySelector('#notes .body'))];""", name)
        actions = ActionChains(browser.driver, duration=20)
        for step in range(1, 11):
            x, y = (int(a + (b - a) * step / 10) for a, b in zip(start, end))
            actions.w3c_actions.pointer_action.move_to_location(x, y)
        actions.pause(.9).perform()
        found = browser.script(f"return {SHOWN}")
        browser.expect(found == HOVERED, f"on the pointer's way from the code to the card of {HOVERED}, the card of {found} takes its place ({width} px)")
        browser.click("#pin")
        ActionChains(browser.driver).move_to_element(browser.script(NAME, "__CFRunLoopDoObservers")).pause(.5).perform()
        browser.expect(browser.script(f"return {SHOWN}") == HOVERED, f"a pinned card does not stay ({width} px)")
        browser.press(Keys.ESCAPE)
        browser.expect(browser.script(PINNED) == "false", f"Escape does not let a pinned card go ({width} px)")


def methods(browser):
    """In Swift code a name has the card of the method to which it leads. In C code it has none that is about the Swift layer alone."""
    browser.look(1366, 768)
    for path, name, wanted in [("SwiftRunLoop/RunLoop.swift", "stop", "stop()"), ("CRunLoop/CFRunLoopTimer.c", "file", None)]:
        browser.open(f"en/src/Sources/{path}.html")
        browser.until("document.body.dataset.ready")
        link = browser.script("""
            const found = [...document.querySelectorAll('.code a:not(.step)')].find(link => link.textContent === arguments[0] && !link.closest('.c'));
            found.scrollIntoView({ block: 'center', behavior: 'instant' });
            return found;""", name)
        ActionChains(browser.driver).move_to_element(link).pause(.6).perform()
        found = browser.script(f"return {SHOWN}")
        browser.expect(found == wanted if wanted else found != name, f"the card of {name} is {found}")


def keyboard(browser):
    """A few stops lead to the code; n goes to a name, c to its card and back."""
    focused = "return document.activeElement.textContent"
    browser.look(1366, 768)
    browser.open(f"en/{CODE}")
    browser.until("document.body.dataset.ready")
    browser.script("document.activeElement.blur()")
    stops = 0
    while stops < 40 and not browser.script("return document.activeElement.matches('.code, .code *')"):
        browser.press(Keys.TAB)
        stops += 1
    browser.expect(stops <= 25, f"{stops} stops of the keyboard lead to the code")
    browser.press("n")
    browser.expect(browser.script("return document.activeElement.matches('.code a[href]') && document.activeElement.textContent"), "the key n leads to no name")
    browser.press("n", Keys.ARROW_RIGHT, Keys.ARROW_DOWN)
    chosen = browser.script(focused)
    browser.until(f"{SHOWN} === '{chosen}'", 1)
    browser.press("c")
    browser.expect(browser.script("return document.getElementById('notes').contains(document.activeElement)"), "the key c does not lead to the card")
    browser.press("p")
    browser.expect(browser.script(PINNED) == "true", "the key p does not pin the card")
    browser.press("c")
    browser.expect(browser.script(focused) == chosen, f"the key c does not lead back to {chosen}")


def used_at(browser):
    """The card of a function, of a field and of a constant says where it is used, and its lines have the name."""
    for wanted in ("__CFRunLoopServiceMachPort", "_commonModeItems", "kCFRunLoopBeforeWaiting"):
        browser.open(f"en/name.html#{wanted}")
        browser.until("document.querySelector('#name .uses')")
        links = browser.script("return [...document.querySelectorAll('#name .uses a.place')].map(link => link.href.split('/en/src/')[1])")
        if browser.expect(links, "the card does not say where the name is used"):
            browser.open(f"en/src/{links[0]}")
            browser.expect(wanted in browser.script("return document.querySelector('.l:target')?.textContent ?? ''"), f"the line of '{wanted}', used at {links[0]}, does not have it")


def search(browser):
    """The same box on every page but the one for frames, and the same answers."""
    for language, width in (("en", 1366), ("zh", 390)):
        answers = {}
        browser.look(width, 768)
        for page in kinds(browser.site):
            if page.startswith("index.html#") or page == play.ALONE:  # which has no search
                continue
            browser.open(f"{language}/{page}")
            browser.enter("CFRunLoopWakeU")
            found = browser.until("document.querySelector('#card .card')?.dataset.name === 'CFRunLoopWakeUp' && document.getElementById('card').offsetHeight")
            if browser.expect(found, "the search does not find CFRunLoopWakeUp"):
                answers[page] = browser.script("return [...document.querySelectorAll('#results a')].map(link => link.textContent).join('|')")
                browser.script("document.getElementById('query').dispatchEvent(new KeyboardEvent('keydown', { key: 'Escape', bubbles: true }))")
                browser.expect(not browser.script("return document.getElementById('query').value"), "Escape does not clear the search box")
        browser.expect(len(set(answers.values())) == 1, f"the search does not have the same answers on all pages: {', '.join(answers)}")
    browser.look(1366, 768)
    browser.open("zh/src/index.html")
    for query, wanted in [("观察者", "CFRunLoopObserverRef"), ("输入源", "CFRunLoopSourceRef"), ("公共模式", "kCFRunLoopCommonModes"), ("wake up", "CFRunLoopWakeUp"), ("[[NSRunLoop currentRunLoop] run]", "run"),
                          ("runsInAsyncMain", "runsInAsyncMain"), ("run(mode:before:)", "run(mode:before:)"), ("RunLoop.Source", "Source")]:
        browser.enter(query)
        found = browser.until(f"[...document.querySelectorAll('#results a code')].slice(0, 8).some(name => name.textContent === '{wanted}')")
        browser.expect(found, f"the search for {query} does not find {wanted}")
    browser.enter("GSEventRunModal")
    browser.expect(browser.until("document.querySelector('#card .reading, #card .card')?.textContent.includes('GSEventRunModal')"), "the search does not explain the frame GSEventRunModal")


def first_page(browser):
    """The picture's steps lead to their lines."""
    for language in ("en", "zh"):
        browser.open(f"{language}/index.html")
        links = browser.script("return [...document.querySelectorAll('.pass a')].map(link => link.getAttribute('href'))")
        browser.expect([link.rpartition("#")[2] for link in links] == [f"step-{number}" for number in range(1, 11)], f"the picture's links are {links}")
        browser.expect(browser.script("return document.querySelectorAll('.first li').length >= 4 && document.querySelectorAll('.first a').length >= 3"), "the first page does not say how to begin")
    browser.script("document.querySelectorAll('.pass a')[6].dispatchEvent(new MouseEvent('click', { bubbles: true, cancelable: true }))")
    browser.until("location.href.endsWith('#step-7') && document.body.dataset.ready")
    top = "document.getElementById('step-7')?.getBoundingClientRect().top"
    browser.expect(browser.script(f"return {top} > 0 && {top} < innerHeight"), "step 7 of the picture does not lead to its line")


def switch(browser):
    """The switch of the language keeps the place, also where the address does not name it."""
    line = "return [...document.querySelectorAll('.code .l')].find(row => row.getBoundingClientRect().top > 60)?.id"
    browser.look()
    browser.open(f"en/{CODE}")
    browser.script("document.getElementById('L200').scrollIntoView({ behavior: 'instant' })")
    before = browser.script(line)
    browser.click("#language")
    browser.settle()
    after = browser.script(line)
    browser.expect(before == after, f"the switch to Chinese leads from {before} to {after}")
    stack = "#0 __CFRunLoopRun\n#1 CFRunLoopRunSpecific"
    browser.open("en/index.html")
    browser.enter(stack)
    browser.click("#language")
    browser.settle()
    browser.expect(browser.script("return document.getElementById('query').value") == stack, "the switch to Chinese loses a pasted stack")


ITEM = """
const text = selector => document.querySelector(selector)?.textContent ?? '';
const code = [...document.querySelectorAll('.code[data-first]')], said = document.querySelector('.said').getBoundingClientRect();
return { lines: code.map(part => part.querySelectorAll('.l').length - (part.dataset.last - part.dataset.first + 1)), number: text('.code .n'), first: code[0]?.dataset.first,
         isBeside: !!code.length && code[0].getBoundingClientRect().left >= said.right, says: text('#says + p'), verdict: text('.verdict'), frames: [...document.querySelectorAll('.frames li')].map(frame => frame.textContent),
         transcript: text('.transcript'), picture: [...document.querySelectorAll('figure img')].every(picture => picture.naturalWidth > 100), figures: document.querySelectorAll('figure img').length,
         play: document.querySelector('a.play')?.getAttribute('href') ?? '', wide: document.scrollingElement.scrollWidth };
"""


def item(browser):
    """An item has what the article says beside our program, the transcript with times and wake-ups, and what else belongs to it."""
    for language, wakes in [("en", "Who wakes whom"), ("zh", "谁唤醒谁")]:
        for id in ["0.18", "0.36", "0.20", "4.19"]:
            for width in [1440, 390]:
                browser.look(width, 900)
                browser.open(f"{language}/items/{id}.html")
                seen = browser.script(ITEM)
                browser.expect(seen["says"] and seen["verdict"], "what the article says, or the verdict, is missing")
                browser.expect(seen["wide"] <= width, f"the page is {seen['wide']} pixels wide where the window has {width}")
                if id in ("0.18", "0.36"):
                    browser.expect(not any(seen["lines"]) and seen["number"] == seen["first"], f"the code does not have the lines that it should: {seen['lines']}, line {seen['number']} for {seen['first']}")
                    browser.expect(width != 1440 or seen["isBeside"], "the program does not stand beside what the article says")
                    browser.expect(wakes in seen["transcript"] and "0.0" in seen["transcript"], "the transcript has no times, or does not say who wakes whom")
                    browser.expect(seen["figures"] and seen["picture"], "the figure is missing")
                if id == "0.18":
                    browser.expect(seen["frames"][:1] == ["ViewController.wantTodo"] and "__CFRunLoopRun" in seen["frames"], f"the stack is not that of the break point: {seen['frames']}")
                if id == "0.36":
                    browser.expect("play.html#program=source+touches+in+tracking" in seen["play"], f"the program that plays is not that of the item: {seen['play']}")


def corrected(browser):
    """An item leads to its corrections and to its passage in the reading, and each correction to its items. No heading of an item is empty, and what an item's text names are links."""
    browser.look(1366, 768)
    for language, document in [("en", "ANNOTATIONS.md"), ("zh", "ANNOTATIONS.zh.md")]:
        browser.open(f"{language}/items/2.8.html")
        here, links = browser.script("return [document.querySelector('dl.here').textContent, [...document.querySelectorAll('.said a')].map(link => link.getAttribute('href'))]")
        browser.expect(document in here, f"what it is shown in is not {document}: {here}")
        for address in ("corrections.html#10", "1.10.html"):
            browser.expect(any(link.endswith(address) for link in links), f"no link leads to {address}: {links}")
        for id in ("3.2", "4.19", "2.26", "1.8"):
            browser.open(f"{language}/items/{id}.html")
            empty = browser.script("return [...document.querySelectorAll('.said h2')].filter(head => !head.nextElementSibling?.textContent.trim()).map(head => head.textContent)")
            browser.expect(not empty, f"nothing stands below {empty}")
            passage = browser.script("return document.querySelector('.way a[href*=\"Readings/\"]')?.getAttribute('href')")
            browser.expect(passage and passage.partition("#")[2], f"the item {id} does not lead to its passage in the reading: {passage}")
        browser.open(f"{language}/corrections.html")
        count, alone = browser.script("""
            const rows = [...document.querySelectorAll('article.correction')];
            return [rows.length, rows.filter(row => !row.querySelector('a[href*="items/"]')).map(row => row.id)];""")
        browser.expect(count >= 45 and not alone, f"of {count} corrections, {alone} lead to no item")


def head(browser):
    """From 1,280 pixels on the names of all pages are seen, and on a phone the search has a row of its own."""
    for language in ("en", "zh"):
        for width in (1280, 1366, 1440, 1720, 1920):
            browser.look(width, 768)
            browser.open(f"{language}/items/2.8.html")
            hidden = browser.script("const pages = document.querySelector('header nav'); return pages.scrollWidth - pages.clientWidth")
            browser.expect(hidden <= 0, f"{hidden} pixels of the names of pages are hidden in a window of {width}")
        browser.look(390, 844)
        browser.open(f"{language}/items/2.8.html")
        box, height = browser.script("return [document.querySelector('header .box').getBoundingClientRect().width, document.querySelector('header').offsetHeight]")
        browser.expect(box >= 340 and height <= 120, f"the search is {box:.0f} pixels wide, and the head {height} high")
