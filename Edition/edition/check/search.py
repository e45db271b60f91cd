"""Every name of the articles finds its card by typing it into the front page's box; and the box answers every phrase of readers as the index does in Python."""

import json
import random
import time

from facts import index, tables

from .browser import Browser

# Types each name, and waits for its card. The card must show the name.
TYPE_ALL = """
const [names, done] = arguments, box = document.getElementById('query'), card = document.getElementById('card');
const turn = () => new Promise(resolve => { const channel = new MessageChannel(); channel.port1.onmessage = resolve; channel.port2.postMessage(0); });
// The box waits for the next key. Here none comes, so each name would wait in vain.
const later = window.setTimeout;
window.setTimeout = (work, _, ...rest) => later(work, 0, ...rest);
(async () => {
    const misses = [];
    for (const name of names) {
        card.replaceChildren();
        box.value = name;
        const start = performance.now();
        box.dispatchEvent(new Event('input', { bubbles: true }));
        while (!card.textContent.includes(name) && performance.now() - start < 10000) await turn();
        if (!card.firstElementChild) misses.push([name, 'there is no card']);
        else if (!card.textContent.includes(name)) misses.push([name, `the card of ${card.querySelector('h1, h2, h3')?.textContent.trim().slice(0, 60)} came instead`]);
    }
    return misses;
})().then(done, error => done([['', String(error)]]));
"""


def check_phrases(browser):
    """The rule of the index is in JavaScript, too: it has to find what it finds in Python, and the box shows it first, as RunLoopLab explain does."""
    asked = [next(iter(row.values())) for table in ("reader-phrases", "answered-phrases", "unseen-phrases") for row in tables.rows(table)] + list(tables.article_names())
    found = browser.wait_for("""
        const [asked, done] = arguments;
        edition.search.prepare().then(() => {
            const index = makeIndex(edition.data.index), name = result => result?.card ?? result?.name;
            done(asked.map(text => { const found = index.answer(text).cards; return [found.length ? found : index.near(text), name(edition.search.find(text).results[0])]; }));
        });""", asked)
    for text, (here, first) in zip(asked, found):
        if here != (there := index.index().find(text) or index.index().near(text)):
            yield f"Edition/edition/static/index.js: {text}: finds {here[:3]}, where Facts/facts/index.py finds {there[:3]}"
        if first != there[0]:
            yield f"the search box: {text}: the first result is {first}, where RunLoopLab explain answers {there[0]}"


def check(site, seed):
    names = list(tables.article_names())
    with Browser(site) as browser:
        misses = []
        for language in ("en", "zh"):
            browser.open(f"{language}/index.html")
            misses += [f"Facts/names.tsv: {name}: {why} ({language}/index.html)" for name, why in browser.wait_for(TYPE_ALL, names)]
        misses += check_phrases(browser)
        chosen = random.Random(seed).sample(names, 10)
        times = []
        for name in chosen:
            browser.open("en/index.html")
            box = browser.driver.find_element("id", "query")
            start = time.monotonic()
            box.send_keys(name)
            shown = browser.until(f"document.getElementById('card').textContent.includes({json.dumps(name)})", 5)
            times.append(time.monotonic() - start)
            if not shown:
                misses.append(f"en/index.html: typed into a cold page, {name} did not find its card (--seed {seed})")
            elif times[-1] > 1:
                misses.append(f"en/index.html: typed into a cold page, {name} took {times[-1]:.1f} s, more than a second (--seed {seed})")
        browser.collect()
        return (f"{len(names)} names in two languages; ten typed into a cold page took {max(times):.2f} s at most (seed {seed}: {', '.join(chosen)})",
                misses + browser.misses)
