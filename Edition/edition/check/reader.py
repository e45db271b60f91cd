"""What a reader does: the card beside the code stays while the pointer goes to it, the code has its 100 columns, every page has the search, the
first page leads to the steps, and the switch of the language keeps the place."""

from selenium.webdriver import ActionChains, Keys

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
const line = code.querySelector('.l:nth-child(1)'), pad = parseFloat(getComputedStyle(line).paddingRight);
const numbers = parseFloat(getComputedStyle(line, '::before').width) * 1.5;
return { columns: Math.floor((box.width - numbers) / (hundred.width / 100)), statements: !!original.offsetWidth && original.getBoundingClientRect().left >= box.right,
         card: notes.width > 200 && notes.left >= box.right - 1 && notes.right <= innerWidth, wide: document.scrollingElement.scrollWidth };
"""
CARD = "return document.querySelector('#notes .card')?.dataset.name ?? ''"
HOVERED = "__CFRunLoopServiceMachPort"


def check(site):
    with Browser(site) as browser:
        checks = [columns, card, keyboard, used_at, search, first_page, switch, item, corrected, head]
        for part in checks:
            part(browser, site)
        browser.collect()
        return f"columns at {', '.join(map(str, WIDTHS))} px, the card, the keyboard, used at, the search of {len(kinds(site))} pages, the first page, the switch of the language, the pages of items, their corrections, the head", browser.misses


def columns(browser, site):
    for width in WIDTHS:
        browser.look(width, 768)
        browser.open(f"en/{CODE}#step-7")
        seen = browser.script(LOOK)
        if seen["columns"] < 100:
            browser.miss(f"the code has {seen['columns']} columns in a window of {width} pixels")
        if not seen["statements"]:
            browser.miss(f"the original's statements are not beside the code in a window of {width} pixels")
        if not seen["card"]:
            browser.miss(f"the card is not beside the code in a window of {width} pixels")
        if seen["wide"] > width:
            browser.miss(f"the page is {seen['wide']} pixels wide in a window of {width}")


def wait(browser, condition, seconds=3):
    """Whether a script's value becomes true in time."""
    return browser.wait_for("""
        const [condition, most, done] = arguments, start = performance.now(), holds = new Function(condition);
        (function look() {
            if (holds()) done(true);
            else if (performance.now() - start > most) done(false);
            else setTimeout(look, 10);
        })();""", condition, seconds * 1000)


def name(browser, text):
    """A name in the code, in the middle of the window."""
    element = browser.script("const found = [...document.querySelectorAll('.code a:not(.step)')].find(name => name.textContent === arguments[0] && !name.classList.contains('d')"
                             " && !name.closest('.c')); found.scrollIntoView({ block: 'center', behavior: 'instant' }); return found", text)
    return element


def card(browser, site):
    """The pointer goes from a name to its card in steps, over other names; the card is still there, can be clicked, and a pin keeps it."""
    for width in (1366, 1920):
        browser.look(width, 768)
        browser.open(f"en/{CODE}#step-7")
        wait(browser, "return document.body.dataset.ready")
        element = name(browser, HOVERED)
        ActionChains(browser.driver).move_to_element(element).pause(.3).perform()
        if not wait(browser, f"return document.querySelector('#notes .card')?.dataset.name === '{HOVERED}'"):
            browser.miss(f"the card of {HOVERED} does not appear ({width} px)")
            continue
        start, end = browser.script("""
            const middle = element => { const box = element.getBoundingClientRect(); return [box.left + box.width / 2, Math.min(box.top + 60, innerHeight - 20)]; };
            return [middle(arguments[0]), middle(document.querySelector('#notes .body'))];""", element)
        actions = ActionChains(browser.driver, duration=20)
        for step in range(1, 11):
            x, y = (int(a + (b - a) * step / 10) for a, b in zip(start, end))
            actions.w3c_actions.pointer_action.move_to_location(x, y)
        actions.pause(.9).perform()
        if (found := browser.script(CARD)) != HOVERED:
            browser.miss(f"on the pointer's way from the code to the card of {HOVERED}, the card of {found} takes its place ({width} px)")
        browser.driver.find_element("id", "pin").click()
        ActionChains(browser.driver).move_to_element(name(browser, "__CFRunLoopDoObservers")).pause(.5).perform()
        if browser.script(CARD) != HOVERED:
            browser.miss(f"a pinned card does not stay ({width} px)")
        ActionChains(browser.driver).send_keys(Keys.ESCAPE).perform()
        if browser.script("return document.getElementById('pin').getAttribute('aria-pressed')") != "false":
            browser.miss(f"Escape does not let a pinned card go ({width} px)")


