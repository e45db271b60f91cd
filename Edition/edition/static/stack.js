// stack.js: explains a pasted stack, or the print of a loop, line by line. The tables are in data/frames.js.
"use strict";

(() => {
    const escape = text => text.replace(/[&<>"]/g, letter => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" })[letter]);
    const RUN = /^CFRunLoopRunSpecific(WithOptions)?$/;
    const STEPS_PAGE = "src/Sources/CRunLoop/CFRunLoop.c.html";

    const say = (key, values = {}) => edition.data.text[key].replace(/\{(\w+)\}/g, (_, name) => values[name]);
    const known = name => edition.search.entry(name) ? `<a class="name" href="${edition.address(name)}"><code>${escape(name)}</code></a>` : `<code>${escape(name)}</code>`;
    const step = number => number ? `<a class="stepmark" href="${edition.base}${STEPS_PAGE}#step-${number}">${say("stack.step", { number })}</a>` : "";

    // MARK: - Stacks

    /** A line of a stack: { number, name, rest, module, file, line }; null if it is none. */
    function frame(line) {
        let match;
        // lldb: frame #3: 0x0000… CoreFoundation`__CFRunLoopDoTimer + 123, or …`__CFRunLoopRun(rl=0x…) at CFRunLoop.c:175:9
        if ((match = line.match(/^[\s*]*frame #(\d+):\s*(?:0x[0-9a-f]+\s+)?(?:([^`]*)`)?(.+)$/i))) return named(match[1], match[3], match[2]);
        // gdb: #3  0x0000… in __CFRunLoopRun (rl=0x…) at …/CFRunLoop.c:175. Xcode has the same with #3 and 0x.
        if ((match = line.match(/^\s*#(\d+)\s+(?:0x[0-9a-f]+\s+in\s+)?(.+)$/i))) return named(match[1], match[2], "");
        // A crash report, Xcode's log, NSThread.callStackSymbols: 3   CoreFoundation   0x0000… __CFRunLoopRun + 123
        if ((match = line.match(/^\s*(\d+)\s+(\S.*?)\s+(0x[0-9a-f]+)\s+(.+)$/i))) return named(match[1], match[4], match[2]);
        // sample: + ! 2000 __CFRunLoopRun  (in CoreFoundation) + 1161  [0x…]
        if ((match = line.match(/^[\s+!:|]*\d+\s+(\S.*?)\s+\(in ([^)]+)\)/))) return named("", match[1], match[2]);
        // A bare list of functions
        if ((match = line.match(/^\s*([A-Za-z_]\w*)\s*(?:\(\))?\s*$/)) && edition.data.frames.frames[match[1]]) return named("", match[1], "");
        return null;
    }

    function named(number, text, module) {
        let rest = text.trim(), file = "", line = 0, match;
        if ((match = rest.match(/^(.*?)\s+at\s+(\S+?):(\d+)(?::\d+)?$/))) [, rest, file, line] = match;
        else if ((match = rest.match(/^(.*?)\s+from\s+(\S+)$/))) [, rest, module] = match;
        let name = rest;
        if ((match = rest.match(/^((?:__\d+)?[-+]\[[^\]]*\](?:_block_invoke\w*)?)(.*)$/))) [, name, rest] = match;
        else if ((match = rest.match(/^([\w$~:.]+)(.*)$/s)) && !/^(closure|thunk|static|specialized)\b/.test(match[1])) [, name, rest] = match;
        else [name, rest] = [rest.replace(/\s+\+\s+\d+$/, ""), ""];
        // Foundation's categories: -[NSRunLoop(NSRunLoop) runMode:beforeDate:]
        name = name.replace(/^([-+]\[\w+)\(\w+\)/, "$1");
        return { number, name, rest: rest.replace(/^\s*\+\s*\d+.*$/, "").trim(), module: module ?? "", file: file.split("/").at(-1), line: Number(line) };
    }

    function stack(text) {
        const lines = text.split("\n").map(text => ({ text, frame: frame(text) }));
        const frames = lines.map(line => line.frame).filter(Boolean);
        const tables = edition.data.frames;
        if (!frames.length || (frames.length < 2 && !frames.some(frame => tables.frames[frame.name]))) return null;
        // A run is what is above its CFRunLoopRunSpecific, up to the next one. The innermost comes first.
        const runs = [];
        let run = [];
        for (const frame of frames) {
            frame.run = runs.length;
            run.push(frame);
            if (RUN.test(frame.name)) {
                runs.push(run);
                run = [];
            }
        }
        const isPart = !runs.length;
        if (isPart) runs.push(frames);
        const states = runs.map(state);
        const rows = lines.filter(line => line.text.trim()).map(({ text, frame }) => frame ? frameRow(frame, states[frame.run], runs) : `<li class="other"><span class="text">${escape(text)}</span></li>`);
        return `<section class="reading"><h2>${say("stack.title")}</h2>${states.map((state, index) => `<p class="summary">${summary(state, index, states.length)}</p>`).join("")}` +
            `<ol class="frames">${rows.join("")}</ol></section>`;
    }

    /** What a run is doing: its step, its callout and its mode, as far as the frames tell. */
    function state(frames) {
        const tables = edition.data.frames, found = { step: "", callout: "", what: "", mode: "", isAsleep: false };
        const isInPass = frames.some(frame => frame.name === "__CFRunLoopRun");
        const observers = frames.find(frame => frame.name === "__CFRunLoopDoObservers");
        for (const frame of frames) {
            const [step, sentence, callout] = tables.frames[frame.name] ?? [];
            if (callout && !found.callout) [found.callout, found.what] = [callout, sentence];
            if (step && frame.name.startsWith("__CF") && !found.step) found.step = step;
            if (/^(__CFRunLoopServiceMachPort|__CFPortSetWait|mach_msg.*)$/.test(frame.name) && !found.callout) found.isAsleep = true;
            if (frame.name === "__CFRunLoopRun" && frame.file === "CFRunLoop.c" && !found.step) found.step = stepOfLine(frame.line);
            if (RUN.test(frame.name) || frame.name === "__CFRunLoopRun" || RUN.test(frames.at(-1).name)) found.mode ||= modeIn(frame.rest);
        }
        if (observers) {
            const activity = observers.rest.match(/(?:activity|mask)=(?:0x([0-9a-f]+)|(\d+)|kCFRunLoop(\w+))/i);
            const number = activity && (activity[1] ? parseInt(activity[1], 16) : activity[2] ? Number(activity[2]) :
                Object.keys(tables.activities).find(key => tables.activities[key] === activity[3]));
            found.step = tables.stepOfActivity[number] ?? (isInPass ? "" : "1");
            found.activity = tables.activities[number] ?? "";
            if (!found.step || (!number && !isInPass)) found.stepWords = say(isInPass ? "stack.observerInPass" : "stack.observerOutside");
        }
        if (found.callout === "block" && !found.step) found.stepWords = say("stack.block");
        return found;
    }

    /** The step whose comment is the last above a line of our CFRunLoop.c. */
    function stepOfLine(line) {
        let step = "";
        for (const [number, first] of edition.data.frames.markers) if (first <= line) step = number;
        return step;
    }

    function modeIn(text) {
        return text.match(/(?:kCFRunLoop\w*Mode|NS\w+Mode|UI\w+RunLoopMode|GSEvent\w+Mode)\b/)?.[0] ?? text.match(/(?:modeName|mode)=[^,)]*"([^"]+)"/)?.[1] ?? "";
    }

    function summary(state, index, count) {
        const where = state.step && !state.stepWords ? say("stack.at", { step: step(state.step), words: escape(edition.data.frames.steps[state.step]) }) : (state.stepWords ?? say("stack.unknown")) + say("stack.point");
        const what = state.isAsleep ? say("stack.asleep") : state.callout ? say("stack.in", { what: escape(state.what) }) : "";
        const mode = state.mode ? say("stack.mode", { mode: `<code>${escape(state.mode)}</code>` }) : "";
        const run = count > 1 ? say(index === 0 ? "stack.innermost" : "stack.outer", { number: index + 1 }) : say("stack.run");
        return [run, where, what, mode].filter(Boolean).join(" ");
    }

    function frameRow(frame, state, runs) {
        const [number, sentence, callout] = edition.data.frames.frames[frame.name] ?? [];
        const isLoop = sentence !== undefined && /^(_{0,2}CF|_dispatch_main|__CFRUN)/.test(frame.name);
        const frames = runs[frame.run] ?? [];
        const own = frames.findIndex(other => edition.data.frames.frames[other.name]?.[2]);
        const isClient = sentence === undefined && own >= 0 && frames.indexOf(frame) < own;
        const words = callout ? say("stack.callout", { what: escape(sentence) }) : sentence !== undefined ? escape(sentence) : isClient ? say("stack.yours") : "";
        const mark = step(number || (callout || /DoObservers|DoBlocks/.test(frame.name) ? state?.step : ""));
        return `<li class="${isLoop ? "loop" : isClient ? "yours" : "other"}"><span class="number">${escape(frame.number)}</span> ${known(frame.name)} ${mark}` +
            `<span class="where">${escape([frame.module, frame.file && `${frame.file}:${frame.line}`].filter(Boolean).join(" "))}</span>${words ? `<p>${words}</p>` : ""}</li>`;
    }

    // MARK: - A printed loop

    function print(text) {
        if (!/<CFRunLoop(Mode|Source|Timer|Observer)? 0x|^\s*CFRunLoop\b.*0x/m.test(text)) return null;
        const tables = edition.data.frames, rows = [], modes = [];
        let current = "";
        for (const line of text.split("\n")) {
            if (!line.trim()) continue;
            const notes = notesOf(line, tables);
            const mode = line.match(/<CFRunLoopMode [^{]*\{name = ([^,]+),/);
            if (mode) modes.push({ name: mode[1], counts: [] });
            const field = line.match(/^\s*(sources0|sources1|observers|timers)\s*=.*?count = (\d+)/) ?? line.match(/^\s*(sources0|sources1|observers|timers)\s*=\s*\((?:null|nil)\)/);
            if (field && modes.length) modes.at(-1).counts.push(`${field[1]} ${field[2] ?? 0}`);
            current ||= line.match(/current mode = ([^,]+),/)?.[1] ?? "";
            rows.push(`<li class="${notes.length ? "loop" : "other"}"><code class="text">${escape(line.replace(/\t/g, "    "))}</code>${notes.map(note => `<p>${note}</p>`).join("")}</li>`);
        }
        const lines = modes.map(mode => `<li><code>${escape(mode.name)}</code> ${escape(mode.counts.join(", "))}</li>`).join("");
        return `<section class="reading"><h2>${say("print.title")}</h2><p class="summary">${current ? say(current.includes("none") || current.includes("null") ? "print.idle" : "print.running",
            { mode: `<code>${escape(current)}</code>` }) : ""} ${modes.length ? say("print.modes", { count: modes.length }) : ""}</p>${lines ? `<ul>${lines}</ul>` : ""}<ol class="frames print">${rows.join("")}</ol></section>`;
    }

    function notesOf(line, tables) {
        const notes = [];
        const type = line.match(/<(CF\w+) 0x/)?.[1];
        if (type === "CFRunLoopSource") notes.push(link(tables.types[type][0]) + " " + say(/version = 0|CFRunLoopSource context>\{version = 0/.test(line) ? "print.source0" : "print.source1"));
        else if (tables.types[type]) notes.push(link(tables.types[type][0]) + " " + escape(tables.types[type][1]));
        for (const [key, [card, sentence]] of Object.entries(tables.keys)) {
            const value = line.match(new RegExp(`(?:^|[\\s{,/(])(?<!common |current )${key}(?: =|:) ?("[^"]*"|[^,}\\n]*)`))?.[1]?.trim();
            if (value === undefined || (type === "CFString" && key !== "contents") || (key === "count" && !/^\d+$/.test(value)) || (key === "source" && !/^\(?(0x|nil|null)/.test(value)) ) continue;
            if (key === "name" && type !== "CFRunLoopMode") continue;
            if (key === "contents") {
                const mode = value.replaceAll('"', "");
                notes.push(`<code>${escape(mode)}</code> ${tables.modes[mode] ? escape(tables.modes[mode]) : say("print.mode")}`);
                continue;
            }
            if (key === "count") continue;
            const name = key === "valid" && type ? `${type}IsValid` : card; // each type has its own function
            let words = escape(sentence);
            if (key === "activities") words = `${activities(value)}: ${words}`;
            if (key === "callout") {
                const frame = Object.keys(tables.frames).find(name => value.startsWith(name));
                words = frame ? escape(tables.frames[frame][1]) : words;
            }
            if (key === "name" || key === "current mode") words += tables.modes[value] ? ` · ${escape(tables.modes[value])}` : "";
            const shown = value.startsWith("<") ? key : `${key} = ${value.length > 60 ? value.slice(0, 57) + "…" : value}`;
            notes.push(`<code>${escape(shown)}</code> ${name ? link(name) + " " : ""}${words}`);
        }
        return notes;
    }

    const link = name => name && edition.search.entry(name) ? `<a class="id" href="${edition.address(name)}">${escape(name)}</a>` : "";

    /** The names of a mask of activities. */
    function activities(value) {
        const mask = Number(value), tables = edition.data.frames.activities;
        if ((mask & 0xfffffff) === 0xfffffff) return "AllActivities";
        return Object.keys(tables).filter(bit => mask & bit).map(bit => tables[bit]).join(", ") || escape(value);
    }

    /** HTML that explains a pasted stack or print; null if the text is neither. */
    async function read(text) {
        await Promise.all([edition.load("frames"), edition.load("text"), edition.search.prepare()]);
        return print(text) ?? stack(text);
    }

    edition.read = read;
})();
