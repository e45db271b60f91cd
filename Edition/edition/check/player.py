"""The player steps every recording to its end and back, by its keys; and its buttons do what they say. The switch of the language keeps the place."""

from .browser import Browser

# Each recording has its own call, so that a slow machine ends none of them.
PLAY = """
const wanted = arguments[0], done = arguments[arguments.length - 1], key = (name, shift = false) => document.body.dispatchEvent(
    new KeyboardEvent('keydown', { key: name, shiftKey: shift, bubbles: true, cancelable: true }));
const turn = () => new Promise(resolve => { const channel = new MessageChannel(); channel.port1.onmessage = resolve; channel.port2.postMessage(0); });
// What is loaded is drawn before the browser's next turn. Only files that have to be loaded first need one, and a turn costs a frame.
const until = async condition => {
    for (let tries = 0; tries < 20; tries++) { if (condition()) return true; await null; }
    const start = performance.now(); while (!condition() && performance.now() - start < 5000) await turn();
    return condition();
};
(async () => {
    const misses = [], run = edition.run;
    let moments = 0;
    const isShown = () => {
        const line = document.querySelector('#code .on0 .n, #code .on1 .n')?.textContent;
        return line && document.getElementById('place').textContent.includes(`:${line} `);
    };
    const miss = text => misses.push(`run.html${location.hash}: ${text}`);
    for (const name of [wanted]) {
        await edition.load(`recordings/${name}`);
        for (const order of edition.data[`recording:${name}`].orders) {
            location.hash = `#${name}${order.name ? `.${order.name}` : ''}/0`;
            if (!await until(() => run.recording?.name === name && run.moments === order.moments && run.at === 0)) { miss('the recording does not open'); continue; }
            const last = order.moments.length - 1;
            for (let moment = 1; moment <= last; moment++) {
                key('ArrowRight');
                if (run.at !== moment) { miss(`→ leads to moment ${run.at} instead of ${moment}`); break; }
                if (!isShown() && !await until(isShown)) { miss('the current line is not marked'); break; }
                if (moments++ % 100 === 0) await new Promise(requestAnimationFrame);
            }
            key('ArrowRight');
            if (run.at !== last) miss('→ leads beyond the end');
            if (!await until(() => location.hash.endsWith(`/${last}`))) miss('the address does not name the moment');
            for (let moment = last - 1; moment >= 0; moment--) {
                key('ArrowLeft');
                if (run.at !== moment) { miss(`← leads to moment ${run.at} instead of ${moment}`); break; }
            }
            for (const [forth, back, least] of [['s', 'S', 8], ['p', 'P', 1], ['c', 'C', 1], ['t', 'T', 0]]) {
                key('Home');
                let count = 0;
                while (run.at < last && count < 999) { key(forth); count++; }
                while (run.at > 0 && count < 999) { key(back); count++; }
                if (count >= 999 || count < 2 * least) miss(`the key ${forth} stopped ${count} times on the way to the end and back`);
            }
        }
    }
    document.querySelector('[data-go=step][data-by="1"]').click();
    if (run.at === 0) miss('the button › of the steps leads nowhere');
    return [misses, moments];
})().then(done, error => done([[String(error.stack ?? error)], 0]));
"""


def switch(browser):
    """The switch of the language keeps the place, also where the address does not name it."""
    misses = []
    line = "return [...document.querySelectorAll('.code .l')].find(row => row.getBoundingClientRect().top > 60)?.id"
    browser.look()
    browser.open("en/src/Sources/CRunLoop/CFRunLoop.c.html")
    browser.script("document.getElementById('L200').scrollIntoView({ behavior: 'instant' })")
    before, after = browser.script(line), None
    browser.driver.find_element("id", "language").click()
    browser.settle()
    after = browser.script(line)
    if before != after:
        misses.append(f"{browser.page}: the switch to Chinese leads from {before} to {after}")
    stack = "#0 __CFRunLoopRun\n#1 CFRunLoopRunSpecific"
    browser.open("en/index.html")
    browser.script("const box = document.getElementById('query'); box.value = arguments[0]; box.dispatchEvent(new Event('input', { bubbles: true }))", stack)
    browser.driver.find_element("id", "language").click()
    browser.settle()
    if browser.script("return document.getElementById('query').value") != stack:
        misses.append(f"{browser.page}: the switch to Chinese loses a pasted stack")
    return misses


def check(site):
    with Browser(site) as browser:
        browser.open("en/run.html")
        names = browser.script("return [...document.getElementById('recording').options].map(option => option.value)")
        misses, moments = [], 0
        for name in names:
            found, count = browser.wait_for(PLAY, name.split(".")[0])
            misses += found
            moments += count
        browser.open(f"zh/run.html#{names[0]}/5")
        if browser.script("return edition.run.at") != 5:
            misses.append(f"zh/run.html#{names[0]}/5: the address does not open its moment")
        misses += switch(browser)
        browser.collect()
        return f"{len(names)} recordings, {moments} moments, to the end and back", misses + browser.misses