def keyboard(browser, site):
    """A few stops lead to the code; n goes to a name, c to its card and back."""
    browser.look(1366, 768)
    browser.open(f"en/{CODE}")
    wait(browser, "return document.body.dataset.ready")
    browser.script("document.activeElement.blur()")
    stops = 0
    while stops < 40 and not browser.script("return document.activeElement.matches('.code, .code *')"):
        ActionChains(browser.driver).send_keys(Keys.TAB).perform()
        stops += 1
    if stops > 25:
        browser.miss(f"{stops} stops of the keyboard lead to the code")
    ActionChains(browser.driver).send_keys("n").perform()
    chosen = browser.script("return document.activeElement.matches('.code a[href]') ? document.activeElement.textContent : ''")
    if not chosen:
        browser.miss("the key n leads to no name")
    ActionChains(browser.driver).send_keys("n").send_keys(Keys.ARROW_RIGHT).send_keys(Keys.ARROW_DOWN).perform()
    chosen = browser.script("return document.activeElement.textContent")
    wait(browser, f"return document.querySelector('#notes .card')?.dataset.name === '{chosen}'", 1)
    ActionChains(browser.driver).send_keys("c").perform()
    if not browser.script("return document.getElementById('notes').contains(document.activeElement)"):
        browser.miss("the key c does not lead to the card")
    ActionChains(browser.driver).send_keys("p").perform()
    if browser.script("return document.getElementById('pin').getAttribute('aria-pressed')") != "true":
        browser.miss("the key p does not pin the card")
    ActionChains(browser.driver).send_keys("c").perform()
    if browser.script("return document.activeElement.textContent") != chosen:
        browser.miss(f"the key c does not lead back to {chosen}")


def used_at(browser, site):
    """The card of a function, of a field and of a constant says where it is used, and its lines have the name."""
    for wanted in ("__CFRunLoopServiceMachPort", "_commonModeItems", "kCFRunLoopBeforeWaiting"):
        browser.open(f"en/name.html#{wanted}")
        wait(browser, "return document.querySelector('#name .uses')")
        links = browser.script("return [...document.querySelectorAll('#name .uses a.place')].map(link => link.href)")
        if not links:
            browser.miss("the card does not say where the name is used")
            continue
        browser.open(f"en/src/{links[0].split('/en/src/')[1]}")
        if wanted not in browser.script("return document.querySelector('.l:target')?.textContent ?? ''"):
            browser.miss(f"the line of '{wanted}', used at {links[0].split('/src/')[1]}, does not have it")


