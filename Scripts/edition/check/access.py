"""axe finds nothing on each kind of page: light and dark, English and Chinese."""

import sys
from pathlib import Path

from .browser import Browser, kinds

RULES = {"light": {"type": "tag", "values": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "best-practice"]},
         # The theme changes colours alone.
         "dark": {"type": "rule", "values": ["color-contrast", "link-in-text-block"]}}
RUN = """
const [rules, done] = arguments;
axe.run(document, { runOnly: rules, preload: false, resultTypes: ['violations'] }).then(
    results => done(results.violations.map(rule => [rule.id, rule.help, rule.nodes.length, rule.nodes[0].html.slice(0, 160), rule.nodes[0].any[0]?.message ?? ''])),
    error => done([['axe', String(error), 1, '', '']]));
"""


def check(site):
    axe = next(Path(sys.prefix).glob("lib/python*/site-packages/axe_playwright_python/axe.min.js")).read_text(encoding="utf-8")
    pages, misses = kinds(site), []
    with Browser(site) as browser:
        for language in ("en", "zh"):
            for page in pages:
                browser.look(theme="light")
                browser.open(f"{language}/{page}")
                browser.script(axe)
                for theme in ("light", "dark"):
                    browser.look(theme=theme)
                    for rule, help_text, count, element, message in browser.wait_for(RUN, RULES[theme]):
                        misses.append(f"{language}/{page} ({theme}): {rule}: {help_text}: {element}{' and %d more' % (count - 1) if count > 1 else ''} {message}")
        browser.collect()
        return f"{len(pages)} kinds of page, light and dark, in two languages", misses + browser.misses
