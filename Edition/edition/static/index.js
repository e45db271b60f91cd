// index.js: looks up in the index (Documentation/Data/index.tsv). Scripts/facts/index.py says what its lines are, and has the same rule in Python.
"use strict";

/** The rule. `text` has the lines of the keys and of the concepts, and of each card its key and its name. */
function makeIndex(text) {
    const lines = new Map(text.split("\n").filter(Boolean).map(line => line.split("\t")).map(([key, ...cells]) => [key, cells])), question = "#?", longestKey = 30, longestWord = 8, few = 12, many = 120, nameCounts = 900;
    const prefixes = ["kcfrunloop", "kcf", "cfrunloop", "cf", "ns", "ui"];
    const unique = list => [...new Set(list)], joined = words => words.map(({ word }) => word).join("");
    const size = string => [...string].length;
    const smaller = (one, other) => one < other ? -1 : one > other ? 1 : 0;

    /** The words and the Chinese characters of a text, each with the number of brackets that are open; = and ; open one, too. */
    function tokens(text) {
        const found = [];
        let depth = 0, end = 0;
        text = text.toLowerCase();
        for (const match of text.matchAll(/[a-z0-9](?:[a-z0-9_]*[a-z0-9])?|[\u4e00-\u9fff]/g)) {
            for (const mark of text.slice(end, match.index)) depth += "([{=;".includes(mark) - ")]}".includes(mark);
            end = match.index + match[0].length;
            found.push({ word: match[0] + (/^[a-z]/.test(match[0]) && /^:(?!:)/.test(text.slice(end)) ? ":" : ""), depth });
        }
        return found;
    }

    /** The cells of a key's own line, or the card and the concept of that name. */
    const own = key => lines.get(key) ?? [...lines.get("=" + key)?.slice(0, 1) ?? [], ...lines.has("#" + key) ? ["#" + key] : []];

    const isName = text => [joined(tokens(text)), text].some(key => lines.get("=" + key)?.[0] === text);

    /** What a word may be a form of: without an ending, with e in its place, or with one letter in place of two; a word of a selector, without its colon. */
    function stems(word) {
        return ["s", "es", "ed", "ing", ":"].filter(ending => word.endsWith(ending) && word.length - ending.length > 2).flatMap(ending => {
            const stem = word.slice(0, -ending.length);
            return !/[dg]$/.test(ending) ? [stem] : [stem, stem + "e", ...(stem.at(-1) === stem.at(-2) ? [stem.slice(0, -1)] : [])];
        });
    }

    /** The concept of a word, or that of the word that it is a form of. */
    function meaning(word) {
        const found = own(word).filter(cell => cell[0] === "#" && cell !== question);
        for (const stem of found.length ? [] : stems(word)) {
            const meant = meaning(stem);
            if (meant.length) return meant;
        }
        return found;
    }

    /** The cells of a key; without a line, the cards of names that begin or end as readers leave out, and the concept of the word that the key is a form of. */
    function cells(key) {
        const found = own(key);
        if (found.length || !/^[\x00-\x7f]{4,}$/.test(key)) return found;
        const meant = meaning(key);
        return [...["", ...prefixes].flatMap(start => ["", "ref", ":"].flatMap(end => own(start + key + end))).filter(cell => cell[0] !== "#"), ...meant.length ? meant : meaning(key + ":")];
    }

    /** A key, and what readers make of it. */
    function shorts(key) {
        const bases = [key, ...prefixes.filter(start => key.startsWith(start)).map(start => key.slice(start.length))];
        return bases.flatMap(base => [base, base.replace(/ref$/, "")]).filter(short => short === key || size(short) > 3);
    }

    const cards = (key, text) => cells(key).filter(card => card[0] !== "#").map(card => [card, text.includes(card) ? size(card) : 0]).sort((one, other) => other[1] - one[1]).map(([card]) => card);

    /** A text without what stands around code: comments that follow more than a brace or a word as do, ; at the ends, the number, image and address before a frame, the : after it, and the brackets of a pointer to a
        function or to a block. */
    function code(text) {
        const trimmed = text => text.replace(/^[; ]+|[; ]+$/g, "");
        text = text.replace(/^\d+\s+\S+\s+0x[0-9a-fA-F]+\s+/, "").replace(/(`\w+):$/, "$1");
        const bare = trimmed(text.replace(/(^|[^:])\/\/.*|\/\*.*?\*\//g, "$1"));
        return (tokens(bare).some(isNoControl) ? bare : trimmed(text)).replace(/\([*^]([A-Za-z0-9_]+)\)/g, "$1");
    }

    const isNoControl = ({ word }) => !/^(if|else|while|do|for|switch|return)$/.test(word);

    const identifiers = text => text.match(/(?:[A-Za-z_][A-Za-z0-9_]*:)+|[A-Za-z_][A-Za-z0-9_]*/g) ?? [];

    /** The longest keys in a text: none is part of another. If there is a mark, only those that have a cell which begins with it. */
    function pieces(words, mark = "") {
        const isKey = piece => cells(piece).some(cell => cell.startsWith(mark));
        const found = [];
        for (let start = 0, last = 0; start < words.length; start++) {
            let end = Math.min(words.length, start + longestKey);
            while (end > Math.max(start, last) && !isKey(joined(words.slice(start, end)))) end--;
            if (end <= Math.max(start, last)) continue;
            found.push(joined(words.slice(start, end)));
            last = end;
        }
        return found;
    }

    /** What code calls or declares: the outermost function or message with a key, then its last name, and rather one that is spelled as its card is. What stands in
        brackets is an argument, unless nothing outside has a key, or only a word as while has one. */
    function called(words, text) {
        if (!text.includes("[") && names(text).length) words = words.filter(isNoControl);
        for (const depth of unique(words.map(({ depth }) => depth)).sort((one, other) => one - other)) {
            const here = words.filter(word => word.depth === depth);
            const [selector, labels] = [depth, depth + 1].map(level => joined(words.filter(({ word, depth }) => depth === level && word.endsWith(":"))));
            const message = [selector, labels && here.at(-1).word + labels, labels].find(key => cards(key, text).length);
            if (message) return cards(message, text);
            const found = [];
            for (let end = here.length; end; end--) for (let start = 0; start < end; start++) found.push([end - start, cards(joined(here.slice(start, end)), text)]);
            const some = found.filter(([, cards]) => cards.length);
            if (some.length) return (some.find(([length, cards]) => length > 1 || identifiers(text).includes(cards[0])) ?? some[0])[1];
        }
        return [];
    }

    const meanings = key => cells(key).filter(cell => cell[0] === "#" && cell !== question);

    /** What the words of a text mean, and the words in these, unless they are a single character: 主线程 has 线程, and 关系 has not 关. */
    function concepts(words, pieces) {
        const runs = words.flatMap((_, start) => words.slice(start, start + longestWord).map((_, more) => joined(words.slice(start, start + more + 1))));
        return unique([...runs.filter(run => size(run) > 1), ...pieces].flatMap(meaning));
    }

    /** The cards of the names in a text that have one, and are no words for something else, unless the text has two for the same, or at most so many texts have this: they
        are spelled as only a name is, and few texts have them. A selector may lack all but its first part. */
    function names(text, most = 0) {
        const found = unique(identifiers(text)).flatMap(name => {
            const key = joined(tokens(name)), card = cards(key, name).find(card => card === name || card.startsWith(name + ":"));
            return card ? [{ name, card, own: "#" + key, meaning: meanings(key).sort(smaller)[0] ?? "#" + key }] : [];
        });
        return found.filter(({ name, own, meaning }) => {
            const isRare = (lines.get(meaning) ?? []).length <= (meaning === own ? Math.max(most, few) : most);
            return name[0] === "_" || /_|[a-z][A-Z]|[A-Z]{2}[a-z]/.test(name) && (isRare || found.filter(other => other.meaning === meaning).length > 1);
        }).map(({ card }) => card);
    }

    /** The cards whose texts share most with a text: the best text of a card counts, and what all of them together share. A name in the text counts, too. If the text says
        but one thing, what is called so comes first. */
    function about(concepts, pieces, names) {
        const texts = new Map(), best = new Map(), ranks = new Map(), add = (map, key, points) => map.set(key, (map.get(key) ?? 0) + points);
        for (const concept of concepts) {
            const [rarity, ...entries] = lines.get(concept) ?? ["0"];
            for (const entry of entries) {
                const colon = entry.lastIndexOf(":");
                add(texts, entry.slice(0, colon), Number(entry.slice(colon + 1)));
            }
            for (const card of unique(entries.map(entry => entry.split("~")[0]))) add(ranks, card, Number(rarity));
        }
        for (const [text, points] of texts) {
            const [card] = text.split("~");
            best.set(card, Math.max(best.get(card) ?? 0, points));
        }
        for (const card of names) add(best, card, nameCounts);
        for (const [card, points] of best) add(ranks, card, points);
        const meant = concepts.length === 1 ? pieces.flatMap(piece => cards(piece, "")) : [];
        return unique([...meant.length ? names : [], ...meant, ...[...ranks].sort((one, other) => other[1] - one[1] || smaller(one[0], other[0])).map(([card]) => card)]);
    }

    /** The cards that answer a text, the best first. Two names in a question are among the first three; code also finds the correction that quotes it, and its names. */
    function find(text) {
        text = code(text);
        const words = tokens(text), parts = pieces(words, "#");
        const isQuestion = parts.some(piece => cells(piece).includes(question) || piece >= "\u4e00") || !/[\][(){};=]/.test(text) && /[\u4e00-\u9fff]/.test(text);
        const assigned = /^[^=!<>()[{"]+= *((?:\[|(?:\([A-Za-z0-9_]+\) *)?[A-Za-z0-9_]+\(|k[A-Z]).*)$/.exec(text)?.[1];
        const inside = text => {
            const left = called(words, text), right = left.length && assigned ? called(tokens(assigned), assigned) : [];
            return right.length ? right : left;
        };
        const inCode = /[\][(){};=_:.@*&<>+/-]|^\S+$/.test(text) && !isQuestion ? inside(text) : [], inName = cards(joined(words), text);
        const exact = [...(isName(text) ? [text] : []), ...inName, ...inCode];
        const named = names(text, many), meant = concepts(words, parts);
        if (exact.length) return unique([...exact, ...about(meant, [], []).slice(0, 1).filter(card => card.startsWith("correction") && meant.length > 1), ...named]);
        let found = about(meant, parts, names(text));
        if (!found.length) found = pieces(words).flatMap(piece => cards(piece, text));
        const lost = named.filter(card => !found.slice(0, 3).includes(card)).slice(0, 2);
        return unique([...found.slice(0, 3 - lost.length), ...lost, ...found]);
    }

    /** The number of characters to insert, delete or replace. */
    function distance(one, other) {
        let row = [...other, ""].map((_, column) => column);
        [...one].forEach((letter, number) => {
            const next = [number + 1];
            [...other].forEach((wanted, column) => next.push(Math.min(row[column] + (letter === wanted ? 0 : 1), row[column + 1] + 1, next[column] + 1)));
            row = next;
        });
        return row.at(-1);
    }

    /** If nothing answers: the cards whose names begin with a text, or have it in them; or else those that are spelled almost like it. */
    function near(text) {
        const key = joined(tokens(text)), keys = unique([...lines.keys()].map(line => /^=?([a-z0-9_:\u4e00-\u9fff]+)$/.exec(line)?.[1]).filter(Boolean).flatMap(shorts));
        if (size(key) < 4) return [];
        let ranked = keys.filter(other => other.includes(key)).map(other => [(other.startsWith(key) ? 0 : 1000) + size(other), other]);
        if (!ranked.length) {
            const most = Math.min(Math.floor(size(key) / 6) + 1, 3);
            ranked = keys.filter(other => Math.abs(size(other) - size(key)) <= most && (other.slice(0, 3) === key.slice(0, 3) || other.slice(-3) === key.slice(-3)))
                .map(other => [distance(key, other), other]).filter(([far]) => far <= most);
        }
        return unique(ranked.sort((one, other) => one[0] - other[0] || smaller(one[1], other[1])).slice(0, 8).flatMap(([, other]) => cards(other, text)));
    }

    return { find, near };
}
