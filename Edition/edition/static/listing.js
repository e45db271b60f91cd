// listing.js: pasted code. Each name that has a card becomes a link; an item of the articles with these names, or most of them, is named first.
// Of the listings the project has only the names: the column names of Facts/items.tsv.
"use strict";

(() => {
    const { escape, say } = edition.paste;
    // Case, underscores and spaces make no difference, and web pages lose them: a long name also counts inside of other text.
    const fold = text => text.toLowerCase().replace(/[\s_]+/g, ""), isLong = name => name.length > 5 || /[^\x00-\x7f]/.test(name);
    const CLOSE = .85; // of the best score: listings that several articles share
    const LEAST = .35, FEWEST = 3; // the score, and the number of names, of a listing that is recognised

    // Swift's spellings, and the names that the articles have for them.
    const SWIFT = [
        [/\bRunLoop\.current\b/g, "NSRunLoop currentRunLoop"], [/\bRunLoop\.main\b/g, "NSRunLoop mainRunLoop"],
        [/\brun\s*\(\s*mode:/g, "runMode"], [/\bbefore:/g, "beforeDate"], [/\brun\s*\(\s*until:/g, "runUntilDate"],
        [/\badd\s*\(\s*(?:NSMach)?Port\s*\(\s*\)/g, "addPort NSPort port"], [/:\s*\.default\b/g, "NSDefaultRunLoopMode"],
        [/:\s*\.common\b/g, "NSRunLoopCommonModes"], [/:\s*\.tracking\b/g, "UITrackingRunLoopMode"],
        [/\bTimer\s*\(\s*timeInterval:/g, "NSTimer timerWithTimeInterval"], [/\bTimer\s*\.\s*scheduledTimer\b/g, "NSTimer scheduledTimerWithTimeInterval"],
        [/\bThread\s*\(/g, "NSThread alloc"], [/\bThread\.current\b/g, "NSThread currentThread"], [/#selector\b/g, "Selector"],
    ];
    const inObjectiveC = text => SWIFT.reduce((text, [spelling, names]) => text.replace(spelling, `$& ${names} `), text);

    let known = null;

    /** The listings, with the weight of each name: a name that many of them have says little. */
    function prepare() {
        if (known) return known;
        const items = edition.data.listings.map(([id, title, address, names]) => ({ id, title, address, own: names.split(" ").map(fold) }));
        const all = [...new Set(items.flatMap(item => item.own))];
        for (const item of items) item.names = new Set(all.filter(name => item.own.some(own => own === name || (isLong(name) && own.includes(name)))));
        const weights = new Map(all.map(name => [name, Math.log(1 + items.length / items.filter(item => item.names.has(name)).length)]));
        known = { items, all, weights };
        return known;
    }

    /** The items whose names these are, the best first. */
    function recognise(text) {
        text = inObjectiveC(text);
        const { items, all, weights } = prepare(), whole = fold(text), words = new Set(text.split(/[^\w]+/).map(fold));
        const present = all.filter(name => isLong(name) ? whole.includes(name) : words.has(name)), weigh = names => names.reduce((sum, name) => sum + weights.get(name), 0);
        const found = items.map(item => {
            const shared = present.filter(name => item.names.has(name)), weight = weigh(shared);
            // Most of the text's names must be the item's; of the item, a part is enough. One that has all of them comes first.
            return { item, count: shared.length, isWhole: shared.length === present.length, score: weight ? weight / weigh(present) * Math.sqrt(weight / weigh([...item.names])) : 0 };
        }).filter(({ item, score, count }) => score > LEAST && count >= Math.min(FEWEST, item.names.size))
            .sort((one, other) => other.isWhole - one.isWhole || other.score - one.score);
        return found.filter(({ score }) => score > found[0].score * CLOSE).slice(0, 4);
    }

    /** The parts of a text that are names with a card: { from, to, name }, in their order. A message has its name in several places; a call in Swift has it before the bracket:
        `run(mode: .default, before: date)` is run(mode:before:), which has the card of runMode:beforeDate:. */
    function namesIn(text) {
        const found = new Map(), cache = new Map();
        const has = name => cache.has(name) ? cache.get(name) : cache.set(name, Boolean(edition.search.entry(name))).get(name);
        const mark = (from, shown, name) => { if (shown.length > 1 && has(name)) found.set(from, { from, to: from + shown.length, name }); };
        for (const match of text.matchAll(/[A-Za-z_$]\w*/g)) mark(match.index, match[0], match[0]);
        for (const match of text.matchAll(/(?<![\w:])(?:[A-Za-z_]\w*:)+(?![:\w])/g)) mark(match.index, match[0], match[0]);
        // [receiver first:value second:value] and - (void)first:(int)value second:(int)value
        const open = [], close = parts => {
            const selector = parts.map(part => part.text).join("");
            for (const part of parts) mark(part.from, part.text, selector);
        };
        for (const match of text.matchAll(/[[\](){};]|(?<![\w:])([A-Za-z_]\w*\s*:)(?!:)|([A-Za-z_]\w*)(?=\s*\])|^\s*[-+]\s*\([^)]*\)/gm)) {
            const [token, labelled, unary] = match, parts = open.at(-1)?.parts;
            if (/^[[({]$/.test(token)) {
                if (token === "{" && open.at(-1)?.isMethod) close(open.pop().parts);
                const called = token === "(" && /[A-Za-z_]\w*$/.exec(text.slice(0, match.index));
                open.push({ parts: [], called });
            } else if (/^[\])}]$/.test(token)) {
                const last = open.pop();
                if (token === "]" && last) close(last.parts);
                if (token === ")" && last?.called && last.parts.length) {
                    const labels = last.parts.map(part => part.text).join("");
                    for (const name of [labels, `_:${labels}`].map(labels => `${last.called[0]}(${labels})`)) mark(last.called.index, last.called[0], edition.data.frames.swift[name] ?? name);
                }
            } else if (token === ";") { if (open.at(-1)?.isMethod) close(open.pop().parts); } else if (labelled) parts?.push({ from: match.index, text: labelled.replace(/\s/g, "") });
            else if (unary) { if (parts && !parts.length) parts.push({ from: match.index, text: unary }); } else open.push({ parts: [], isMethod: true });
        }
        let end = 0;
        return [...found.values()].sort((one, other) => one.from - other.from || other.to - one.to).filter(part => part.from >= end && (end = part.to));
    }

    /** What says which item of an article the names are from; empty if they are from none. */
    function item(text, items = recognise(text)) {
        const links = items.map(({ item }) => `<a class="item" href="${edition.base}${item.address}">${escape(item.id)} ${escape(item.title)}</a>`);
        return (links.length ? `<p class="summary">${say(items[0].isWhole ? "listing.item" : "listing.nearest", { item: links[0] })}</p>` : "") +
            (links.length > 1 ? `<p>${say("listing.also", { items: links.slice(1).join(say("print.comma")) })}</p>` : "");
    }

    /** Whether a line is a sentence in which a call stands, and no code: words in a row, outside of comments. The index answers it. */
    const isSentence = text => !/[\n{;]/.test(text) && /(?:[A-Za-z]+ +){2}[a-z]+ +[a-z]+|[\u4e00-\u9fff]{4}|[?？]$/.test(text.replace(/\/\/.*|\/\*.*?\*\//g, "").replace(/"(?:\\.|[^"])*"/g, ""));

    /** What a listing does, if it has a known shape: a sentence, and the card that says more. Facts/facts/shapes.py has the same rule. */
    function shape(text) {
        if (!/\n|[;{].*[;}]/.test(text.trim())) return "";
        const found = edition.data.frames.shapes.find(([all, none]) => all.every(pattern => new RegExp(pattern).test(text)) && !(none && new RegExp(none).test(text)));
        return found ? `<p class="summary shape">${escape(found[2])} <a href="${edition.address(found[3])}">${say("listing.more")}</a></p>` : "";
    }

    function listing(text) {
        if (isSentence(text.trim())) return null;
        const items = recognise(text), names = namesIn(text), distinct = new Set(names.map(part => part.name));
        // One statement with a name or two is a question about that name, which the index answers; a declaration is not.
        const isStatement = !/[\n{]|;.*\S/.test(text.trim()) && !/^[\d.\s]*[-+]\s*\(/.test(text);
        const does = shape(text);
        if (!does && (isStatement ? !items.some(({ count }) => count > FEWEST) : !items.length && distinct.size < 2)) return null;
        let html = "", at = 0;
        for (const { from, to, name } of names) {
            html += `${escape(text.slice(at, from))}<a class="name" href="${edition.address(name)}">${escape(text.slice(from, to))}</a>`;
            at = to;
        }
        return `<section class="reading"><h2>${say("listing.title")}</h2>${does}${item(text, items)}<p class="hint">${say("listing.names", { count: distinct.size })}</p>` +
            `<pre class="listing" tabindex="0"><code>${html}${escape(text.slice(at))}</code></pre></section>`;
    }

    edition.paste.listing = listing;
    edition.paste.item = item;
})();
