// index.js: looks up in the index. Facts/facts/index.py says what its lines are, and has the same rule in Python, with texts.py.
"use strict";

/** The rule. `text` has the lines, of each card's line only the key and the name. */
function makeIndex(text) {
    const lines = new Map(text.split("\n").filter(Boolean).map(line => [line.slice(0, line.indexOf("\t")), line.slice(line.indexOf("\t") + 1)]));
    const line = key => lines.get(key)?.split("\t") ?? [], rarity = term => Number(line("#" + term)[0] ?? 0);
    const question = "?", nothing = "-", bestCounts = 3, allCount = 800, common = 350, unknownCounts = 900;
    const isSpelled = name => /_|[a-z][A-Z]|[A-Z]{2}[a-z]/.test(name), isChinese = word => /^[\u4e00-\u9fff]/.test(word);
    const control = ["if", "else", "while", "do", "for", "switch", "return"], particles = new Set("的了是在么吗会个这那我你就都也还把被要有为和与一不用到让对中里上下时");
    const unique = list => [...new Set(list)], size = string => [...string].length, smaller = (one, other) => one < other ? -1 : one > other ? 1 : 0;
    const sorted = (list, key) => list.map(each => [key(each), each]).sort(([one], [other]) => one.map((cell, place) => smaller(cell, other[place])).find(order => order) ?? 0).map(([, each]) => each);
    const once = work => (known => key => known.get(key) ?? known.set(key, work(key)).get(key))(new Map()), add = (map, key, points) => map.set(key, (map.get(key) ?? 0) + points);
    const wordPattern = /[a-z0-9](?:[a-z0-9_]*[a-z0-9])?|[\u4e00-\u9fff]/g;

    /** The words and the Chinese characters of a text, each with the number of brackets that are open; = and ; open one, too. A word of a selector keeps its colon. */
    function tokens(text) {
        const found = [];
        let depth = 0, end = 0;
        for (const match of text.toLowerCase().matchAll(wordPattern)) {
            for (const mark of text.slice(end, match.index)) depth += "([{=;".includes(mark) - ")]}".includes(mark);
            end = match.index + match[0].length;
            found.push([match[0] + (/^[a-z]/.test(match[0]) && /^:(?!:)/.test(text.slice(end)) ? ":" : ""), depth]);
        }
        return found;
    }

    const fold = text => tokens(text).map(([word]) => word).join("");

    /** A text without what stands around code. A mangled name as C++ spells it. */
    function code(text) {
        const trimmed = text => text.replace(/^[; ]+|[; ]+$/g, "");
        text = text.replace(/^[0-9]+\s+\S+\s+0x[0-9a-fA-F]+\s+/, "").replace(/(`\w+):$/, "$1");
        let rest = /^_ZN?K?([0-9].*)/.exec(text)?.[1];
        if (rest) {
            const names = [];
            for (let length; length = /^L?([0-9]+)/.exec(rest);) { // L: of a static function
                names.push(rest.slice(length[0].length, length[0].length + Number(length[1])));
                rest = rest.slice(length[0].length + Number(length[1]));
            }
            text = names.join("::");
        }
        const bare = trimmed(text.replace(/(^|[^:])\/\/.*|\/\*.*?\*\//g, (_, before) => before ?? ""));
        return (tokens(bare).some(([word]) => !control.includes(word)) ? bare : trimmed(text)).replace(/\([*^]([A-Za-z0-9_]+)\)/g, "$1");
    }

    /** A word without its ending. */
    const stem = word => word.replace(/:+$/, "").replace(/^[a-z]{4,}$/, word =>
        word.replace(/(?<=...)(?:ing|ed|(?<!s)s)$/, "").replace(/([bdgmnprt])\1$/, "$1").replace(/(?:ie|y)$/, "i").replace(/e$/, ""));

    const cards = (key, text) => {
        const found = line(key);
        return sorted(found.length ? found : line("=" + key).slice(0, 1), card => [text.includes(card.replace("*", "")) ? -size(card) : 0]);
    };
    const asked = /^\s*(?:what (?:is|are|does|do)(?: (?:an?|the))? (.+?)(?: mean| do| for)?(?: (?:in|of) (?:an? |the )?(?:run ?loop|(?:NS|CF)?RunLoop))?|(?:how do(?:es)?|explain)(?: (?:an?|the|your))? (.+?)(?: works?)?|(?:什么是|什么叫)(.+?)|(?:请|先)?(?:谈谈|讲讲|说说|聊聊|(?:谈|讲|说|聊|解释|介绍)一下|解释|介绍)(?!一下)(?:你)?(?:对)?(.+?)(?:的(?:(?:工作|底层|实现|运行)?(?:原理|机制)|理解|认识|了解|看法))?|(.+?)的(?:工作|底层|实现|运行)?(?:原理|机制)|(.+?)(?:的(?:本质|概念|定义|含义))?(?:到底|究竟)?(?:是(?:个|一个)?(?:什么|啥)(?:东西|意思)?|(?:什么|啥)意思|指什么))\s*[?？.。]*\s*$/i;
    const thing = text => fold(asked.exec(text)?.slice(1).find(Boolean) ?? "");
    // The cards of the thing of which a text asks what it is, one or several: first a word of that name, then a name as the text spells it, then any word that it means.
    const defined = text => sorted([...cards(thing(text), ""), ...cards(thing(text).replace(/s$/, ""), "")],
        card => [fold(card) === "term" + thing(text), text.includes(card) && isSpelled(card), card.startsWith("term ")].map(fits => fits ? 0 : 1));
    const identifiers = text => text.match(/(?:[A-Za-z_][A-Za-z0-9_]*:)+|[A-Za-z_][A-Za-z0-9_]*/g) ?? [];
    const humps = name => name.split(/(?<=[a-z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])|_+/);

    /** The cards that answer a text, the best first; the words that nothing knows; and whether the first says most of what is asked. */
    function answer(text) {
        text = text.trim().includes("\n") ? text : code(text);
        const known = [...[fold(text), text].map(key => line("=" + key)[0]).filter(name => name === text), ...cards(fold(text), text)], unknown = [];
        const whole = known.length ? known : defined(text); // X, or what is X
        for (const [all, owner, name] of whole.length ? [] : [...text.matchAll(/\b(?!self\b)([A-Za-z_]\w*)(?:\.|::|->)([A-Za-z]\w*)(?:\(\))?/g)]) {
            if (isSpelled(name) || !cards(fold(name), "").length || cards(fold(owner + name), "").length) continue;
            unknown.push(all);
            text = text.replaceAll(all, owner);
        }
        const asks = /[?？]/.test(text) || terms(text).asks;
        const isProse = asks || /(?<![\w.:])[A-Za-z]+ (?!(?:void|char|int|long|unsigned|in)\b)[a-z]+ [a-z]+(?![\w(.:])/.test(text) || /[\w)\]] [a-z]+\b.*[\w)\]]\.$|[\w)] [a-z]+ [a-z]+$/.test(text) || /[\u4e00-\u9fff]/.test(text);
        const isCode = /[\][(){};=_:.@*&<>+/-]|^\S+$/.test(text) && !whole.length && !isProse && !unknown.length && !text.includes("\n");
        const inCode = isCode ? called(text) : [], named = names(text);
        const all = [whole, inCode].find(found => found.length);
        if (all) return { cards: unique([...all, ...named, ...isProse ? about(text).found : []]), unknown, isSure: true };
        const { found, rest, isSure } = about(text);
        if (/^[A-Za-z0-9_.:>()-]+$/.test(text) && (unknown.length || rest.length && identifiers(text)[0] === text)) return { cards: [], unknown: unknown.length ? unknown : [text], isSure: false };
        if (named.length === 1 && !terms(text.replace(/(?:[A-Za-z_][A-Za-z0-9_]*:)+|[A-Za-z_][A-Za-z0-9_]*/g, name => isSpelled(name) ? "" : name)).found.length) found.unshift(named[0]);
        const lost = named.filter(card => !found.slice(0, 3).includes(card)).slice(0, 2);
        return { cards: unique([...found.slice(0, 3 - lost.length), ...lost, ...found]), unknown: unique([...unknown, ...rest]), isSure: isSure && !unknown.length };
    }

    /** What code calls or declares: the outermost function or message with a key, then its last name, and rather one that is spelled as its card is; of an assignment, what is
        assigned. */
    function called(text) {
        const assigned = /^[^=!<>()[{"]+= *((?:\[|(?:\([A-Za-z0-9_]+\) *)?[A-Za-z0-9_]+\(|k[A-Z]).*)$/.exec(text)?.[1], inside = assigned ? called(assigned) : [];
        if (inside.length) return inside;
        const words = tokens(text);
        for (const level of unique(words.map(([, depth]) => depth)).sort((one, other) => one - other)) {
            const here = words.filter(([, depth]) => depth === level).map(([word]) => word);
            const [selector, labels] = [level, level + 1].map(level => words.filter(([word, depth]) => depth === level && word.endsWith(":")).map(([word]) => word).join(""));
            const message = [selector, labels && here.at(-1) + labels, labels].find(key => cards(key, text).length);
            if (message) return cards(message, text);
            const found = [];
            for (let end = here.length; end; end--) for (let start = 0; start < end; start++) found.push([end - start, cards(here.slice(start, end).join(""), text)]);
            const some = found.filter(([, cards]) => cards.length);
            if (some.length) return (some.find(([length, cards]) => length > 1 || identifiers(text).includes(cards[0])) ?? some[0])[1];
        }
        return [];
    }

    /** The cards of the names in a text that are spelled as only a name is, and rare. */
    const names = text => unique(identifiers(text)).filter(name => (name[0] === "_" || isSpelled(name)) && (rarity(stem(fold(name))) || unknownCounts) > common)
        .flatMap(name => cards(fold(name), name).filter(card => card === name || card.startsWith(name + ":")).slice(0, 1));

    const beginnings = new Set([...lines.keys()].filter(key => key[0] === "~").flatMap(key => [...key].map((_, end) => key.slice(1, end + 1))));

    /** What counts in a text: words, pairs of Chinese characters, and what stands for a word and its synonyms; the words that nothing knows; and whether a word asks. */
    function terms(text) {
        const words = text.toLowerCase().match(wordPattern) ?? [], found = [], covered = new Set(), unknown = [];
        let asks = false, run = [];
        words.forEach((_, start) => {
            for (let end = start, joined = ""; end < words.length; end++) {
                joined += words[end];
                for (const term of line("~" + stem(joined))) {
                    const isTerm = term !== question && term !== nothing;
                    asks ||= term === question && !control.includes(joined);
                    if (isTerm && joined.length > 1) found.push(term);
                    if (!isTerm || joined.length > 1) for (let place = start; place <= end; place++) covered.add(place);
                }
                if (!beginnings.has(joined)) break;
            }
        });
        [...words, ""].forEach((word, place) => {
            if (isChinese(word) && !covered.has(place) && !particles.has(word)) return run.push(word);
            const pairs = run.slice(1).map((other, place) => run[place] + other);
            found.push(...pairs.length ? pairs : run.flatMap(each => line("~" + each)));
            if (pairs.length && !pairs.some(rarity)) unknown.push(run.join(""));
            run = [];
            if (word.length < 2 || covered.has(place)) return;
            found.push(stem(word));
            if (!rarity(stem(word))) unknown.push(word);
        });
        return { found: unique(found), unknown: unique(unknown), asks };
    }

    const all = line("@").map(cell => /^(\S+) (\S+) (.*)$/.exec(cell).slice(1)); // of each card: how much it counts, how much it says, and its name

    /** How rare a term is, its weight in each passage, and how many passages of each card have it. */
    const passagesOf = once(term => {
        const [points = "0", ...entries] = line("#" + term), times = new Map();
        const weights = entries.map(entry => entry.split(":")).map(([passage, weight]) => [passage, passage.split(".")[0], Number(weight)]);
        for (const [, card] of weights) add(times, card, 1);
        return { points: Number(points), weights, times };
    });

    /** The cards whose passages share most with a text, and the words that nothing knows, which are part of the text, too. The best passage of a card counts, and the card as a whole;
        of a section, the best paragraph. A name that the text does not have counts less. */
    function about(text) {
        const parts = identifiers(text).filter(name => !rarity(stem(fold(name))) && humps(name).length > 1).flatMap(humps);
        const { found, unknown } = terms([text, ...parts].join(" "));
        const passages = new Map(), shared = new Map(), every = new Map(), best = new Map(), lower = text.toLowerCase();
        let whole = unknownCounts * unknown.length;
        for (const term of found) {
            const { points, weights, times } = passagesOf(term);
            whole += points;
            for (const [passage, card, weight] of weights) {
                add(passages, passage, weight);
                best.set(card, Math.max(best.get(card) ?? 0, passages.get(passage)));
            }
            for (const [card, many] of times) {
                add(shared, card, points);
                add(every, card, Math.floor(allCount * points * many / (100 * many + Number(all[card][1]))));
            }
        }
        const name = sorted((text.match(/[A-Za-z]+[A-Z][A-Za-z0-9_]*/g) ?? []).map(name => stem(fold(name))), name => [-rarity(name)])[0] ?? ""; // which decides, if it is rare
        const holders = rarity(name) > common ? passagesOf(name).times : best;
        const ranked = sorted([...best.keys()].map(card => {
            const [worth, , name] = all[card];
            const isMeant = /^(?:[A-Z][0-9]+$|[0-9.]+$|(?:correction|experiment|term) |.*(?:#|\.h(?:\.|$)))/.test(name) || lower.includes(name.toLowerCase());
            const points = Math.floor((bestCounts * best.get(card) + every.get(card)) * (shared.get(card) + 2 * whole) / whole) * worth * (holders.has(card) ? 5 : 4);
            return { name, points: points * (isMeant ? 4 : 3), share: shared.get(card), section: name.replace(/(#.*|\.h)\.[0-9]+$/, "$1") };
        }), each => [-each.points, each.name]);
        const seen = new Set(), cards = ranked.filter(({ section }) => !seen.has(section) && seen.add(section));
        return { found: cards.map(({ name }) => name), rest: unknown.filter(word => /^[\x00-\x7f]*$/.test(word) || word.length > 2), isSure: cards.length > 0 && 2 * cards[0].share >= whole };
    }

    /** The number of characters to insert, delete or replace. */
    const distance = (one, other) => [...one].reduce((row, letter, number) => [...other].reduce((next, wanted, column) =>
        [...next, Math.min(row[column] + (letter === wanted ? 0 : 1), row[column + 1] + 1, next[column] + 1)], [number + 1]), [...other, ""].map((_, column) => column)).at(-1);

    /** If nothing answers: the cards whose names begin with a text, or have it in them; or else those that are spelled almost like it. */
    function near(text) {
        const key = fold(text), keys = unique([...lines.keys()].filter(key => /^=?[a-z0-9_:\u4e00-\u9fff]+$/.test(key)).map(key => key.replace(/^=/, "")));
        if (size(key) < 4) return [];
        let found = sorted(keys.filter(other => other.includes(key)), other => [other.startsWith(key) ? 0 : 1, size(other), other]);
        if (!found.length) {
            const most = Math.min(Math.floor(size(key) / 6) + 1, 3);
            const close = keys.filter(other => Math.abs(size(other) - size(key)) <= most && (other.slice(0, 3) === key.slice(0, 3) || other.slice(-3) === key.slice(-3)));
            found = sorted(close.filter(other => distance(key, other) <= most), other => [distance(key, other), other]);
        }
        return unique(found.slice(0, 8).flatMap(other => cards(other, text)));
    }

    return { answer, near };
}
