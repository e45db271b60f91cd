// diagnosis.js: what a printed loop (print.js) says of the reader's trouble, and says first: which timer does not fire now, which mode is empty, which source waits for a wake-up; and the printed
// loop as a program (Documentation/Reference/programs.md), with the reader's own names, which the page Play performs.
"use strict";

(() => {
    const { escape, say, code, name: link } = edition.paste;
    const NEVER = 1e9; // seconds: an interval with which a timer never repeats by itself
    const LATE = 0.05; // seconds: later than that, a timer is overdue
    const LONGEST = 23; // letters of a name in a program
    const SHOWN = 20; // items of a program: more are not seen on the stage
    const DEFAULT = /^(kCFRunLoop|NS)DefaultRunLoopMode$|^kCFRunLoopDefaultMode$/;

    /** What an item is called: what it calls, without NSTimer's mark and the braces of a method. */
    const label = item => item.fields.callout?.replace(/^\(\w+(?: \w+)?\)\s*/, "").trim() || item.what;
    const modesOf = item => [...item.modes].map(mode => link(mode.name)).join(say("print.comma"));
    /** In how many seconds a timer fires; negative, if it should have fired. */
    const rest = item => Number(item.fields["next fire date"]?.match(/\((-?[\d.]+(?:e[+-]?\d+)?)(?: @|\))/)?.[1] ?? NaN);
    const isOn = item => item.fields.valid !== "No";
    const seconds = number => escape(String(Math.round(Math.abs(number) * 10) / 10));

    /** The sentences, the most important first; none, if the text has no loop. */
    function diagnosis(found, isWhole) {
        const current = found.fields["current mode"], isRunning = current && !/none|null/.test(current), now = found.modes.find(mode => mode.name === current);
        const items = [...found.items.values()], said = [], add = (key, values) => said.push(say(`diagnosis.${key}`, values));
        if (!found.isLoop) return said;
        if (!isWhole) add("cut", {});
        if (current && !isRunning) add("idle", {});
        if (now && isWhole && !["sources0", "sources1", "timers"].some(kind => now.counts[kind]) && !items.some(item => item.what !== "Observer" && item.modes.has(now))) add("empty", { mode: link(current) });
        for (const item of items.toSorted((one, other) => (other.what === "Timer") - (one.what === "Timer"))) { // what a reader looks for is mostly a timer
            const values = { item: code(label(item)), mode: link(current ?? ""), modes: modesOf(item), seconds: seconds(rest(item)) };
            const isAway = now && item.modes.size && !item.modes.has(now);
            if (!isOn(item)) add("ignored", values);
            else if (item.what === "Timer" && !(Number(item.fields.interval) > NEVER)) {
                if (isAway) add(found.commonModes.includes(current) ? "timerAway" : "timerAwayUncommon", values);
                else if (isRunning && rest(item) < -LATE && item.fields.firing !== "Yes") add("overdue", values);
            } else if (item.what === "Source0" && item.fields.signalled === "Yes") {
                if (isAway) add("signalledAway", values);
                else if (isRunning && found.fields.ignoreWakeUps === "false") add("asleep", values);
                else if (isRunning) add("signalled", values);
            }
        }
        if (found.fields.stopped === "true") add("stopped", {});
        if (!said.length && isRunning && isWhole) add("nothing", { mode: link(current) });
        return said;
    }

    // MARK: - The program

    /** Words that a program can have as a name, each once. */
    function namer() {
        const taken = new Set();
        return text => {
            const base = text.replace(/\(.*$/, "").match(/[A-Za-z][\w.]*/g)?.join(".").slice(0, LONGEST - 3).replace(/[._]+$/, "") || "item";
            let name = base;
            for (let number = 2; taken.has(name); number++) name = `${base}_${number}`;
            taken.add(name);
            return name;
        };
    }

    const modeName = name => DEFAULT.test(name) ? "default" : name.replace(/\W+/g, "_").slice(0, LONGEST);

    /** The program; and which line of its log tells what there is to see. Null, if the loop was not printed whole enough. */
    function program(found) {
        const { activities } = edition.data.frames, named = namer(), lines = [], after = [];
        const current = found.fields["current mode"], mode = current && !/none|null/.test(current) ? modeName(current) : "default";
        const items = [...found.items.values()].filter(item => isOn(item) && (item.isCommon || item.modes.size));
        if (!found.isLoop || !items.length) return null;
        for (const common of found.commonModes) if (modeName(common) !== "default") lines.push(`declare ${modeName(common)} common`);
        const places = item => item.isCommon ? "common" : [...item.modes].map(mode => modeName(mode.name)).join(", ");
        let isAway = false;
        for (const item of items.slice(0, SHOWN)) {
            const name = named(label(item)), order = Number(item.fields.order) ? ` order ${Number(item.fields.order)}` : "", where = `${order} in ${places(item)}`;
            if (item.what === "Source0") {
                lines.push(`source ${name}${where}`);
                if (item.fields.signalled === "Yes") after.push(`signal ${name}`);
            } else if (item.what === "Source1") lines.push(`port ${name}${where}`);
            else if (item.what === "Observer") {
                const mask = Number(item.fields.activities), all = (mask & 0xfffffff) === 0xfffffff;
                const names = Object.keys(activities).filter(bit => mask & bit).map(bit => activities[bit].replace(/^kCFRunLoop/, ""));
                if (all || names.length) lines.push(`observer ${name} of ${all ? "everything" : names.join(", ")}${item.fields.repeats === "No" ? " once" : ""}${where}`);
            } else if (item.what === "Timer" && Math.abs(rest(item)) < NEVER && !(Number(item.fields.interval) > NEVER)) {
                const interval = Number(item.fields.interval), date = `${Math.round(rest(item) * 1000) / 1000}s`;
                lines.push(interval > 0 ? `timer ${name} every ${interval}s from ${date} in ${places(item)}` : `timer ${name} at ${date} in ${places(item)}`);
                isAway ||= places(item) !== "common" && !places(item).split(", ").includes(mode);
            }
        }
        if (!lines.some(line => /^(source|port|timer|observer) /.test(line))) return null;
        const runs = [`run ${mode} for 3s`, ...isAway ? ["run default for 3s"] : []];
        return { text: [...lines, ...after, ...runs, ""].join("\n"), line: isAway ? 1 : undefined };
    }

    /** A link to the page that performs the program. */
    function played(found) {
        const made = edition.data.frames.plays ? program(found) : null;
        if (!made) return "";
        const fields = new URLSearchParams({ program: made.text, ...made.line ? { line: made.line } : {} });
        return ` <a class="play" href="${edition.base}play.html#${escape(fields.toString())}">${say("diagnosis.play")}</a>`;
    }

    edition.paste.diagnosis = { sentences: diagnosis, program, played };
})();