def search(browser, site):
    """The same box on every page, and the same answers."""
    answers = {}
    for language, width in (("en", 1366), ("zh", 390)):
        browser.look(width, 768)
        for page in kinds(site):
            if page.startswith("index.html#"):
                continue
            browser.open(f"{language}/{page}")
            box = browser.script("const box = document.getElementById('query'); box.focus(); box.value = 'CFRunLoopWakeU'; box.dispatchEvent(new Event('input', { bubbles: true })); return box")
            if not box or not wait(browser, "return document.querySelector('#card .card')?.dataset.name === 'CFRunLoopWakeUp' && document.getElementById('card').offsetHeight"):
                browser.miss("the search does not find CFRunLoopWakeUp")
                continue
            answers.setdefault(language, {})[page] = browser.script("return [...document.querySelectorAll('#results a')].map(link => link.textContent).join('|')")
            browser.script("document.getElementById('query').dispatchEvent(new KeyboardEvent('keydown', { key: 'Escape', bubbles: true }))")
            if browser.script("return document.getElementById('query').value"):
                browser.miss("Escape does not clear the search box")
    for language, found in answers.items():
        if len(set(found.values())) > 1:
            browser.miss(f"the search does not have the same answers on all pages: {', '.join(found)}")
    browser.look(1366, 768)
    browser.open("zh/src/index.html")
    for query, wanted in [("观察者", "CFRunLoopObserverRef"), ("输入源", "CFRunLoopSourceRef"), ("公共模式", "kCFRunLoopCommonModes"), ("wake up", "CFRunLoopWakeUp"), ("[[NSRunLoop currentRunLoop] run]", "run")]:
        browser.script("const box = document.getElementById('query'); box.value = arguments[0]; box.dispatchEvent(new Event('input', { bubbles: true }))", query)
        if not wait(browser, f"return [...document.querySelectorAll('#results a code')].slice(0, 8).some(name => name.textContent === '{wanted}')"):
            browser.miss(f"the search for {query} does not find {wanted}")
    browser.script("const box = document.getElementById('query'); box.value = 'GSEventRunModal'; box.dispatchEvent(new Event('input', { bubbles: true }))")
    if not wait(browser, "return document.querySelector('#card .reading, #card .card')?.textContent.includes('GSEventRunModal')"):
        browser.miss("the search does not explain the frame GSEventRunModal")


def first_page(browser, site):
    """The picture's steps lead to their lines."""
    for language in ("en", "zh"):
        browser.open(f"{language}/index.html")
        links = browser.script("return [...document.querySelectorAll('.pass a')].map(link => link.getAttribute('href'))")
        if [link.rpartition("#")[2] for link in links] != [f"step-{number}" for number in range(1, 11)]:
            browser.miss(f"the picture's links are {links}")
        if not browser.script("return document.querySelectorAll('.first li').length >= 4 && document.querySelectorAll('.first a').length >= 3"):
            browser.miss("the first page does not say how to begin")
    browser.script("document.querySelectorAll('.pass a')[6].dispatchEvent(new MouseEvent('click', { bubbles: true, cancelable: true }))")
    wait(browser, "return location.href.endsWith('#step-7') && document.body.dataset.ready")
    if not browser.script("const top = document.getElementById('step-7')?.getBoundingClientRect().top; return top > 0 && top < innerHeight"):
        browser.miss("step 7 of the picture does not lead to its line")


def switch(browser, site):
    """The switch of the language keeps the place, also where the address does not name it."""
    line = "return [...document.querySelectorAll('.code .l')].find(row => row.getBoundingClientRect().top > 60)?.id"
    browser.look()
    browser.open("en/src/Sources/CRunLoop/CFRunLoop.c.html")
    browser.script("document.getElementById('L200').scrollIntoView({ behavior: 'instant' })")
    before = browser.script(line)
    browser.driver.find_element("id", "language").click()
    browser.settle()
    after = browser.script(line)
    if before != after:
        browser.miss(f"the switch to Chinese leads from {before} to {after}")
    stack = "#0 __CFRunLoopRun\n#1 CFRunLoopRunSpecific"
    browser.open("en/index.html")
    browser.script("const box = document.getElementById('query'); box.value = arguments[0]; box.dispatchEvent(new Event('input', { bubbles: true }))", stack)
    browser.driver.find_element("id", "language").click()
    browser.settle()
    if browser.script("return document.getElementById('query').value") != stack:
        browser.miss("the switch to Chinese loses a pasted stack")


ITEM = """
const text = selector => document.querySelector(selector)?.textContent ?? '';
const code = [...document.querySelectorAll('.code[data-first]')], said = document.querySelector('.said').getBoundingClientRect();
return { lines: code.map(part => part.querySelectorAll('.l').length - (part.dataset.last - part.dataset.first + 1)), number: text('.code .n'), first: code[0]?.dataset.first,
         isBeside: !!code.length && code[0].getBoundingClientRect().left >= said.right, says: text('#says + p'), verdict: text('.verdict'), frames: [...document.querySelectorAll('.frames li')].map(frame => frame.textContent),
         transcript: text('.transcript'), picture: [...document.querySelectorAll('figure img')].every(picture => picture.naturalWidth > 100), figures: document.querySelectorAll('figure img').length,
         play: document.querySelector('a.play')?.getAttribute('href') ?? '', wide: document.scrollingElement.scrollWidth };
"""


