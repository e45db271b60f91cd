// search.js: what the search box finds: names by exact spelling, beginning, part and close spelling, and pages and their headings by words.
"use strict";

(() => {
    let entries = null, headings = [], terms = {}, size = 1;

    /** Loads the lists of names and of headings. */
    async function prepare() {
        if (entries) return;
        await Promise.all([edition.load("names"), edition.load("words")]);
        const { pages } = edition.data.words;
        terms = edition.data.words.terms;
        headings = edition.data.words.headings.map(([name, page, fragment]) => {
            const [address, title] = pages[page];
            return { name, line: fragment ? title : "", address: fragment ? `${address}#${fragment}` : address, lower: `${name} ${fragment ? title : ""}`.toLowerCase(), isPage: !fragment };
        });
        const names = edition.data.names;
        size = names.size;
        entries = names.entries.map(([name, line, here, rank], number) => {
            const lower = name.toLowerCase();
            return { name, line, here, rank, number, lower, bare: lower.replace(/^_+/, ""), lowerLine: line.toLowerCase() };
        });
    }

    /** What a reader pastes may have parentheses, brackets or a class around the name. */
    function readings(text) {
        const plain = text.trim().replace(/^[-+[@&*`'"“〈\s]+/, "").replace(/[\])}`'"”〉;,:\s]*$/, "").replace(/\(\)?$/, "").replace(/^struct\s+/, "");
        const all = [text.trim(), plain, plain + ":"];
        // -[NSRunLoop runMode:beforeDate:] and [loop runMode:mode beforeDate:date]; NSRunLoop run; CFRunLoopStop(loop)
        const parts = [...plain.matchAll(/(\w+):/g)].map(match => match[0]).join("");
        if (parts) all.push(parts);
        const message = plain.match(/^[\w ]+(?:\(\w+\))? (\S+)$/);
        if (message) all.push(message[1]);
        const call = plain.match(/^(\w+)\s*\(/);
        if (call) all.push(call[1]);
        const nested = text.match(/\]\s*([A-Za-z]\w*)\s*\]/); // [[NSRunLoop currentRunLoop] run]
        if (nested) all.unshift(nested[1]);
        // Words: a term of the articles, and a name without its spaces: wake up
        if (terms[text.trim()]) all.unshift(terms[text.trim()]);
        if (/^[a-z]+( [a-z]+)+$/i.test(plain)) all.push(plain.replaceAll(" ", ""));
        return [...new Set(all.filter(Boolean))];
    }

    /** The number of characters to insert, delete or replace; more than `most` is most + 1. */
    function distance(one, other, most) {
        if (Math.abs(one.length - other.length) > most) return most + 1;
        let row = Array.from({ length: other.length + 1 }, (_, column) => column);
        for (let index = 0; index < one.length; index++) {
            const next = [index + 1];
            let least = next[0];
            for (let column = 0; column < other.length; column++) {
                const cost = Math.min(row[column] + (one[index] === other[column] ? 0 : 1), row[column + 1] + 1, next[column] + 1);
                next.push(cost);
                least = Math.min(least, cost);
            }
            if (least > most) return most + 1;
            row = next;
        }
        return row[other.length];
    }

    function rank(entry, text, lower, bare) {
        if (entry.name === text) return 0;
        if (entry.lower === lower) return 1;
        if (entry.bare === bare) return 2;
        if (entry.name.startsWith(text)) return 10;
        if (entry.lower.startsWith(lower)) return 11;
        if (entry.bare.startsWith(bare)) return 12;
        if (bare.length < 2) return Infinity;
        const place = entry.lower.indexOf(bare);
        if (place > 0) return /[A-Z_:.]/.test(entry.name[place]) || /[_:.]/.test(entry.name[place - 1]) ? 20 : 24;
        return entry.lowerLine.includes(lower) ? 30 : Infinity;
    }

    /** The entries that fit, the best first. `isClose` says that only close spellings were found. */
    function find(text) {
        const found = new Map();
        for (const [number, reading] of readings(text).entries()) {
            const lower = reading.toLowerCase(), bare = lower.replace(/^_+/, "");
            for (const entry of entries) {
                const fit = rank(entry, reading, lower, bare) + number / 10;
                if (fit < (found.get(entry) ?? Infinity)) found.set(entry, fit);
            }
        }
        let isClose = false;
        const places = findWords(text);
        if (!places.length && ![...found.values()].some(fit => fit < 25)) {
            const bare = readings(text).at(-1).toLowerCase().replace(/^_+/, ""), most = Math.max(1, Math.floor(bare.length / 4));
            for (const entry of entries) {
                const far = distance(bare, entry.bare, most);
                if (far <= most) {
                    found.set(entry, 14 + far / 10);
                    isClose = true;
                }
            }
        }
        const results = [...found].sort(([one, a], [other, b]) => a - b || one.rank - other.rank || one.name.length - other.name.length || (one.name < other.name ? -1 : 1));
        const names = results.slice(0, 40).map(([entry]) => entry), isExact = results.length > 0 && results[0][1] < 4;
        // A name that is spelled like this, or begins so, comes before pages; a word in a name's sentence comes behind them.
        const before = results.filter(([, fit]) => fit < 25).length;
        return { results: [...names.slice(0, before), ...places, ...names.slice(before)].slice(0, 50), isClose, isExact };
    }

    /** The pages and headings that have all words of a text. */
    function findWords(text) {
        const words = text.toLowerCase().split(/[\s,，、。]+/).filter(Boolean);
        if (!words.length || text.trim().length < 2) return [];
        const fits = headings.filter(heading => words.every(word => heading.lower.includes(word)));
        return fits.sort((one, other) => other.isPage - one.isPage || one.name.length - other.name.length).slice(0, 12);
    }

    /** The HTML of a card; null if there is none. */
    async function card(name) {
        await prepare();
        const entry = entries.find(entry => entry.name === name);
        if (!entry) return null;
        const chunk = `cards-${Math.floor(entry.number / size)}`;
        await edition.load(chunk);
        return edition.html(edition.data[chunk][name]);
    }

    /** The name's entry: it says whether there is a card, and where the name is defined. */
    const entry = name => entries?.find(entry => entry.name === name);

    edition.search = { prepare, find, card, entry };
})();
