"""Screenshots of each kind of page, 1440 and 390 pixels wide; and no page is wider than the phone."""

import re
import shutil

from .browser import Browser, kinds

LOOKS = [("en", 1440, 900, "light"), ("en", 390, 844, "light"), ("zh", 1440, 900, "dark"), ("zh", 390, 844, "dark")]


def take(site, folder):
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    pages, count = kinds(site), 0
    with Browser(site) as browser:
        for language, width, height, theme in LOOKS:
            browser.look(width, height, theme)
            for page in pages:
                browser.open(f"{language}/{page}")
                browser.driver.save_screenshot(str(folder / f"{re.sub(r'[^A-Za-z0-9.-]+', '_', page.replace('.html', ''))}.{language}.{width}.{theme}.png"))
                count += 1
                wide = browser.script("return document.scrollingElement.scrollWidth")
                if wide > width:
                    widest = browser.script("""
                        return [...document.querySelectorAll('main *')].filter(element => element.getBoundingClientRect().right > innerWidth + 1
                            && ![...function* (at) { while (at = at.parentElement) yield at; }(element)].some(at => getComputedStyle(at).overflowX !== 'visible'))
                            .map(element => element.outerHTML.slice(0, 120))[0] ?? ''""")
                    browser.miss(f"the page is {wide} pixels wide where the window has {width}: {widest}")
        browser.collect()
        return f"{count} pictures in .build/edition/shots", browser.misses
