// play.js: performs the program of play.html, and shows any moment of it: as the loop (stage.js, one event at a time: events.js) or as its code, line by
// line. The address carries the program, the moment and the view, and which line of the loop is broken (breaks.js): play.html#program=…&line=3 (play.py).
// The module is Edition/Browser/Page.c.
"use strict";

(() => {
    const $ = id => document.getElementById(id);
    const { make } = edition;
    const makeButton = (text, action) => Object.assign(make("button", "", text), { type: "button", onclick: action });
    const say = (key, ...values) => (edition.data.text[key] ?? key).replace(/\{(\d)\}/g, (_, index) => values[index]);
    const ACTION = 0x8000, CHUNK = 1 << 16, MOST = 3_500_000, MOST_LINES = 3000, SHOWN = 19_000; // milliseconds
    const isEmbedded = new URLSearchParams(location.hash.slice(1)).has("embed"); // in a page that is not ours
    if (top !== self) { // or in a chapter of the book
        document.documentElement.classList.add("framed", ...isEmbedded ? ["embedded"] : []);
        document.head.append(Object.assign(document.createElement("base"), { target: isEmbedded ? "_blank" : "_top" }));
    }
    /** A link to another page of the edition; in the page that is one file, the words alone. */
    const leads = (link, address) => edition.alone ? link : Object.assign(link, { href: edition.base + address });

    // The machine: an instance of the module, which is wound back before each performance

    class Stop extends Error {}

    class Machine {
        static async make(module) {
            const machine = new Machine();
            // The only call of WASI that has a result is a write to stderr, which the log has as well.
            const written = (file, vectors, count, at) => {
                const view = new DataView(machine.exports.memory.buffer);
                let size = 0;
                for (let i = 0; i < count; i++) size += view.getUint32(vectors + 8 * i + 4, true);
                view.setUint32(at, size, true);
                return 0;
            };
            const wasi = new Proxy({}, { get: (_, name) => name === "fd_write" ? written : () => 0 });
            const instance = await WebAssembly.instantiate(module, { page: { stop() { throw new Stop(); } }, wasi_snapshot_preview1: wasi });
            machine.exports = instance.exports;
            machine.exports._initialize();
            machine.stack = machine.exports.stack_pointer();
            machine.first = machine.bytes.slice();
            return machine;
        }

        get bytes() { return new Uint8Array(this.exports.memory.buffer); }

        string(at) {
            const bytes = this.bytes;
            return new TextDecoder().decode(bytes.slice(at, bytes.indexOf(0, at)));
        }

        /** Winds back, and reads a program for a loop with a line broken, or with none (0). Returns what is wrong with it, or nothing. */
        read(text, broken = breaks.number) {
            this.bytes.set(this.first);
            this.bytes.fill(0, this.first.length);
            this.exports.set_stack_pointer(this.stack);
            const words = new TextEncoder().encode(text).subarray(0, 65535);
            this.bytes.set(words, this.exports.text());
            this.exports.break_line(broken);
            return this.exports.read() ? "" : this.string(document.documentElement.lang.startsWith("zh") ? this.exports.error_in_chinese() : this.exports.error());
        }

        /** Performs it. Returns how that has ended: ended, deadlock, stopped, deep, trapped. */
        perform(seed, stopAt, records) {
            try {
                return this.exports.perform(seed, stopAt, records ? 1 : 0) ? "deadlock" : "ended";
            } catch (error) {
                if (error instanceof Stop) return this.exports.moment_count() >= stopAt ? "stopped" : "deep";
                if (error instanceof RangeError || error.name === "InternalError") return "deep";
                if (error instanceof WebAssembly.RuntimeError) return "trapped";
                throw error;
            }
        }
    }

    let table, words, examples, breaks, recorder, shower; // two machines: one has the whole run, the other stands at a moment
    let run = null, at = 0, current = -1, playing = 0, naming = 0, named = null, marked = null; // `current` is the event that is shown
    let view = "loop"; // or "code"
    const stops = new Set(); // "FILE:LINE" and "step:N"
    const panes = new Map();

    /** Performs a program, and keeps its moments. */
    function record(text, seed) {
        const error = recorder.read(text);
        if (error) return { error };
        const start = performance.now(), end = recorder.perform(seed, MOST, true), { exports } = recorder;
        const count = exports.moment_count(), buffer = new ArrayBuffer(count * 16), all = new Uint8Array(buffer);
        for (let chunk = 0; chunk * CHUNK < count; chunk++) {
            const from = exports.chunk(chunk), size = Math.min(CHUNK, count - chunk * CHUNK) * 16;
            all.set(recorder.bytes.subarray(from, from + size), chunk * CHUNK * 16);
        }
        const log = recorder.string(exports.log_text()), lines = log.split("\n").slice(0, -1);
        const times = new Float64Array(recorder.bytes.slice(exports.times(), exports.times() + 8 * exports.time_count()).buffer);
        const names = ["", ...recorder.string(exports.thread_names()).split("\n")];
        const program = JSON.parse(recorder.string(exports.program()));
        for (const action of program.actions) {
            action.modes = program.modes.filter((_, index) => action.modes & 1 << index);
            action.mode = action.modes[0] ?? "";
        }
        const threadEnds = names.map((_, number) => exports.thread_end(number));
        const found = { text, seed, end, program, cleanUp: exports.clean_up() >>> 0, threadEnds, count, log, lines, times, names, bytes: all, halves: new Uint16Array(buffer), whole: new Uint32Array(buffer) };
        const encoder = new TextEncoder();
        let offset = 0;
        found.ends = lines.map(line => offset += encoder.encode(line).length + 1);
        found.seconds = (performance.now() - start) / 1000;
        return found;
    }

    /** The lines that a program writes on the loop with this line broken, or with none; by default the program in the editor. */
    function logWithout(text = $("program").value, broken = 0) {
        if (recorder.read(text, broken)) return [];
        recorder.perform(Number($("seed").value) >>> 0, MOST, false);
        return recorder.string(recorder.exports.log_text()).split("\n").slice(0, -1);
    }

    // What a moment has

    const statementOf = moment => run.halves[moment * 8], threadOf = moment => run.halves[moment * 8 + 1], depthOf = moment => run.bytes[moment * 16 + 4];
    const digitOf = moment => run.bytes[moment * 16 + 5] & 15, reasonOf = moment => run.bytes[moment * 16 + 5] >> 4, runsOf = moment => run.bytes[moment * 16 + 6];
    const logOf = moment => run.whole[moment * 4 + 2], timeOf = moment => run.times[run.whole[moment * 4 + 3]] ?? 0;
    const isProgram = moment => (statementOf(moment) & ACTION) !== 0, actionOf = moment => run.program.actions[statementOf(moment) & ~ACTION], programLine = moment => actionOf(moment).line;
    const functionOf = moment => isProgram(moment) ? -1 : table.statements[statementOf(moment)][3];
    const nameOf = moment => functionOf(moment) < 0 ? "" : table.functions[functionOf(moment)][1];
    const stepOf = moment => {
        const step = digitOf(moment), reason = reasonOf(moment);
        return !step || !runsOf(moment) ? "" : step === 9 && reason >= 3 && reason <= 5 ? `9.${reason - 2}` : String(step);
    };
    const wholeStep = moment => runsOf(moment) ? digitOf(moment) : 0;
    const placeOf = moment => isProgram(moment) ? "" : `${table.files[table.statements[statementOf(moment)][0]]}:${table.statements[statementOf(moment)][1]}`;
    let isCallout, isWait, results; // by function; by statement; the statements that decide with what a run returns

    /** When the thread goes on, if it sleeps at this moment; otherwise undefined. */
    function sleepEnd(moment) {
        if (!isWait[statementOf(moment)]) return undefined;
        const thread = threadOf(moment), began = timeOf(moment);
        for (let next = moment + 1; next < run.count; next++) {
            if (threadOf(next) === thread) return timeOf(next) > began || next > moment + 1 ? timeOf(next) : undefined;
        }
        return run.times.at(-1);
    }

    const begins = {
        line: () => true,
        step: moment => moment > 0 && stepOf(moment) !== "" && (wholeStep(moment) !== wholeStep(moment - 1) || threadOf(moment) !== threadOf(moment - 1)),
        pass: moment => moment > 0 && wholeStep(moment) === 2 && wholeStep(moment - 1) !== 2,
        callout: moment => functionOf(moment) >= 0 && isCallout[functionOf(moment)] && (moment === 0 || depthOf(moment) > depthOf(moment - 1)),
        sleep: moment => sleepEnd(moment) !== undefined,
        thread: moment => moment > 0 && threadOf(moment) !== threadOf(moment - 1),
        log: moment => moment > 0 && logOf(moment) !== logOf(moment - 1),
        break: moment => stops.has(placeOf(moment)) || begins.step(moment) && stops.has(`step:${wholeStep(moment)}`),
    };

    function next(kind, by) {
        const last = run.count - 1, thread = threadOf(at), depth = depthOf(at);
        const fits = kind === "over" ? moment => threadOf(moment) !== thread || depthOf(moment) <= depth : begins[kind];
        for (let moment = at + by; moment >= 0 && moment <= last; moment += by) if (fits(moment)) return moment;
        return kind !== "over" ? at : by > 0 ? last : 0;
    }

    /** The first number for which a condition holds that then holds for all greater ones; if it holds for none, the limit. */
    function firstOf(limit, holds) {
        let low = 0, high = limit;
        while (low < high) {
            const middle = (low + high) >> 1;
            if (holds(middle)) high = middle; else low = middle + 1;
        }
        return low;
    }

    /** How many lines the log has at a moment. */
    function linesAt(moment) {
        const length = moment >= run.count - 1 && run.end !== "stopped" ? Infinity : logOf(moment);
        return firstOf(run.ends.length, line => run.ends[line] > length);
    }

    /** The first moment at which the log has so many lines. */
    const momentOfLine = line => firstOf(run.count - 1, moment => logOf(moment) >= run.ends[line - 1]);

    const momentOfTime = time => firstOf(run.count - 1, moment => timeOf(moment) >= time);

    // The state at a moment: the program is performed again up to it. What it changes is compared in words.

    const kept = new Map();
    function stateAt(moment) {
        if (!kept.has(moment)) {
            if (kept.size > 200) kept.clear();
            shower.read(run.text);
            shower.perform(run.seed, moment, false);
            kept.set(moment, flat(JSON.parse(shower.string(shower.exports.state()))));
        }
        return kept.get(moment);
    }

    const seconds = time => time === null || time === undefined ? "never" : `${Number(time.toFixed(9))} s`;
    const MODE = { kCFRunLoopDefaultMode: "default" }, COLOURS = 6; // of modes, in play.css
    const modeColour = name => `var(--m${run.program.modes.filter(mode => mode !== "common").indexOf(name) % COLOURS})`;

    /** The state with its fields by their names. */
    function flat(state) {
        const fields = new Map(), name = index => state.items[index]?.name, several = state.loops.length > 1;
        const holders = new Map([[0, ""], ...state.threads.map(thread => [thread.number, thread.name])]);
        const put = (key, value) => fields.set(key, String(value));
        const list = items => items.map(name).join(", ") || "none";
        for (const loop of state.loops) {
            const own = several ? `${loop.name}'s loop` : "loop";
            if (loop.name === "main") put("run", loop.runs);
            put(`${own}._currentMode`, loop.mode || "NULL");
            put(`${own}.sleeping`, loop.asleep);
            put(`${own}.stopped`, loop.stopped ? "STOP" : "0");
            put(`${own}.ignoreWakeUps`, loop.ignoreWakeUps ? "WAKE" : "0");
            put(`${own}._wakeUpSent`, loop.sent);
            put(`${own}._wakeUpPort`, loop.message ? "a message" : "empty");
            put(`${own}._hasNested`, loop.nested);
            put(`${own}._blocks`, loop.blocks);
            put(`${own}._commonModeItems`, list(loop.commonItems));
            put(`lock ${own}`, holders.get(loop.lock) ?? "");
            for (const mode of loop.modes) {
                const its = several ? `${loop.name}'s ${mode.name}` : mode.name;
                put(`lock ${its}`, holders.get(mode.lock) ?? "");
                put(`${its}._stopped`, mode.stopped);
                for (const kind of ["sources0", "sources1", "observers", "timers"]) put(`${its}._${kind}`, list(mode[kind]));
                put(`${its}._timerSoftDeadline`, seconds(mode.soft));
                put(`${its}._portSet.timerDeadline`, seconds(mode.deadline));
            }
        }
        put("main queue.work", state.queue);
        for (const item of state.items) {
            for (const key of ["signaled", "firing", "due", "valid"]) if (key in item) put(`${item.name}.${key}`, item[key]);
            if ("message" in item) put(`${item.name}.port`, item.message ? "a message" : "nothing to read");
            if ("fire" in item) put(`${item.name}._fireTSR`, seconds(item.fire));
            if ("lock" in item) put(`lock ${item.name}`, holders.get(item.lock) ?? "");
        }
        return Object.assign(state, { fields, holders });
    }

    /** [field, value, value before] of what the statement before has changed. */
    function changes(moment) {
        if (moment === 0) return [];
        const before = stateAt(moment - 1).fields, found = [];
        for (const [field, value] of stateAt(moment).fields) if (before.get(field) !== value && (before.has(field) || !/^lock /.test(field))) found.push([field, value, before.get(field) ?? ""]);
        return found;
    }

    const threadWords = name => name === "main" ? say("play.sleeper") : name === "outside" ? say("play.another") : say("play.thread", name); // at the beginning of a sentence
    const threadName = name => name === "main" ? say("play.main") : name;

    function sentences(changed) {
        const found = [];
        for (const [name, now] of changed) {
            const isLock = name.startsWith("lock "), plain = name.replace(/^(lock )?\S+'s /, "$1");
            for (const [field, wanted, sentence] of words.changes) {
                const fits = isLock ? field === "lock" : field.startsWith(".") ? plain.endsWith(field) : plain === field;
                if (!fits || (wanted !== "*" && wanted !== now) || (wanted === "*" && now === "")) continue;
                const object = isLock ? name.slice(5) : field.startsWith(".") ? name.slice(0, -field.length) : name;
                if (sentence) found.push(sentence.replace("{o}", object).replace("{v}", isLock ? threadName(now) : now));
                break;
            }
        }
        return found;
    }

    // Drawing

    function draw() {
        const state = stateAt(at), changed = changes(at), own = state.threads.find(thread => thread.number === threadOf(at)), frames = own?.frames ?? [];
        const step = stepOf(at), name = run.names[threadOf(at)];
        let passes = 0;
        for (const loop of state.loops) if (loop.name === name && loop.runs) passes = loop.passes + 1;
        $("scrubber").setAttribute("aria-valuetext", say("play.where", Number(timeOf(at).toFixed(9)), at + 1, run.count));
        $("where").textContent = [passes ? say("play.pass", passes) : "", say("play.where", Number(timeOf(at).toFixed(9)), at + 1, run.count)].filter(Boolean).join(" · ");
        drawRail(state);
        stage.draw(current, state, new Set(changed.map(([field]) => field)));
        if (view === "code") {
            drawCaption(changed, step, name, state);
            drawCode(frames);
            drawStack(frames);
            drawRecords(state, changed);
            drawChanges(changed);
            drawLocks(state);
            $("printed").dataset.moment = "";
            if ($("printed").open) drawPrinted();
        } else drawSentence(state);
        const statement = table.statements[isProgram(at) ? frames[1] : statementOf(at)];
        breaks.suspectLine(statement && table.files[statement[0]], statement?.[1]);
        if (view === "code" && marked) breaks.mark(table.files.find(path => panes.get(path) === marked[0]), marked[0]);
        drawLog();
        drawGutter();
        run.furthest = Math.max(run.furthest ?? -1, current);
        // In a chapter, whose reader predicts, the band has what was played.
        band.draw(at, current, $("predict").checked ? current : top !== self && !isEmbedded && !breaks.number ? run.furthest : Infinity);
    }

    /** What the event is. */
    function drawSentence(state) {
        // Between two events, in a callback that begins, it is the callout; else what the event was, as the state was then.
        const last = run.events[current], begun = last?.at !== at && run.events.find(event => event.kind === "callout" && event.thread === threadOf(at) && event.from <= at && at < event.at);
        const event = begun || last, caption = $("caption");
        if (playing && event?.kind === "step" && caption.firstChild) return; // a step is over before its sentence is read: the rail shows it
        if (event && event.at !== at) state = stateAt(event.at);
        caption.classList.remove("matters");
        caption.dataset.kind = event?.kind ?? "";
        const told = make("p", "now");
        told.textContent = stage.tell(event, state);
        caption.replaceChildren(told);
    }

    /** The moment whose step is shown: of a thread that has no run, the last one of another thread that is in its run. */
    function shownMoment() {
        const over = new Set([threadOf(at)]);
        for (let moment = at; !runsOf(at) && moment >= 0 && at - moment < 5000; moment--) {
            if (over.has(threadOf(moment))) continue;
            if (runsOf(moment)) return moment;
            over.add(threadOf(moment));
        }
        return at;
    }

    function drawRail(state) {
        const shown = shownMoment(), now = wholeStep(shown), past = new Set(), thread = threadOf(shown);
        for (let moment = shown; moment >= 0 && shown - moment < 5000; moment--) {
            if (threadOf(moment) !== thread) continue;
            past.add(wholeStep(moment));
            if (moment < shown && begins.pass(moment) || wholeStep(moment) === 1) break;
        }
        for (const item of $("rail").querySelectorAll("li:not([aria-hidden])")) {
            const button = item.firstChild, step = Number(button.dataset.step);
            button.ariaCurrent = step === now ? "step" : null;
            button.firstChild.textContent = step === now ? stepOf(shown) : step;
            item.className = `${past.has(step) && now ? "past" : ""} ${stops.has(`step:${step}`) ? "stops" : ""}`;
        }
        const event = run.events[current];
        $("figure").dataset.way = event?.kind === "step" && event.again ? "again" : event?.kind === "step" && event.ready ? "ready" : "";
        $("figure").classList.toggle("asleep", !!state.loops.find(loop => loop.name === run.names[threadOf(shown)])?.asleep);
        $("whose").textContent = run.loopThreads.size > 1 ? say("play.loop", run.names[threadOf(shown)]) : "";
    }

    /** What a reader should see when it changes: while the page plays, it holds such a moment long enough to read its caption. */
    const TOLD = [".signaled", ".firing", ".due", "._currentMode", ".stopped", "._wakeUpPort", "._timers", "._sources0", "._sources1", "._blocks", "main queue.work"];
    const READING = document.documentElement.lang.startsWith("zh") ? 160 : 55; // ms for a letter

    function drawCaption(changed, step, name) {
        const caption = $("caption"), first = make("p", "now"), second = make("p"), third = make("p", "step"), ends = sleepEnd(at);
        const all = sentences(changed);
        if (ends !== undefined) all.unshift(say("play.sleeps", threadWords(name), Number(ends.toFixed(9))));
        first.textContent = all.join(" ");
        caption.classList.toggle("matters", begins.log(at) || begins.callout(at) || ends !== undefined || changed.some(([field]) => TOLD.some(end => field.endsWith(end))));
        const shown = shownMoment(), of = number => threadWords(run.names[number]);
        if (at === run.count - 1 && run.end === "ended") second.append(say("play.ended", run.lines.at(-1) ?? ""));
        else if (isProgram(at)) second.append(run.names.filter(Boolean).length > 1 ? say("play.line.of", of(threadOf(at)).trim(), programLine(at)) : say("play.line", programLine(at)));
        else second.append(make("b", "", nameOf(at)), " ", words.functions[nameOf(at)] ?? "");
        if (words.steps[step]) third.append(make("b", "", say("play.step", step)), " ", words.steps[step]);
        else if (at === run.count - 1 && run.end === "ended") third.textContent = "";
        else if (shown !== at) third.append(...stepOfOther(shown, of(threadOf(shown))));
        else third.textContent = say(runsOf(at) ? "play.no-step" : "play.no-run-yet");
        caption.replaceChildren(first, second, third);
    }

    /** Where another thread is in its run: before the step that it takes next, or in one. */
    function stepOfOther(shown, name) {
        let next = at + 1;
        while (next < run.count && (threadOf(next) !== threadOf(shown) || !stepOf(shown) && !stepOf(next))) next++;
        const before = next < run.count && stepOf(next) && wholeStep(next) !== wholeStep(shown), step = stepOf(before ? next : shown);
        if (!step) return [say("play.no-step")];
        return [make("b", "", say(before ? "play.other.before" : "play.other.in", name, step)), " ", words.steps[step]];
    }

    async function pane(path) {
        if (!panes.has(path)) {
            const own = table.code?.[path]; // the reader's, which Scripts/reading-edition play has put there
            if (!own) await edition.load(`../../${words.code[path]}`);
            const targets = own ?? edition.data[`code:${path}`], pre = make("pre"), yours = new Set(own?.changed);
            pre.innerHTML = edition.lines(targets.lines).map((line, index) => `<span class="l${yours.has(index + 1) ? " yours" : ""}"><span class="n">${index + 1}</span>${line}\n</span>`).join("");
            for (const kind of ["pointerover", "pointerdown"]) {
                pre.addEventListener(kind, event => {
                    const link = event.target.closest("a"), [index, own] = targets.names[link?.textContent] ?? [];
                    const [file, line] = link?.dataset.to?.split("#L") ?? [targets.paths[index], own];
                    if (file) leads(Object.assign(link, { tabIndex: -1 }), `src/${file}.html#L${line}`);
                });
            }
            pre.addEventListener("click", event => {
                const number = event.target.closest(".n"), row = event.target.closest(".l");
                if (number) return toggle(`${path}:${number.textContent}`);
                if (row) suspectRow(path, [...pre.children].indexOf(row) + 1);
            });
            panes.set(path, pre);
        }
        return panes.get(path);
    }

    /** The current line; of a line of the program, the line of the library that has called it. */
    async function drawCode(frames) {
        const statement = isProgram(at) ? table.statements[frames[1]] : table.statements[statementOf(at)], moment = at;
        $("thread").textContent = threadName(run.names[threadOf(at)]);
        $("thread").className = `t${Math.min(threadOf(at) - 1, 1)}`;
        if (!statement) {
            $("place").textContent = say("play.program", programLine(at));
            $("place").removeAttribute("href");
            marked?.[0].querySelectorAll(".on0, .on1, .from").forEach(row => row.classList.remove("on0", "on1", "from"));
            if (!$("code").firstChild) { // the code that comes next
                let near = at;
                while (near < run.count - 1 && isProgram(near)) near++;
                const [file, line] = table.statements[statementOf(near)] ?? [0, 1], pre = await pane(table.files[file]);
                if (moment !== at) return;
                $("code").replaceChildren(pre);
                $("code").scrollTop = pre.children[line - 1].offsetTop - $("code").clientHeight * .35;
            }
            return;
        }
        const [file, line, last, of] = statement, path = table.files[file];
        $("place").replaceChildren(`${path.split("/").pop()}:${line}  `, ...edition.pieces(table.functions[of][1]));
        leads($("place"), `src/${path}.html#L${line}`);
        const pre = await pane(path), code = $("code");
        if (moment !== at) return;
        if (code.firstChild !== pre) code.replaceChildren(pre);
        if (marked) for (let row = marked[1]; row <= marked[2]; row++) marked[0].children[row - 1]?.classList.remove("on0", "on1", "from");
        for (let row = line; row <= last; row++) pre.children[row - 1].classList.add(isProgram(at) ? "from" : `on${Math.min(threadOf(at) - 1, 1)}`);
        marked = [pre, line, last];
        drawStops(path, pre);
        breaks.mark(path, pre);
        const row = pre.children[line - 1], top = row.offsetTop - code.scrollTop;
        if (top < code.clientHeight * .12 || top > code.clientHeight * .75) code.scrollTop = row.offsetTop - code.clientHeight * .35;
    }

    /** Another line than the current one is meant: for a breakpoint, or in the game. */
    function suspectRow(path, line) {
        const pre = panes.get(path);
        if (!pre?.children[line - 1]) return;
        breaks.suspectLine(path, line, true);
        breaks.mark(path, pre);
        pre.children[line - 1].scrollIntoView({ block: "nearest" });
    }

    /** Shows a line of the loop's code, wherever the program is. */
    async function showLine(path, line) {
        setView("code");
        const pre = await pane(path);
        $("code").replaceChildren(pre);
        breaks.mark(path, pre);
        $("code").scrollTop = pre.children[line - 1].offsetTop - $("code").clientHeight * .35;
    }

    function drawStops(path, pre) {
        for (const row of pre.querySelectorAll(".stops")) row.classList.remove("stops");
        for (const stop of stops) {
            const [file, line] = stop.split(":");
            if (file === path) pre.children[line - 1]?.classList.add("stops");
        }
    }

    function toggle(stop, stays) {
        // A line without a statement has the breakpoint of the next one that has.
        const [file, line] = stop.split(":"), index = table.files.indexOf(file);
        if (index >= 0) {
            const first = table.statements.filter(([of, begin]) => of === index && begin >= Number(line)).reduce((least, [, begin]) => Math.min(least, begin), Infinity);
            if (first === Infinity) return;
            stop = `${file}:${first}`;
        }
        if (!stops.delete(stop)) stops.add(stop);
        const { suspect } = breaks;
        draw();
        if (stays && view === "code") suspectRow(suspect.path, suspect.line); // the line that is meant stays so
    }

    function drawStack(frames) {
        const list = [];
        const add = (className, text, link) => {
            const item = make("li", className);
            if (link) {
                const element = make("a", "", text);
                item.append(leads(element, link));
            } else item.textContent = text;
            list.push(item);
            return item;
        };
        if (isProgram(at)) add("yours", say("play.program", programLine(at)));
        else if (sleepEnd(at) !== undefined) for (const name of ["mach_msg_trap", "mach_msg"]) add("mac", name).title = say("play.mac", name);
        for (let i = 0; i < frames.length; i += 2) {
            const [file, line] = table.statements[frames[i + 1]], name = table.functions[frames[i]][1];
            if (i > 0 && isCallout[frames[i]]) add("yours", say("play.callback"));
            add("", name, `src/${table.files[file]}.html#L${line}`).append(` :${line}`);
        }
        add("", run.names[threadOf(at)] === "main" ? "main" : "thread_start");
        $("stack").replaceChildren(...list);
    }

    /** The records of each loop's runs: the innermost run, those around it, and the record that stands for "no run". */
    function drawRecords(state, changed) {
        const isNew = new Set(changed.map(([field]) => field)), several = state.loops.length > 1, table = make("table");
        const head = make("tr");
        head.append(make("td"), ...["stopped", "ignoreWakeUps", "_hasNested"].map(name => make("th", "", name)));
        table.append(head);
        for (const loop of state.loops) {
            loop.records.forEach((record, index) => {
                const row = make("tr", index ? "outer" : "");
                const title = record.mode ? MODE[record.mode] ?? record.mode : say("play.no-run");
                row.append(make("th", "", several ? `${loop.name}: ${title}` : title));
                for (const [field, text] of [["stopped", record.stopped ? "STOP" : "0"], ["ignoreWakeUps", record.ignoreWakeUps ? "WAKE" : "0"], ["_hasNested", String(record.nested)]]) {
                    row.append(make("td", !index && isNew.has(`${several ? `${loop.name}'s loop` : "loop"}.${field}`) ? "new" : "", text));
                }
                table.append(row);
            });
        }
        $("records").replaceChildren(...state.loops.length ? [table] : [make("p", "none", say("play.changes"))]);
    }

    function drawChanges(changed) {
        const list = changed.map(([field, now, before]) => {
            const line = make("p", "change");
            line.append(field, " ");
            if (before !== "") line.append(make("s", "", before), " → ");
            line.append(make("b", "", now || "–"));
            return line;
        });
        $("changed").replaceChildren(...list.length ? list : [make("p", "none", say("play.changes"))]);
    }

    function drawLocks(state) {
        const list = [...state.fields].filter(([field, value]) => field.startsWith("lock ") && value).map(([field, holder]) => {
            const element = make("span", "lock", holder === "main" ? say("play.held.main", field.slice(5)) : say("play.held", field.slice(5), holder));
            element.style.setProperty("--t", `var(--t${holder === "main" ? 0 : 1})`);
            return element;
        });
        $("locks").replaceChildren(...list.length ? list : [make("p", "none", say("play.no-lock"))]);
    }

    function drawPrinted() {
        if ($("printed").dataset.moment === String(at)) return;
        $("printed").dataset.moment = at;
        shower.read(run.text);
        shower.perform(run.seed, at, false);
        const loops = stateAt(at).loops, names = loops.map(loop => loop.name), own = Math.max(names.indexOf(run.names[threadOf(at)]), 0);
        $("printed").lastElementChild.textContent = loops.length ? shower.string(shower.exports.print(loops[own].index)) : "";
    }

    // The log and the program

    function writeLog() {
        const lines = run.lines.slice(0, MOST_LINES).map((line, index) => makeButton(line, () => goToLine(index + 1)));
        $("log").replaceChildren(...lines, ...run.lines.length > MOST_LINES ? [make("p", "none", say("play.more", run.lines.length - MOST_LINES))] : []);
    }

    function goToLine(line) {
        stop();
        go(momentOfLine(line));
    }

    let written = 0;
    function drawLog() {
        const rows = $("log").children, count = Math.min(linesAt(at), MOST_LINES, run.lines.length);
        for (let i = Math.min(count, written); i < Math.max(count, written); i++) rows[i]?.classList.toggle("later", i >= count);
        for (const row of $("log").querySelectorAll(".now")) row.classList.remove("now");
        written = count;
        const row = rows[count - 1];
        $("log").classList.toggle("hides", $("predict").checked);
        if (!row) { $("log").scrollTop = 0; return; }
        row.classList.add("now");
        const top = row.offsetTop - $("log").offsetTop;
        if (top < $("log").scrollTop || top > $("log").scrollTop + $("log").clientHeight - 24) $("log").scrollTop = top - $("log").clientHeight / 2;
    }

    function drawGutter() {
        const count = $("program").value.split("\n").length, line = run && !run.error && isProgram(at) ? programLine(at) : 0;
        const bad = run?.error ? Number(/(?:line |第 )(\d+)/.exec(run.error)?.[1]) : 0;
        // A long line wraps. The mirror has the same lines as the editor, so it knows how high each is.
        $("mirror").style.width = `${$("program").clientWidth}px`;
        $("mirror").replaceChildren(...$("program").value.split("\n").map(text => make("span", "", text || " ")));
        const heights = [...$("mirror").children].map(row => row.offsetHeight);
        $("gutter").replaceChildren(...Array.from({ length: count }, (_, index) => {
            const row = make("span", index + 1 === line ? "on" : index + 1 === bad ? "bad" : "", index + 1);
            row.style.height = `${heights[index]}px`;
            return row;
        }));
        $("gutter").scrollTop = $("program").scrollTop;
        return heights.reduce((sum, height) => sum + height, 0) / parseFloat(getComputedStyle($("mirror")).lineHeight);
    }

    /** Writes a program into the editor, which becomes as high as its lines. */
    function enter(text) {
        $("program").value = text;
        $("program").rows = Math.min(Math.max(Math.round(drawGutter()) + 1, 6), 16);
    }

    // What the threads do, by the clock

    const probe = make("i"), colours = new Map(); // the variables of the style sheet, as a canvas takes them
    function css(name) {
        if (!colours.has(name)) {
            probe.style.color = name.startsWith("var(") ? name : `var(${name})`;
            document.body.append(probe);
            colours.set(name, getComputedStyle(probe).color);
        }
        return colours.get(name);
    }
    let lanes = [];

    /** What each thread does, as [from, to, kind]: asleep, busy. */
    function findSpans() {
        const found = new Map(), last = new Map();
        const lane = thread => {
            const name = run.names[thread], key = run.loops.has(name) ? name : "";
            if (!found.has(key)) found.set(key, { name: key, spans: [] });
            return found.get(key);
        };
        run.loops = new Set(shower.read(run.text) ? [] : ["main", ...[...run.text.matchAll(/^thread (\w+)/gm)].map(match => match[1])]);
        run.ownSteps = new Set();
        for (let moment = 0; moment < Math.min(run.count, run.cleanUp); moment++) {
            const thread = threadOf(moment), time = timeOf(moment), before = last.get(thread), step = wholeStep(moment);
            if (step && moment > 0 && threadOf(moment - 1) === thread && step !== wholeStep(moment - 1)) run.ownSteps.add(functionOf(moment));
            const own = lane(thread);
            if (before !== undefined && time > timeOf(before)) own.spans.push([timeOf(before), time, isWait[statementOf(before)] ? "sleeps" : "busy"]);
            last.set(thread, moment);
        }
        for (const [thread, moment] of last) if (run.threadEnds[thread] > timeOf(moment)) lane(thread).spans.push([timeOf(moment), run.threadEnds[thread], "busy"]);
        lanes = [...found.values()];
    }

    /** The events of the run, and who has a loop that runs or only acts. */
    function findEvents() {
        run.events = edition.findEvents(run, { thread: threadOf, depth: depthOf, step: wholeStep, reason: reasonOf, runs: runsOf, log: logOf, time: timeOf, name: nameOf, sleepEnd,
            isAction: isProgram, action: actionOf, isCallout: moment => functionOf(moment) >= 0 && isCallout[functionOf(moment)] });
        // Each look takes as long as the run up to there. So a long run has few of them: first where a thread is busy, then in the modes in which it sleeps seldom.
        const waits = run.events.filter(event => event.until !== undefined), sleeps = new Map();
        for (const { kind, mode } of waits) if (kind === "sleep") sleeps.set(mode, (sleeps.get(mode) ?? 0) + 1);
        const often = ({ kind, mode }) => kind === "sleep" ? sleeps.get(mode) : 0;
        const looks = waits.sort((a, b) => often(a) - often(b)).slice(0, Math.min(40, Math.ceil(4_000_000 / run.count)));
        edition.addMissed(run.events, looks, event => stage.timers(event, stateAt(event.at)));
        const { events } = run, running = events.filter(event => event.kind === "run").map(event => run.names[event.thread]);
        run.loopThreads = new Set(running.sort((a, b) => (a !== "main") - (b !== "main")));
        const acting = events.filter(event => event.at < run.cleanUp && ["act", "say", "spend"].includes(event.kind)).map(event => event.action.elsewhere ? "outside" : run.names[event.thread]);
        run.laneThreads = [...new Set(acting)].filter(name => !run.loopThreads.has(name));
    }

    /** The last event up to a moment. */
    const eventAt = moment => firstOf(run.events.length, index => run.events[index].at > moment) - 1;

    // Moving

    /** Shows a moment; of several events at that moment, the one with this index. */
    function go(moment, index) {
        if (!run || run.error || !run.count) return;
        closeQuestion();
        at = Math.max(0, Math.min(run.count - 1, moment));
        current = index ?? eventAt(at);
        draw();
        clearTimeout(naming);
        naming = setTimeout(name, 150);
    }

    function name() {
        const fields = new URLSearchParams({ program: $("program").value });
        if (at !== run?.opening) fields.set("at", at);
        if (run?.seed) fields.set("seed", run.seed);
        if (breaks.game !== null) fields.set("game", breaks.game);
        else if (breaks.number) fields.set("broken", breaks.number);
        if (view !== "loop") fields.set("view", view);
        $("whole").firstChild.href = `${location.pathname}${location.search}#${fields}`;
        if ($("embed").open) drawSnippet(fields);
        if (isEmbedded) fields.set("embed", "yes");
        named = `#${fields}`;
        if (location.hash !== named) history.replaceState(null, "", named);
    }

    /** What shows this moment in another page. */
    function drawSnippet(fields) {
        const address = new URL(location.href.replace(/#.*/, "").replace(/\/(en|zh)(\/[^/]*)$/, `/${$("embed-language").value}$2`));
        address.hash = `embed=yes&${fields}`;
        const title = document.title.replace(/"/g, "&quot;");
        $("snippet").value = `<iframe src="${address.href.replace(/&/g, "&amp;")}" title="${title}" width="100%" height="860" style="border: 1px solid #8888" loading="lazy"></iframe>`;
    }

    // Predict first: whoever moves forward over a line of the log says first what it will be.

    let right = 0, asked = 0, asks = false, answered = 0; // the line of the log that has been guessed last
    const plain = line => line.replace(/^\S+ /, "").replace(/ +/g, " ");

    function closeQuestion() {
        $("question").hidden = true;
        asks = false;
    }

    function forward(moment, index) {
        if (asks && moment > at) return; // first an answer
        const lines = linesAt(at);
        if (!$("predict").checked || moment <= at || lines >= run.lines.length || answered === lines + 1 && linesAt(moment) === lines) return go(moment, index);
        const reached = momentOfLine(lines + 1), answer = plain(run.lines[lines]);
        if (answered === lines + 1) return go(reached);
        // It asks in the step before the callout, because what the callout shows and its code give the line away.
        let before = reached - 1;
        while (before > 0 && !begins.step(before) && !begins.log(before)) before--;
        if (moment <= before) return go(moment, index);
        stop();
        go(Math.max(before, at));
        asks = true;
        const others = [...new Set([...run.lines.slice(lines), ...run.lines].map(plain))].filter(line => line !== answer).slice(0, 4);
        const choices = [...others, answer].sort((a, b) => a < b ? -1 : 1);
        const buttons = [...choices, say("play.end")].map(choice => makeButton(choice, () => {
            asked++;
            answered = lines + 1;
            if (choice === answer) right++;
            go(Math.min(moment, reached));
            $("question").replaceChildren(make("p", "", choice === answer ? say("play.right", right, asked) : say("play.wrong", answer, right, asked)), ...decision(lines + 1));
            $("question").hidden = false; // until the next move
        }));
        $("question").replaceChildren(make("p", "", say("play.asks")), ...buttons);
        $("question").hidden = false;
        buttons[0].focus({ preventScroll: true });
        $("question").scrollIntoView({ block: "nearest" });
    }

    /** What has decided a line of the log: its event in a sentence, and the line of the code, with a button that shows it. */
    function decision(line) {
        const event = run.events.find(event => event.line === line - 1);
        if (!event) return [];
        const told = event => stage.tell(event, stateAt(event.at)), step = run.events.slice(0, run.events.indexOf(event)).findLast(other => other.thread === event.thread && other.kind === "step");
        const why = make("p", "why");
        why.textContent = [event.kind === "callout" && step ? told(step) : "", told(event)].filter(Boolean).join(" ");
        // Of a run that has returned, the statement that sets its result; of a callout, the call in __CFRunLoopRun.
        const decides = event.kind === "result" ? moment => results.has(statementOf(moment)) : event.kind === "callout" ? moment => nameOf(moment) === "__CFRunLoopRun" : () => false;
        let moment = momentOfLine(line) - 1;
        while (moment >= 0 && (threadOf(moment) !== event.thread || isProgram(moment) || !decides(moment))) moment--;
        if (moment < 0) return [why];
        const text = make("code"), [file, first] = table.statements[statementOf(moment)];
        pane(table.files[file]).then(pre => { text.textContent = [...pre.children[first - 1].childNodes].slice(1).map(node => node.textContent).join("").trim(); });
        return [why, make("p", "decided", say("play.decided")), text, makeButton(say("play.show-line", placeOf(moment).split("/").pop()), () => { setView("code"); go(moment); })];
    }

    function move(kind, by) {
        if (!run || run.error || !run.count) return;
        if (kind === "event") {
            const isBetween = run.events[current] && at > run.events[current].at, index = current + (by < 0 && isBetween ? 0 : by);
            if (index >= 0 && index < run.events.length) (by > 0 ? forward : go)(run.events[index].at, index);
            return;
        }
        if (kind === "callout" && view === "loop") { // with what it says
            const isThere = event => event.kind === "callout", index = by > 0 ? run.events.findIndex((event, index) => index > current && isThere(event)) : run.events.findLastIndex((event, index) => index < current && isThere(event));
            if (index >= 0) return (by > 0 ? forward : go)(run.events[index].at, index);
        }
        const moment = kind === "callout" && view === "loop" ? at : next(kind, by);
        if (moment !== at || !(`play.kind.${kind}` in edition.data.text)) return (by > 0 ? forward : go)(moment);
        if (asks) return;
        if (!$("caption").firstChild) $("caption").append(make("p", "now"));
        $("caption").classList.add("matters");
        $("caption").firstChild.textContent = kind === "break" && !stops.size ? say("play.no-break")
            : say(by > 0 ? "play.no-further" : "play.no-earlier", say(`play.kind.${kind}`));
    }

    function stop() {
        clearTimeout(playing);
        const was = playing;
        playing = 0;
        if (was && view === "loop" && run?.events?.[current]?.kind === "step") drawSentence(stateAt(at));
        $("play").setAttribute("aria-pressed", "false");
        $("play").textContent = `▶ ${say("play.play")}`;
    }

    function play() {
        if (playing) return stop();
        if (!run?.count) return;
        if (view === "loop" ? current >= run.lastEvent : at === run.count - 1) go(run.opening);
        $("play").setAttribute("aria-pressed", "true");
        $("play").textContent = `■ ${say("play.stop")}`;
        playing = setTimeout(tick, 200);
    }

    function tick() {
        playing = 1;
        if (view === "loop") {
            // In a very long run some events are left out, but none that is held until it is read.
            const from = at, stays = event => run.decisive.has(event) || event.kind === "callout" && $("pauses").checked;
            let index = Math.min(current + 1, run.lastEvent);
            for (const last = Math.min(current + run.stride, run.lastEvent); index < last && !stays(run.events[index]); index++);
            forward(run.events[index].at, index);
            if (!playing) return;
            for (let moment = from + 1; stops.size && moment <= at; moment++) if (begins.break(moment)) return stop();
            if (current >= run.lastEvent || run.events[current].kind === "callout" && $("pauses").checked) return stop();
        } else {
            forward(at + 1);
            if (!playing) return;
            if (at === run.count - 1 || begins.break(at)) return stop();
        }
        playing = setTimeout(tick, hold() / speed());
    }

    const speed = () => Number($("speed").value);
    const held = event => run.decisive.has(event) ? stage.DECISIVE : stage.weight(event) * run.rate;
    const hold = () => view === "loop" ? run.events[current] ? held(run.events[current]) : 0 : $("caption").classList.contains("matters") ? Math.max(1500, READING * $("caption").firstChild.textContent.length) : run.ownSteps.has(functionOf(at)) ? 160 : 40;

    function faster(by) {
        const box = $("speed");
        box.selectedIndex = Math.max(0, Math.min(box.options.length - 1, box.selectedIndex + by));
        edition.keep("speed", box.value);
    }

    // Performing what stands in the editor

    function perform(wanted) {
        stop();
        const text = $("program").value, seed = Number($("seed").value) >>> 0;
        kept.clear();
        closeQuestion();
        answered = 0;
        run = record(text, seed);
        if (top !== self) parent.postMessage({ program: text, log: run.log ?? "", error: run.error ?? "" }, "*"); // a chapter of the book judges it
        written = 0;
        $("verdict").className = run.error ? "bad" : "";
        $("suggestion").replaceChildren();
        if (run.error) $("compare").hidden = true;
        $("player").inert = !!run.error || !run.count;
        $("example").value = String(examples.findIndex(([, example]) => example === text) + 1 || "");
        $("title").textContent = examples.find(([, example]) => example === text)?.[0] ?? "";
        $("homes").replaceChildren(...words.homes.filter(([program]) => program === text).map(([, address, name]) =>
            leads(make("a", "", name), address.replace("site:", ""))));
        if (run.error) {
            $("verdict").textContent = run.error;
            const meant = edition.suggest(text, run.error, other => recorder.read(other));
            if (meant) $("suggestion").replaceChildren(say("play.write"), " ", makeButton(meant.line, () => { enter(meant.text); perform(); name(); $("program").focus(); }));
            $("log").replaceChildren();
            drawGutter();
            return;
        }
        const ends = { ended: run.count ? "" : say("play.nothing"), stopped: say("play.endless", run.count.toLocaleString("en"), Number((run.times.at(-1) ?? 0).toFixed(3))),
            deep: say("play.deep"), trapped: /deadlock: /.test(run.log) ? say("play.deadlock") : say("play.trapped"), deadlock: say("play.deadlock") };
        $("verdict").textContent = ends[run.end];
        writeLog();
        breaks.draw();
        $("log").children[breaks.differs]?.classList.add("differs");
        for (const row of $("log").children) row.classList.add("later");
        if (!run.count) return drawGutter();
        findSpans();
        findEvents();
        run.opening = opening();
        run.firstEvent = Math.max(0, run.events.findIndex(event => event.at >= run.opening));
        run.lastEvent = run.events.length - 1;
        // A run is played in about a quarter of a minute, and a very long one in two minutes, which leaves out most of its events.
        // Its decisive moments are held as long as it takes to read them, whatever its length.
        run.decisive = stage.findDecisive(run.events);
        const whole = run.events.slice(run.firstEvent).reduce((sum, event) => sum + (run.decisive.has(event) ? 0 : stage.weight(event)), 0);
        run.rate = Math.max(.35, Math.min(1, (SHOWN - stage.DECISIVE * run.decisive.size) / whole));
        run.stride = Math.max(1, Math.floor(whole * run.rate / 120_000));
        band.plan();
        go(wanted?.(run) ?? run.opening);
    }

    /** Where a program is opened: at step 1 of its first run, or when it writes its first line if that is earlier. What it makes before is long. */
    function opening() {
        const line = run.lines.length ? momentOfLine(1) : run.count - 1;
        for (let moment = 0; moment < line; moment++) if (wholeStep(moment) === 1) return moment;
        return run.lines.length ? line : 0;
    }

    let isOpening = false;
    function open() {
        const fields = new URLSearchParams(location.hash.slice(1));
        const first = Number($("play-page").dataset.first) - 1;
        isOpening = true;
        setView(fields.get("view") === "code" ? "code" : "loop");
        isOpening = false;
        $("seed").value = fields.get("seed") ?? 0;
        breaks.choose(Number(fields.get("broken")));
        const riddle = fields.has("game") ? breaks.riddle(Number(fields.get("game"))) : null;
        enter(fields.get("program") ?? riddle ?? examples[first][1]);
        const isThread = (_, moment) => run.names[threadOf(moment)] === fields.get("thread");
        perform(run => fields.has("thread") ? Array.from({ length: run.count }).findIndex(isThread) : fields.has("line") ? momentOfLine(Math.max(1, Math.min(Number(fields.get("line")), run.lines.length))) : fields.has("at") ? Number(fields.get("at")) : undefined);
    }

    function setView(wanted) {
        view = wanted;
        $("player").dataset.view = view;
        for (const button of document.querySelectorAll("[data-view-of]")) button.setAttribute("aria-pressed", String(button.dataset.viewOf === view));
        stop();
        if (!run?.count || run.error) return;
        draw();
        if (!isOpening) name();
    }

    const keys = { ArrowLeft: ["line", -1], ArrowRight: ["line", 1], s: ["step", 1], c: ["callout", 1], z: ["sleep", 1], l: ["log", 1], p: ["pass", 1], t: ["thread", 1], b: ["break", 1],
        S: ["step", -1], C: ["callout", -1], Z: ["sleep", -1], L: ["log", -1], P: ["pass", -1], T: ["thread", -1], B: ["break", -1] };

    function listen() {
        let waiting = 0;
        $("program").addEventListener("input", () => { drawGutter(); clearTimeout(waiting); waiting = setTimeout(() => { perform(); name(); }, 200); });
        $("program").addEventListener("scroll", () => { $("gutter").scrollTop = $("program").scrollTop; });
        $("seed").addEventListener("input", () => { perform(); name(); });
        $("example").addEventListener("change", () => {
            const example = examples[Number($("example").value) - 1];
            if (!example) return $("program").focus();
            enter(example[1]);
            perform();
            name();
        });
        const copy = (button, text) => button.addEventListener("click", async () => {
            name();
            try { await navigator.clipboard.writeText(text()); } catch { return prompt("", text()); }
            const before = button.textContent;
            button.textContent = say("play.copied");
            setTimeout(() => { button.textContent = before; }, 1500);
        });
        copy($("link"), () => location.href);
        copy($("copy-snippet"), () => $("snippet").value);
        $("embed").addEventListener("toggle", name);
        $("embed-language").addEventListener("change", name);
        if (edition.alone) for (const part of [$("in-language"), $("alone").parentElement]) part.hidden = true;
        $("scrubber").addEventListener("input", () => {
            const index = band.eventAt(Number($("scrubber").value) / 1000);
            stop();
            forward(run.events[index].at, index);
        });
        $("predict").addEventListener("change", () => { closeQuestion(); right = asked = answered = 0; go(at); });
        $("printed").addEventListener("toggle", () => { if ($("printed").open && run?.count) drawPrinted(); });
        $("play").addEventListener("click", play);
        if ([...$("speed").options].some(option => option.value === edition.kept("speed"))) $("speed").value = edition.kept("speed");
        $("speed").addEventListener("change", () => edition.keep("speed", $("speed").value));
        for (const button of document.querySelectorAll("[data-go]")) button.addEventListener("click", () => { stop(); move(button.dataset.go, Number(button.dataset.by)); });
        $("more").addEventListener("click", () => { $("more").ariaExpanded = String($("player").classList.toggle("more")); });
        $("player").addEventListener("click", event => { if (event.detail) event.target.closest(".controls button")?.blur(); });
        for (const button of document.querySelectorAll("[data-view-of]")) button.addEventListener("click", () => setView(button.dataset.viewOf));
        $("rail").prepend(...Array.from({ length: 10 }, (_, index) => {
            const item = make("li"), step = index + 1, button = makeButton(step, () => {
                for (let away = 1; away < run.count; away++) {
                    const moment = (at + away) % run.count;
                    if (wholeStep(moment) === step && begins.step(moment)) return moment > at ? forward(moment) : go(moment);
                }
            });
            button.dataset.step = step;
            button.replaceChildren(make("b", "", step), make("span", "", words.short[step]));
            Object.assign(button, { title: words.steps[step], ariaLabel: `${say("play.step", step)} ${words.short[step]}` });
            item.style.gridRow = step;
            item.style.setProperty("--step", `var(--s${step})`);
            item.append(button);
            return item;
        }));
        addEventListener("keydown", event => {
            if (event.key === "Escape" && event.target.closest("#play-page select")) return $("play").focus();
            if (!run?.count || event.ctrlKey || event.metaKey || event.altKey || event.target.closest("select, textarea, input:not([type=range], [type=checkbox])")) return;
            let [kind, by] = keys[event.key] ?? [];
            const isUpDown = /^Arrow(Up|Down)$/.test(event.key) && view === "code" && breaks.suspect && (breaks.game !== null && !breaks.found || event.target === $("code"));
            if (isUpDown) suspectRow(breaks.suspect.path, breaks.suspect.line + (event.key === "ArrowUp" ? -1 : 1));
            else if (breaks.game !== null && event.key === "!") breaks.accuse();
            if (kind && event.key.startsWith("Arrow")) kind = event.shiftKey ? "over" : view === "loop" ? "event" : "line";
            if (kind) { stop(); move(kind, by); }
            else if (event.key === "Home") { stop(); go(0); }
            else if (event.key === "End") { stop(); forward(run.count - 1); }
            else if (event.key === "+" || event.key === "-") faster(event.key === "+" ? 1 : -1);
            else if (event.key === "?") $("play-keys").open = !$("play-keys").open;
            else if (event.key === "e") $("example").focus();
            else if (event.key === "v") setView(view === "loop" ? "code" : "loop");
            else if (event.key === "x" && breaks.suspect) toggle(`${breaks.suspect.path}:${breaks.suspect.line}`, true);
            else if (event.key === "X" && wholeStep(at)) toggle(`step:${wholeStep(at)}`);
            else if (event.key === " " && !event.target.matches(":is(button, a, summary, input):focus-visible")) play();
            else if (!isUpDown && (breaks.game === null || event.key !== "!")) return;
            event.preventDefault();
        });
        addEventListener("hashchange", () => { if (location.hash !== named) open(); });
        const redraw = () => { colours.clear(); band.redraw(); drawGutter(); if (run?.count && !run.error) draw(); };
        addEventListener("resize", redraw);
        new MutationObserver(redraw).observe(document.documentElement, { attributes: true, attributeFilter: ["data-theme"] });
        matchMedia("(prefers-color-scheme: dark)").addEventListener("change", redraw);
    }

    async function begin() {
        await Promise.all(["text", "../../play", "play-examples", "play-words"].map(edition.load));
        table = edition.data.play;
        words = edition.data["play-words"];
        examples = edition.data["play-examples"];
        isCallout = table.functions.map(([, name]) => name.startsWith("__CFRUNLOOP_IS_"));
        results = new Set(words.results);
        isWait = new Uint8Array(2 * ACTION);
        for (const statement of words.waits) isWait[statement] = 1;
        const module = await WebAssembly.compile(Uint8Array.from(atob(table.module), letter => letter.charCodeAt(0)));
        [recorder, shower] = [await Machine.make(module), await Machine.make(module)];
        breaks = edition.makeBreaks(Object.assign(page, { table, words, examples }));
        const yours = Object.entries(table.code ?? {}).flatMap(([path, { changed }]) => changed.map(line => `${path.split("/").pop()}:${line}`));
        $("yours").hidden = !yours.length;
        $("yours").textContent = yours.length ? say("play.yours", yours.slice(0, 9).join(", ")) : "";
        listen();
        open();
        document.body.dataset.ready = "yes";
        // Whoever comes without a program sees the loop move at once.
        if (!location.hash && top === self && !matchMedia("(prefers-reduced-motion: reduce)").matches) play();
    }
    edition.play = { get run() { return run; }, get at() { return at; }, go, next, stateAt, name, get lanes() { return lanes; }, get current() { return current; }, get breaks() { return breaks; }, get thread() { return run.names[threadOf(at)]; }, setView, forget: () => kept.clear(), hold, perform, momentOfLine };
    const page = { $, say, go, goToLine, leads, logWithout, enter, perform, name, setView, showLine, MOST_LINES, redraw: draw, get broken() { return breaks.number; }, step: () => wholeStep(shownMoment()), threadWords, css, modeColour, modeCss: name => css(modeColour(name)), get run() { return run; }, threadShort: name => name === "outside" ? say("play.another") : threadName(name), source: line => run.text.split("\n")[line - 1]?.trim() ?? "" };
    const stage = edition.makeStage(page), band = edition.makeBand(page);
    begin();
})();
