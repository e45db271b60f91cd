"""The edition below a path of a server, as a code host publishes it: the page at the top leads to the reader's language, and from every kind of page a link leads to an
item, a card, and a program at its moment. Everything that a page loads is below that path."""

import functools
import http.server
import re
import tempfile
import threading
from pathlib import Path

from .. import play
from .browser import Browser, kinds

BELOW = "project"  # of a site for a project: https://OWNER.github.io/project/
LINE = 3  # of the log of the program
#: What each address shows, and the script that says whether it is shown.
ITEM, CARD = "0.15", "CFRunLoopWakeUp"
SHOWN = {
    "item": f"location.pathname.endsWith('/items/{ITEM}.html') && document.querySelector('.verdict')",
    "card": f"document.querySelector('#name .card, #card .card')?.dataset.name === '{CARD}'",
    "program": f"document.body?.dataset.ready && edition.play.run?.lines.length && edition.play.at === edition.play.momentOfLine({LINE}) && document.getElementById('log').textContent",
}


def check(site):
    program = play.examples("en")[6]["text"]
    links = {"item": f"items/{ITEM}.html", "card": f"name.html#{CARD}", "program": play.address(program, line=LINE)}
    if not (site / "play.js").is_file():
        del links["program"]
    with Published(site) as published, Browser(site) as browser:
        start(browser, published, links)
        without_scripts(browser, published)
        from_every_page(browser, published, links)
        browser.collect()
        hidden = [f"{path.relative_to(site)}: what publishes the site leaves hidden files out" for path in site.rglob(".*")]
        return f"below a path: the page at the top, and {', '.join(links)} from {len(kinds(site))} kinds of page", browser.misses + published.misses + hidden


class Published:
    """A server that has the site below a path and nothing else."""

    def __init__(self, site):
        self.site, self.misses = site, []
        self.folder = tempfile.TemporaryDirectory()
        (Path(self.folder.name) / BELOW).symlink_to(site)
        published = self

        class Handler(http.server.SimpleHTTPRequestHandler):
            def send_error(self, code, *arguments):
                published.misses.append(f"the server is asked for {self.path}, and has {code}")
                super().send_error(code, *arguments)

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Handler, directory=self.folder.name))
        self.top = f"http://127.0.0.1:{self.server.server_port}/{BELOW}/"

    def __enter__(self):
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_):
        self.server.shutdown()
        self.server.server_close()
        self.folder.cleanup()


def languages(browser, wanted):
    """What the reader's browser prefers."""
    agent = browser.script("return navigator.userAgent")
    browser.driver.execute_cdp_cmd("Emulation.setUserAgentOverride", {"userAgent": agent, "acceptLanguage": wanted})


def start(browser, published, links):
    """The page at the top leads to the reader's language and passes on what is asked for. The choice of a language is kept."""
    def leads(fragment, where, shown, why):
        browser.go(published.top + fragment, f"index.html{fragment} ({why})")
        if browser.expect(browser.until(f"location.href.startsWith('{published.top}{where}')", 10), f"it does not lead to {where}, but to {browser.driver.current_url}"):
            browser.expect(browser.until(f"!!({SHOWN[shown]})" if shown else "document.querySelector('.pass')", 10), f"the page {where} does not show the {shown or 'picture'}")

    for wanted, language in [("zh-CN,zh,en", "zh"), ("en-GB,en", "en"), ("fr-FR,zh-TW,en", "zh"), ("fr-FR", "en")]:
        languages(browser, wanted)
        leads("", f"{language}/index.html", None, wanted)
        leads(f"#{ITEM}", f"{language}/items/{ITEM}.html", "item", wanted)
        leads(f"#{CARD}", f"{language}/index.html#{CARD}", "card", wanted)
        if "program" in links:
            leads(f"#{links['program'].partition('#')[2]}", f"{language}/play.html#program=", "program", wanted)
    languages(browser, "en-GB,en")
    leads("", "en/index.html", None, "before a choice")
    browser.click("#language")
    browser.settle()
    leads("", "zh/index.html", None, "after the choice of Chinese")
    browser.click("#language")
    browser.settle()
    leads("", "en/index.html", None, "after the choice of English")


def without_scripts(browser, published):
    """Without scripts, the page at the top is a list whose links lead to pages."""
    browser.driver.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": True})
    browser.go(published.top, "index.html without scripts")
    links = [link.get_attribute("href") for link in browser.driver.find_elements("css selector", "main a")]
    for language in ("en", "zh"):
        browser.expect(sum(link.startswith(f"{published.top}{language}/") for link in links) >= 8, f"it has few links to {language}: {links}")
    for link in links:
        browser.driver.get(link)
        browser.expect(browser.driver.find_elements("css selector", "main h1, main .rail, main .code"), f"the link {link} leads to no page")
    browser.driver.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": False})


def from_every_page(browser, published, links):
    """A reader follows a link in a page. Both languages have the same scripts, so in Chinese the pages that show such a link themselves are enough."""
    for language, pages in [("en", kinds(published.site)), ("zh", ["index.html", "name.html", "play.html", "items/0.18.html"])]:
        for page in pages:
            for kind, link in links.items():
                browser.go(f"{published.top}{language}/{page}", f"{language}/{page} to {link[:60]}")
                browser.settle()
                browser.script("""
                    const link = document.createElement('a');
                    link.href = edition.base + arguments[0];
                    document.querySelector('main').append(link);
                    link.click();""", link)
                browser.expect(browser.until(f"!!({SHOWN[kind]})", 10), f"the link does not show the {kind}")
                if kind != "item":
                    browser.expect(re.search(r"#.+", browser.driver.current_url), f"the address of the {kind} does not name it")
