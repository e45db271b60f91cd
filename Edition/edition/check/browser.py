"""Headless Chromium, and what every part checks on every page: no script error, and no request that leaves the machine."""

import json
import shutil
from urllib.parse import quote

from selenium import webdriver
from selenium.webdriver import ActionChains
from selenium.webdriver.chrome.service import Service

LOCAL = ("file:", "data:", "blob:", "about:", "chrome:", "devtools:", "http://127.0.0.1", "http://localhost", "http://[::1]")
SWITCHES = ["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--hide-scrollbars", "--force-device-scale-factor=1",
            "--disable-background-networking", "--disable-component-update", "--disable-default-apps", "--no-first-run", "--disable-extensions",
            # Names are typed, and moments stepped, faster than a browser lets a page change its address.
            "--disable-ipc-flooding-protection"]


READY = """
const done = arguments[arguments.length - 1], $ = id => document.getElementById(id), all = selector => [...document.querySelectorAll(selector)];
(function look() { document.body?.dataset.ready ? setTimeout(() => done(%s), 50) : setTimeout(look, 50); })();
"""
UNTIL = "(function look() { if (%s) done(true); else if (performance.now() - start > most) done(false); else setTimeout(look, 10); })();"


class Browser:
    """A browser with a page of the site."""

    def __init__(self, site):
        options = webdriver.ChromeOptions()
        for switch in SWITCHES:
            options.add_argument(switch)
        options.binary_location = shutil.which("chromium")
        options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
        self.driver = webdriver.Chrome(service=Service(shutil.which("chromedriver")), options=options)
        self.driver.set_script_timeout(170)
        self.driver.set_page_load_timeout(60)
        self.site, self.misses, self.page = site, [], ""

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.driver.quit()

    def look(self, width=1440, height=900, theme="light"):
        """The size of the window, and whether the reader prefers dark pages."""
        self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [{"name": "prefers-color-scheme", "value": theme},
                                                                                {"name": "prefers-reduced-motion", "value": "reduce"}]})
        self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 500})

    def open(self, page):
        """Opens a page such as en/name.html#CFRunLoopWakeUp, and waits until its scripts have settled."""
        path, _, fragment = page.partition("#")
        self.go(f"{(self.site / path).as_uri()}{'#' + quote(fragment, safe='/.:') if fragment else ''}", page)
        self.settle()

    def go(self, address, page):
        """Opens an address, anew even if only its fragment differs; `page` is its name in messages."""
        self.collect()
        self.driver.get("about:blank")
        self.page = page
        self.driver.get(address)

    def settle(self):
        """Until the scripts of the page have done what they do at first."""
        self.driver.execute_async_script("""
            const done = arguments[0];
            const waits = [...(window.edition?.arrivals.values() ?? [])].map(arrival => arrival.promise);
            Promise.race([Promise.allSettled(waits), new Promise(late => setTimeout(late, 5000))])
                .then(() => setTimeout(() => requestAnimationFrame(() => requestAnimationFrame(done)), 30));""")

    def script(self, text, *arguments):
        return self.driver.execute_script(text, *arguments)

    def wait_for(self, text, *arguments):
        """Runs a script that ends by calling its last argument."""
        return self.driver.execute_async_script(text, *arguments)

    def ready(self, script, *arguments):
        """What an expression has when the page says that it is ready. Its `$` finds an element by its id, `all` the elements that fit."""
        return self.wait_for(READY % script, *arguments)

    def until(self, condition, seconds=3):
        """Whether an expression becomes true in time."""
        return self.wait_for(f"const [most, done] = arguments, start = performance.now(); {UNTIL % condition}", seconds * 1000)

    def enter(self, text):
        """Puts a text into the search box."""
        self.script("const box = document.getElementById('query'); box.focus(); box.value = arguments[0]; box.dispatchEvent(new Event('input', { bubbles: true }))", text)

    def press(self, *keys):
        for key in keys:
            ActionChains(self.driver).send_keys(key).perform()

    def click(self, selector):
        self.driver.find_element("css selector", selector).click()

    def expect(self, holds, text):
        """Notes a miss unless something holds. Returns whether it does."""
        if not holds:
            self.miss(text)
        return bool(holds)

    def collect(self):
        """Notes script errors and requests since the last call."""
        for entry in self.driver.get_log("browser"):
            if entry["level"] in ("SEVERE", "WARNING"):
                self.miss(f"{entry['source']}: {entry['message']}")
        for entry in self.driver.get_log("performance"):
            message = json.loads(entry["message"])["message"]
            if message["method"] == "Network.requestWillBeSent":
                address = message["params"]["request"]["url"]
                if not address.startswith(LOCAL):
                    self.miss(f"a request leaves the machine: {address}")

    def miss(self, text):
        line = f"{self.page}: {text}"
        if line not in self.misses:
            self.misses.append(line)


def kinds(site):
    """One page of each kind, without its language: the pages at the top, and one of each folder."""
    pages = sorted(str(path.relative_to(site / "en")) for path in (site / "en").rglob("*.html"))
    found, folders = [], set()
    preferred = {"src": "src/Sources/CRunLoop/CFRunLoopBlocks.c.html", "articles": "articles/1.html", "items": "items/0.18.html"}
    for page in pages:
        folder = page.split("/")[0] if "/" in page else None
        if folder is None or page == f"{folder}/index.html":
            found.append(page)
        elif folder not in folders:
            folders.add(folder)
            found.append(preferred[folder] if preferred.get(folder) in pages else page)
    return found + ["index.html#CFRunLoopWakeUp", "name.html#CFRunLoopWakeUp", "name.html#scheduledTimer(timeInterval:target:action:userInfo:repeats:)", "src/Sources/CRunLoop/CFRunLoop.c.html#step-7"]
