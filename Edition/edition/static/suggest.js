// suggest.js: what the writer of a refused program may have meant. A suggestion is one that the page's own module reads further than the text.
"use strict";

(() => {
    const WORDS = `source port timer observer of in at every from tolerance order once everything when performs fires observes runs thread wait before step pass interrupted run for until a add to remove invalidate signal signals send sends receive close set wake wakes stop stops block
        queue declare common default main spend say is finished readable embed serve how which mode modes next elsewhere fault spurious early late interrupt ports and waiting`.split(/\s+/);
    const PLACE = /(?:line |第 )(\d+)\D+(\d+)/;
    /** What people write instead of what the language has: quotes and marks of a text program, and other words for times. */
    const SPELLINGS = [[/[“”„‘’「」]/g, '"'], [/：/g, ":"], [/[，、]/g, ", "], [/(\d) *(?:seconds?|secs?|秒钟?)(?!\w)/g, "$1s"], [/(\d) +s(?!\w)/g, "$1s"],
        [/(\d) *(?:milliseconds?|msecs?|毫秒)(?!\w)/g, "$1ms"], [/(\d) +ms(?!\w)/g, "$1ms"], [/(\d+(?:\.\d+)?) *(?:minutes?|mins?|分钟?)(?!\w)/g, (_, count) => `${60 * count}s`],
        [/(^|\s)(\d+(?:\.\d+)?)(?=$|\s|:)/g, "$1$2s"]];

    /** How many letters have to be put in, left out or changed. */
    function distance(from, to) {
        let row = Array.from({ length: to.length + 1 }, (_, index) => index);
        for (let i = 1; i <= from.length; i++) {
            const next = [i];
            for (let j = 1; j <= to.length; j++) next[j] = Math.min(row[j] + 1, next[j - 1] + 1, row[j - 1] + (from[i - 1] !== to[j - 1]));
            row = next;
        }
        return row[to.length];
    }

    /** The line as it may be meant, and the whole text with it; nothing if no change helps. `read` returns the error of a text. */
    edition.suggest = (text, error, read) => {
        const place = PLACE.exec(error), rows = text.split("\n"), row = rows[place?.[1] - 1];
        if (row === undefined) return null;
        const reach = said => { const found = PLACE.exec(said); return found ? Number(found[1]) * 1000 + Number(found[2]) : Infinity; };
        const whole = changed => rows.map((other, index) => index === place[1] - 1 ? changed : other).join("\n");
        const candidates = [], add = (changed, cost) => { if (changed !== row) candidates.push([changed, cost]); };
        for (const [pattern, by] of SPELLINGS) add(row.replace(pattern, by), 0);
        add(SPELLINGS.slice(0, -1).reduce((line, [pattern, by]) => line.replace(pattern, by), row), .5);
        const activities = Object.values(edition.data["play-words"].activities).map(([, name]) => name);
        const names = [...text.matchAll(/\b(?:source|port|timer|observer|thread) (\w+)/g)].map(match => match[1]);
        for (const match of row.matchAll(/[A-Za-z]\w*/g)) {
            for (const word of new Set([...WORDS, ...activities, ...names])) {
                const cost = word.toLowerCase() === match[0].toLowerCase() ? .5 : distance(match[0].toLowerCase(), word.toLowerCase());
                if (word !== match[0] && cost <= Math.max(1, match[0].length / 3)) add(row.slice(0, match.index) + word + row.slice(match.index + match[0].length), cost);
            }
        }
        const before = reach(error), found = candidates.map(([changed, cost]) => ({ line: changed.trim(), text: whole(changed), cost, reach: reach(read(whole(changed))) }))
            .filter(candidate => candidate.reach > before).sort((a, b) => (b.reach === Infinity) - (a.reach === Infinity) || a.cost - b.cost || b.reach - a.reach);
        return found[0] ?? null;
    };
})();
