"""axe finds nothing on each kind of page: light and dark, English on a wide window and Chinese on a phone. Targets have at least 24 pixels."""

import sys
from pathlib import Path

from ..pages.front import PASTES
from .browser import Browser, kinds

RULES = {"light": {"type": "tag", "values": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]},
         # The theme changes colours alone.
         "dark": {"type": "rule", "values": ["color-contrast", "link-in-text-block"]}}
# axe sees the first rows of a list or a table, and the first blocks of a page. The others have the same form, and axe needs a minute for a list of 4000 names.
THIN = """
const thin = (places, most) => { for (const place of document.querySelectorAll(places)) while (place.children.length > most) place.lastElementChild.remove(); };
thin('main :is(ul, ol, dl, tbody)', 8);
thin('main, main :is(section, article, div)', 60);
"""
PASTED = ["crash.txt", "print-addresses.txt", "print-timer.txt", "listing-stays.txt"]
# What is in the frame of a chapter is a page of its own, whose kind is checked as well.
RUN = """
const [rules, done] = arguments;
axe.run(document, { runOnly: rules, preload: false, resultTypes: ['violations'], iframes: false }).then(
    results => done(results.violations.map(rule => [rule.id, rule.help, rule.nodes.length, rule.nodes[0].html.slice(0, 160), rule.nodes[0].any[0]?.message ?? ''])),
    error => done([['axe', String(error), 1, '', '']]));
"""


def check(site):
    axe = next(Path(sys.prefix).glob("lib/python*/site-packages/axe_playwright_python/axe.min.js")).read_text(encoding="utf-8")
    pages, misses = kinds(site), []
    with Browser(site) as browser:
        for language, width in (("en", 1440), ("zh", 390)):
            for page in [*pages, *PASTED]:
                browser.look(width, theme="light")
                browser.open(f"{language}/{page if page in pages else 'index.html'}")
                if page in PASTED:
                    browser.page += f" with {page}"
                    browser.enter((PASTES / page).read_text(encoding="utf-8"))
                    browser.expect(browser.until("document.querySelector('#card .reading')", 60), "the text is not explained")
                browser.script(axe)
                browser.script(THIN)
                for theme in ("light", "dark"):
                    browser.look(width, theme=theme)
                    for rule, help_text, count, element, message in browser.wait_for(RUN, RULES[theme]):
                        misses.append(f"{language}/{page} ({width} px, {theme}): {rule}: {help_text}: {element}{' and %d more' % (count - 1) if count > 1 else ''} {message}")
        browser.collect()
        return f"{len(pages)} kinds of page, light and dark, wide in English and narrow in Chinese", misses + browser.misses
