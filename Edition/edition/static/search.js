// search.js: what the search box finds: what the index answers (index.js), names by beginning and part, and pages and their headings by words.
"use strict";

(() => {
    let entries = null, byName = new Map(), headings = [], index = null, size = 1;

    /** Loads the lists of names and of headings. */
    async function prepare() {
        if (entries) return;
        await Promise.all([edition.load("names"), edition.load("words"), edition.load("../../index"), edition.script("index.js")]);
        const { pages } = edition.data.words;
        index ??= makeIndex(edition.data.index);
        headings = edition.data.words.headings.map(([name, page, fragment]) => {
            const [address, title] = pages[page];
            return { name, line: fragment ? title : "", address: fragment ? `${address}#${fragment}` : address, lower: `${name} ${fragment ? title : ""}`.toLowerCase(), isPage: !fragment };
        });
        const names = edition.data.names;
        size = names.size;
        entries = names.entries.map(([name, line, here, rank], number) => {
            const lower = name.toLowerCase();
            return { name, line, here, rank, number, lower, bare: lower.replace(/^_+/, ""), lowerLine: line.toLowerCase(), isSwift: rank === 3 && /\.swift\.html/.test(here) };
        });
        byName = new Map(entries.map(entry => [entry.name, entry]));
        for (const [name, label, line, address, more, own] of names.answers) byName.set(name, { card: name, name: label, line, address, more, own });
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

    /** The entries that fit, the best first: what the index answers, names that begin so or have the text in them, pages, and names whose sentences have it.
        `isClose` says that only close spellings were found, `unknown` which words nothing knows. */
    function find(text) {
        const answers = names => names.flatMap(name => [name, ...byName.get(name)?.own ?? []]).map(name => byName.get(name)).filter(Boolean), answer = index.answer(text);
        const answered = answers(answer.cards).slice(0, 12), places = findWords(text);
        const plain = text.trim(), lower = plain.toLowerCase(), bare = lower.replace(/^_+/, "");
        const fits = entries.map(entry => [entry, rank(entry, plain, lower, bare)]).filter(([, fit]) => fit < Infinity);
        fits.sort(([one, a], [other, b]) => a - b || one.rank - other.rank || one.name.length - other.name.length || (one.name < other.name ? -1 : 1));
        const before = fits.filter(([, fit]) => fit < 25).length, names = fits.slice(0, 40).map(([entry]) => entry);
        let results = [...new Set([...answered, ...names.slice(0, before), ...places, ...names.slice(before)])].slice(0, 50);
        const isClose = !results.length;
        if (isClose) results = answers(index.near(text));
        return { results, isClose, isSure: answer.isSure, unknown: answer.unknown };
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
        const entry = byName.get(name);
        if (!entry || entry.address) return null;
        const chunk = `cards-${Math.floor(entry.number / size)}`;
        await Promise.all([edition.load(chunk), edition.load("../../uses")]);
        return edition.html(edition.data[chunk][name])
            .replace(/<ul class="uses" data-from="(\d+)"(?: data-to="(\d+)")?>/g, (list, from, to) => list + edition.data.uses.of[name].slice(from, to).map(use).join(""));
    }

    /** A place where a card's name is used: the function around it, and the lines. */
    function use([file, around, ...lines]) {
        const path = edition.data.uses.files[file], code = document.createElement("code");
        code.append(...edition.pieces(around));
        const places = lines.slice(0, 12).map((line, index) =>
            ` <a class="place" href="${edition.base}src/${path}.html#L${line}">${index ? "" : `${path.replace(/.*\//, "")}:`}${line}</a>`);
        return `<li>${entry(around) ? `<a href="${edition.address(around)}">${code.outerHTML}</a>` : around && code.outerHTML}${places.join("")}${lines.length > 12 ? " …" : ""}</li>`;
    }

    /** The name's entry: it says whether there is a card, where the name is defined, and whether only the Swift layer has it. */
    const entry = name => entries && !byName.get(name)?.address ? byName.get(name) : undefined;

    /** The entry of the Swift method with a name, defined at a place: stop() of stop. */
    const method = (name, place) => entries?.find(entry => entry.here === place && entry.name.startsWith(`${name}(`));

    /** The page of an item of the articles, a claim or a difference: 0.15, T1, D4; of another name none. */
    function page(name) {
        return /^[0-4]\.\d+$/.test(name) ? `items/${name}.html` : /^D\d+$/.test(name) ? `differences.html#${name}` : /^[RSLITOXA]\d+$/.test(name) ? `claims.html#${name}` : "";
    }

    edition.search = { page, prepare, find, card, entry, method };
})();
