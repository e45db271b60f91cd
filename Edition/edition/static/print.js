// print.js: reads a printed loop, from any system, with addresses or without, whole or in part: a table of its items and the modes they are in.
"use strict";

(() => {
    const { escape, say, code, name: link, step } = edition.paste;
    const OBJECT = "<?CFRunLoop(Mode|Source|Timer|Observer)?\\b(?:\\s+(0x[0-9a-f]+))?(?:\\s*\\[0x[0-9a-f]+\\])?\\s*>?\\s*\\{";
    // What a print is made of, in its order. An item's own text is read as a whole.
    const PART = new RegExp(`(?<![\\w@])(?<object>${OBJECT})|(?<common>common mode items|common modes)\\s*=|(?<![\\w-])(?<modes>modes)\\s*=|\\b(?<kind>sources0|sources1|observers|timers)\\s*=|` +
        `contents = "(?<text>[^"]*)"|(?<bare>\\b\\w+Mode\\b)|same as (?<same>\\W?common mode items|common)`, "gi");
    const LOOP = ["wakeup port", "stopped", "ignoreWakeUps", "current mode"], MODE = ["port set", "queue", "source", "timer fired", "timer port", "soft deadline in", "hard deadline in"];
    const ITEM = ["signalled", "valid", "firing", "order", "version", "port", "activities", "repeats", "interval", "tolerance", "next fire date", "callout"];
    // What the observers of the autorelease pool do, at each of their activities.
    const POOLS = "_wrapRunLoopWithAutoreleasePoolHandler", POOL = { 1: "print.poolEntry", 32: "print.poolWaiting", 128: "print.poolExit" };
    const KINDS = { sources0: "Source0", sources1: "Source1", observers: "Observer", timers: "Timer" };

    /** The text up to the brace that closes the one before it; without that brace, the line. */
    function inside(text, from) {
        for (let at = from, depth = 1; at < text.length; at++) {
            if (text[at] === "{") depth++;
            else if (text[at] === "}" && --depth === 0) return text.slice(from, at);
        }
        return text.slice(from).match(/^.*/)[0];
    }

    function value(text, key) {
        const found = text.match(new RegExp(`(?:^|[\\s,{(])(?<!common )${key}\\s*[=:]\\s*("[^"]*"|(?:\\([^()\\n]*\\)|[^,}\\n])*)`))?.[1];
        return found?.replace(/\/\/.*| \/ .*|\s*\((?:0x|\/).*$/g, "").trim() || undefined;
    }

    /** An item's own words, without what stands in the braces of its context. A context has the callout, the port and the version. */
    function itemOf(type, address, body, kind) {
        let own = body;
        while (/\{[^{}]*\}/.test(own)) own = own.replace(/\{[^{}]*\}/g, "");
        const fields = Object.fromEntries(ITEM.map(key => [key, value(own, key) ?? (/^(callout|port|version)$/.test(key) ? value(body, key) : undefined)]).filter(([, value]) => value !== undefined));
        const isPort = fields.version === "1" || kind === "sources1" || (!kind && fields.version !== "0" && (fields.port !== undefined || /CFMachPort|CFMessagePort/.test(body)));
        const what = type === "Source" ? (isPort ? "Source1" : "Source0") : type;
        return { what, fields, id: address ?? JSON.stringify([what, fields.callout, fields.order, fields.port, fields.activities, fields.interval]) };
    }

    /** The loop, its modes and its items; null if the text is no print. */
    function parse(text) {
        if (!new RegExp(`(?<!\\b(?:struct|class|extension|enum|typedef|protocol)\\s)(?<![\\w@])${OBJECT}[^;]*?[\\w ]+(?<![=!<>])[=](?!=)`, "i").test(text) && !/common mode items\s*=/.test(text)) return null;
        const found = { isLoop: false, fields: {}, commonModes: [], modes: [], items: new Map() };
        const place = (item, mode, isCommon) => {
            const known = found.items.get(item.id) ?? found.items.set(item.id, { ...item, modes: new Set(), isCommon: false }).get(item.id);
            known.isCommon ||= isCommon;
            if (mode) known.modes.add(mode);
        };
        let section = "", mode = null, kind = "", end = 0;
        for (const match of text.matchAll(PART)) {
            if (match.index < end) continue;
            const { object, common, modes, kind: next, text: contents, bare, same } = match.groups, after = match.index + match[0].length;
            if (object) {
                const type = match[2] ?? "", body = inside(text, after);
                if (type === "") found.isLoop = true;
                else if (type === "Mode") {
                    const own = body.split(/\bsources0\b/)[0];
                    found.modes.push(mode = { name: value(own, "name") ?? say("print.unnamed", { number: found.modes.length + 1 }), same: new Set(), counts: {},
                        fields: Object.fromEntries(MODE.map(key => [key, value(key.includes("deadline") ? body : own, key)]).filter(([, value]) => value !== undefined)) });
                    [section, kind] = ["mode", ""];
                } else {
                    end = after + body.length;
                    place(itemOf(type, match[3], body, section === "mode" ? kind : ""), section === "mode" ? mode : null, section === "common mode items");
                }
            } else if (common) [section, mode] = [common.toLowerCase(), null];
            else if (modes) section = "modes";
            else if (next && mode) {
                kind = next;
                mode.counts[kind] = Number(text.slice(after).match(/^[^\n]*?count = (\d+)/)?.[1] ?? 0);
            } else if (section === "common modes" && (contents ?? bare)) found.commonModes.push(contents ?? bare);
            else if (same && mode && kind) mode.same.add(KINDS[kind]);
        }
        for (const mode of found.modes) for (const item of found.items.values()) if (item.isCommon && mode.same.has(item.what)) item.modes.add(mode);
        const start = text.split(/common modes\s*=|\bmodes\s*=/)[0];
        for (const key of LOOP) if (found.isLoop && value(start, key) !== undefined) found.fields[key] = value(start, key);
        found.commonModes = [...new Set(found.commonModes)];
        return found.isLoop || found.modes.length || found.items.size ? found : null;
    }

    /** Whether the print of a loop or of a mode has its end, and says of each mode what is in it. */
    function isWhole(text, found) {
        const depth = [...text].reduce((depth, mark) => depth + (mark === "{") - (mark === "}"), 0);
        return depth === 0 && found.modes.length > 0 && (text.match(/\bsources0\s*=/g) ?? []).length === found.modes.length && (text.match(/\btimers\s*=/g) ?? []).length === found.modes.length;
    }

    // MARK: - Words

    /** The names of a mask of activities, each with its step. */
    function activities(value) {
        const { activities: names, stepOfActivity } = edition.data.frames, mask = Number(value);
        if ((mask & 0xfffffff) === 0xfffffff) return say("print.all");
        return Object.keys(names).filter(bit => mask & bit).map(bit => `${code(names[bit])} (${step(stepOfActivity[bit])})`).join(say("print.comma"));
    }

    /** What an item does, in a few sentences. */
    function explain({ what, fields }) {
        const { frames } = edition.data.frames, callout = fields.callout?.match(/[\w:]+/)?.[0] ?? "", words = [];
        if (what === "Observer") words.push(Number(fields.activities) ? say("print.observer", { activities: activities(fields.activities) }) : "");
        else words.push(say(`print.${what.toLowerCase()}`));
        if (fields.callout?.startsWith("(Delayed Perform)")) words.push(say("print.delayed"));
        // A timer that only its owner sets has an interval of a hundred years.
        if (what === "Timer" && Number(fields.interval) > 1e9) words.push(say("print.never", { years: Math.round(fields.interval / (365 * 86400)) }));
        else if (what === "Timer" && Number(fields.interval) > 0) words.push(say("print.every", { seconds: escape(fields.interval) }));
        else if (what === "Timer" && fields.interval && Number(fields.interval) === 0) words.push(say("print.once"));
        if (what === "Observer" && fields.repeats === "No") words.push(say("print.once"));
        if (fields.signalled === "Yes") words.push(say("print.signalled"));
        if (fields.valid === "No") words.push(say("print.invalid"));
        const known = edition.paste.frame(callout), mask = Number(fields.activities);
        const pools = callout === POOLS ? Object.keys(POOL).filter(activity => mask & activity).map(activity => say(POOL[activity])) : [];
        words.push(pools.length ? edition.paste.joined(pools) : escape(known));
        return edition.paste.joined(words.filter(Boolean));
    }

    const fieldList = (fields, keys) => `<dl class="fields">${keys.filter(key => fields[key] !== undefined).map(key => {
        const [card, sentence] = edition.data.frames.keys[key], value = fields[key], words = edition.data.frames.modes[value];
        return `<dt><code>${card && edition.search.entry(card) ? `<a class="name" href="${edition.address(card)}">${escape(key)}</a>` : escape(key)} = ${escape(value)}</code></dt>` +
            `<dd>${key === "activities" && Number(value) ? `${activities(value)}${say("print.colon")}` : ""}${escape(sentence)}${words ? ` · ${escape(words)}` : ""}</dd>`;
    }).join("")}</dl>`;

    function table(found) {
        const items = [...found.items.values()], { modes } = found;
        const row = item => `<tr><th scope="row">${item.what}</th><td>${escape(item.fields.order ?? "")}</td><td>${item.fields.callout ? link(item.fields.callout) : ""} ` +
            `${item.fields.port ? `<span class="where">${say("print.port", { port: escape(item.fields.port) })}</span>` : ""}<p>${explain(item)}</p></td>` +
            `${modes.map(mode => `<td class="in">${item.modes.has(mode) ? "●" : ""}</td>`).join("")}</tr>`;
        const group = (key, rows) => rows.length ? `<tr class="group"><th colspan="${3 + modes.length}" scope="rowgroup">${say(key, { count: rows.length })}</th></tr>${rows.map(row).join("")}` : "";
        const common = items.filter(item => item.isCommon), own = items.filter(item => !item.isCommon);
        return `<div class="wide" tabindex="0" role="group" aria-label="${say("print.table")}"><table class="items"><thead><tr><th scope="col">${say("print.item")}</th><th scope="col">${say("print.order")}</th>` +
            `<th scope="col">${say("print.what")}</th>${modes.map(mode => `<th scope="col">${link(mode.name)}</th>`).join("")}</tr></thead><tbody>${group("print.common", common)}` +
            `${group(common.length ? "print.own" : "print.items", own)}</tbody></table></div>`;
    }

    /** What is wrong or to be known, before everything else. */
    function told(found, isWhole) {
        const { sentences, played } = edition.paste.diagnosis, said = sentences(found, isWhole), link = played(found);
        return said.length || link ? `<div class="diagnosis">${said.map(sentence => `<p>${sentence}</p>`).join("")}${link ? `<p>${link}</p>` : ""}</div>` : "";
    }

    function print(text) {
        const found = parse(text);
        if (!found) return null;
        const { modes: names } = edition.data.frames, current = found.fields["current mode"], lines = [];
        if (current) lines.push(/none|null/.test(current) ? say("print.idle") : say("print.running", { mode: link(current) }));
        if (found.modes.length) lines.push(say("print.modes", { count: found.modes.length }));
        if (found.commonModes.length) lines.push(say("print.commonModes", { modes: found.commonModes.map(mode => link(mode)).join(say("print.comma")) }));
        const isAlone = !found.isLoop && !found.modes.length, items = [...found.items.values()];
        const modes = found.modes.map(mode => `<h3>${link(mode.name)}</h3><p>${escape(names[mode.name] ?? "")} ${Object.entries(KINDS).map(([kind, what]) =>
            `${what}: ${Math.max(mode.counts[kind] ?? 0, items.filter(item => item.what === what && item.modes.has(mode)).length)}`).join(say("print.comma"))}</p>${fieldList(mode.fields, MODE)}`);
        return `<section class="reading"><h2>${say(isAlone ? "print.titleItem" : "print.title")}</h2>${told(found, isWhole(text, found))}${lines.length ? `<p class="summary">${edition.paste.joined(lines)}</p>` : ""}` +
            `${fieldList(found.fields, LOOP)}${items.length ? table(found) : `<p>${say(isWhole(text, found) ? "print.empty" : "print.cut")}</p>`}${isAlone ? items.map(item => fieldList(item.fields, ITEM)).join("") + edition.paste.item(text) : ""}${modes.join("")}</section>`;
    }

    edition.paste.print = print;
    edition.paste.parsed = text => { const found = parse(text); return { found, isWhole: Boolean(found) && isWhole(text, found) }; };
})();