def item(browser, site):
    """An item has what the article says beside our program, the transcript with times and wake-ups, and what else belongs to it."""
    for language, wakes in [("en", "Who wakes whom"), ("zh", "谁唤醒谁")]:
        for id in ["0.18", "0.36", "0.20", "4.19"]:
            for width in [1440, 390]:
                browser.look(width, 900)
                browser.open(f"{language}/items/{id}.html")
                seen = browser.script(ITEM)
                if not seen["says"] or not seen["verdict"]:
                    browser.miss("what the article says, or the verdict, is missing")
                if seen["wide"] > width:
                    browser.miss(f"the page is {seen['wide']} pixels wide where the window has {width}")
                if id in ("0.18", "0.36"):
                    if any(seen["lines"]) or seen["number"] != seen["first"]:
                        browser.miss(f"the code does not have the lines that it should: {seen['lines']}, line {seen['number']} for {seen['first']}")
                    if width == 1440 and not seen["isBeside"]:
                        browser.miss("the program does not stand beside what the article says")
                    if wakes not in seen["transcript"] or "0.0" not in seen["transcript"]:
                        browser.miss("the transcript has no times, or does not say who wakes whom")
                    if not seen["figures"] or not seen["picture"]:
                        browser.miss("the figure is missing")
                if id == "0.18" and (seen["frames"][:1] != ["ViewController.wantTodo"] or "__CFRunLoopRun" not in seen["frames"]):
                    browser.miss(f"the stack is not that of the break point: {seen['frames']}")
                if id == "0.36" and "play.html#program=source+touches+in+tracking" not in seen["play"]:
                    browser.miss(f"the program that plays is not that of the item: {seen['play']}")


def corrected(browser, site):
    """An item leads to its corrections, and each correction to its items. No heading of an item is empty, and what an item's text names are links."""
    for language, document, table in [("en", "ANNOTATIONS.md", "corrections.html#10"), ("zh", "ANNOTATIONS.zh.md", "corrections.html#10")]:
        browser.look(1366, 768)
        browser.open(f"{language}/items/2.8.html")
        here, links = browser.script("return [document.querySelector('dl.here').textContent, [...document.querySelectorAll('.said a')].map(link => link.getAttribute('href'))]")
        if document not in here:
            browser.miss(f"what it is shown in is not {document}: {here}")
        for address in (f"../{table}", "1.10.html"):
            if not any(link.endswith(address.removeprefix("../")) for link in links):
                browser.miss(f"no link leads to {address}: {links}")
        for id in ("3.2", "4.19", "2.26", "1.8"):
            browser.open(f"{language}/items/{id}.html")
            if empty := browser.script("return [...document.querySelectorAll('.said h2')].filter(head => !head.nextElementSibling?.textContent.trim()).map(head => head.textContent)"):
                browser.miss(f"nothing stands below {empty}")
        browser.open(f"{language}/corrections.html")
        alone = browser.script("return [...document.querySelectorAll('article.correction')].filter(row => !row.querySelector('a[href*=\"items/\"]')).map(row => row.id)")
        if alone or browser.script("return document.querySelectorAll('article.correction').length") < 45:
            browser.miss(f"the corrections {alone} lead to no item")


def head(browser, site):
    """From 1,280 pixels on the names of all pages are seen, and on a phone the search has a row of its own."""
    for language in ("en", "zh"):
        for width in (1280, 1366, 1440, 1720, 1920):
            browser.look(width, 768)
            browser.open(f"{language}/items/2.8.html")
            hidden = browser.script("const pages = document.querySelector('header nav'); return pages.scrollWidth - pages.clientWidth")
            if hidden > 0:
                browser.miss(f"{hidden} pixels of the names of pages are hidden in a window of {width}")
        browser.look(390, 844)
        browser.open(f"{language}/items/2.8.html")
        box, height = browser.script("return [document.querySelector('header .box').getBoundingClientRect().width, document.querySelector('header').offsetHeight]")
        if box < 340 or height > 120:
            browser.miss(f"the search is {box:.0f} pixels wide, and the head {height} high")
