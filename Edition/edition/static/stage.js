// stage.js: the loop view of play.html: what one event is, in a sentence, and the picture of it: the loops of the threads with their modes as rooms, the
// items in the rooms as chips, what a callout says as a bubble, and what another thread does as an arrow from its lane. events.js has the events.
"use strict";

edition.makeStage = page => {
    const { make } = edition, { say, $ } = page;
    const LATE = 1e-6; // seconds
    const modeName = name => name === "kCFRunLoopDefaultMode" ? "default" : name;
    const time = seconds => say("loop.time", Number(seconds.toFixed(6)));
    const list = names => names.length ? names.join(say("loop.comma")) : say("loop.none");
    const itemOf = name => page.run.program.items.find(item => item.name === name);
    const threadOf = event => page.run.names[event.thread];
    /** A thread's name within a sentence. */
    const inner = name => { const words = page.threadWords(name); return words.charAt(0).toLowerCase() + words.slice(1); };
    const who = event => event.around ? say("loop.callback", event.around.item) : page.threadWords(threadOf(event));

    const loopOf = (event, state) => state.loops.find(loop => loop.name === threadOf(event));
    const currentMode = loop => loop?.modes.find(mode => mode.name === loop.mode);
    let shown = null; // the event that is shown: at a missed date, the clock is ahead of the state
    const isDue = item => !item.firing && (item.due || shown?.kind === "missed" && item.fire <= shown.time && item.valid !== false);
    /** What in a mode has something to do. */
    const waiting = (mode, state) => [...mode.sources0, ...mode.sources1, ...mode.timers].map(index => state.items[index]).filter(item => item.signaled || item.message || isDue(item));
    const modesOf = (name, loop, state) => loop.modes.filter(mode => [...mode.sources0, ...mode.sources1, ...mode.timers, ...mode.observers].some(index => state.items[index].name === name));

    /** What a loop waits for that is asleep: names, and the first moment that is known. */
    function waits(loop, event, state) {
        const mode = currentMode(loop), found = [], moments = [];
        if (!mode) return { found, until: null };
        for (const item of mode.timers.map(index => state.items[index]).filter(item => item.fire)) {
            found.push(say("loop.waits.timer", item.name, time(item.fire)));
            moments.push(item.fire);
        }
        found.push(...mode.sources1.map(index => say("loop.waits.port", state.items[index].name)));
        if (loop.name === "main" && mode.common) found.push(say("loop.waits.queue"));
        found.push(say("loop.waits.wake"));
        if (event?.limit !== null && event?.limit !== undefined) {
            found.push(say("loop.waits.limit", time(event.limit)));
            moments.push(event.limit);
        }
        return { found, until: moments.length ? Math.min(...moments) : null };
    }

    /** Why a timer that was due did not fire before: [the key of a sentence, names]. */
    function cause(event, due, state) {
        const before = page.run.events.findLast(other => other.kind !== "missed" && other.thread === event.thread && other.time <= due + LATE && other.at < event.from);
        if (!before) return null;
        if (before.kind === "spend") return before.around ? ["loop.late.busy", before.around.item] : ["loop.late.thread"];
        if (before.mode && !modesOf(event.item, loopOf(event, state), state).some(mode => modeName(mode.name) === before.mode)) return ["loop.late.mode", before.mode];
        return before.mode ? null : ["loop.late.no-run"];
    }

    /** The timers of the loop that an event is about: name, date, names of their modes. */
    function timers(event, state) {
        const loop = loopOf(event, state), found = new Map();
        for (const mode of loop?.modes ?? []) {
            for (const item of mode.timers.map(index => state.items[index]).filter(item => item.fire)) {
                if (!found.has(item.name)) found.set(item.name, { name: item.name, date: item.fire, modes: [] });
                found.get(item.name).modes.push(modeName(mode.name));
            }
        }
        return [...found.values()];
    }

    // Sentences

    const tells = {
        step(event, state) {
            const loop = loopOf(event, state), mode = currentMode(loop), step = event.step;
            const [bit, activity] = page.words.activities[step] ?? [];
            const observers = mode ? mode.observers.map(index => state.items[index].name).filter(name => itemOf(name).activities & bit) : [];
            const watch = observers.length ? say("loop.watch", activity, list(observers)) : say("loop.watch.none", activity);
            switch (step) {
                case 1: return say("loop.step.1", event.mode, watch);
                case 3: return say(loop?.blocks ? "loop.step.3.blocks" : "loop.step.3", watch, loop?.blocks);
                case 4: return mode?.sources0.some(index => state.items[index].signaled) ? say("loop.step.4.some", list(mode.sources0.map(index => state.items[index]).filter(item => item.signaled).map(item => item.name))) : say("loop.step.4");
                case 5: return say(state.queue ? "loop.step.5.yes" : "loop.step.5");
                case 7: return say("loop.step.7");
                case 9: {
                    const due = mode?.timers.map(index => state.items[index]).filter(isDue).map(item => item.name) ?? [];
                    const ready = mode?.sources1.map(index => state.items[index]).filter(item => item.message).map(item => item.name) ?? [];
                    return event.reason === 3 && !due.length ? say("loop.step.9.3.none") : say(`loop.step.9.${event.reason}`, list(event.reason === 5 ? ready : due));
                }
                default: return say(`loop.step.${step}`, watch);
            }
        },
        sleep(event, state) {
            const { found, until } = waits(loopOf(event, state), event, state);
            return say(until === null ? "loop.sleep.forever" : "loop.sleep", inner(threadOf(event)), until === null ? "" : time(until), list(found));
        },
        missed(event) {
            return event.during.kind === "sleep" ? say("loop.missed.mode", event.item, time(event.time), list(event.modes), event.mode)
                : say("loop.missed.busy", event.item, time(event.time), event.around?.item ?? page.threadWords(threadOf(event)).trim());
        },
        callout(event, state) {
            const kind = /OBSERVER/.test(event.callout) ? "observer" : /SOURCE0/.test(event.callout) ? "source" : /SOURCE1/.test(event.callout) ? "port" : /TIMER/.test(event.callout) ? "timer" : /BLOCK/.test(event.callout) ? "block" : "queue";
            const told = say(`loop.callout.${kind}`, event.item, event.what), item = state.items.find(item => item.name === event.item);
            if (kind !== "timer" || !item?.fire || event.time - item.fire < LATE) return told;
            const why = itemOf(event.item) && cause(event, item.fire, state);
            const { interval } = itemOf(event.item) ?? {}, misses = interval > 0 && event.time - item.fire >= interval && !page.broken; // more than one date
            return told + say("loop.late", time(item.fire)) + (why ? say(why[0], why[1]) : say("loop.late.end")) + (misses ? say("loop.late.once") : "");
        },
        run(event) {
            const { seconds, once, mode } = event.action, how = seconds < 0 ? say("loop.run.always") : seconds === 0 ? say("loop.run.once") : say("loop.run.for", time(seconds));
            return say("loop.run", who(event), mode, how) + (once ? say("loop.run.source") : "");
        },
        spend: event => say(event.around ? "loop.spend.callback" : "loop.spend", who(event), time(event.action.seconds)),
        spent(event, state) {
            const due = state.items.filter(isDue).map(item => item.name);
            return say(due.length ? "loop.spent.due" : "loop.spent", time(event.time), list(due));
        },
        act(event) {
            const { verb, item, block, modes, thread, seconds } = event.action;
            return say(`loop.act.${verb}`, event.action.elsewhere ? page.threadWords("outside") : who(event), item || block || "", list(modes), say("loop.its", thread || "main"), time(seconds));
        },
        say: event => say(event.action.verb === "say" ? "loop.say" : "loop.ask", who(event), event.text),
        result(event, state) {
            const { run, result, stopper } = event, loop = state.loops.find(loop => loop.name === threadOf(event)), mode = loop?.modes.find(mode => modeName(mode.name) === run.mode);
            const told = say("loop.result", run.mode, result);
            if (page.broken) return told; // who knows why
            switch (result) {
                case "Finished": return told + say(mode?.observers.length ? "loop.result.Finished.observers" : "loop.result.Finished", run.mode);
                case "TimedOut": return told + (run.seconds === 0 ? say("loop.result.TimedOut.once") : event.time - run.limit > LATE ? say("loop.result.TimedOut.late", time(run.limit)) : say("loop.result.TimedOut", time(run.seconds), time(run.limit), time(run.began)));
                case "HandledSource": return told + say("loop.result.HandledSource", run.handled);
                case "Stopped": return told + (stopper ? say("loop.result.Stopped", who(stopper), time(stopper.time), stopper.action.line) : "");
                default: return told;
            }
        },
        note: event => event.text,
    };

    /** The sentence of an event. */
    function tell(event, state) {
        shown = event;
        if (!event) return say("loop.before");
        const told = tells[event.kind](event, state), several = page.run.loopThreads.size > 1 && ["step", "callout", "result"].includes(event.kind);
        return several ? say("loop.in-thread", page.threadWords(threadOf(event)).trim(), told) : told;
    }

    /** How long an event is shown while the page plays, in milliseconds at the normal speed. */
    const WEIGHTS = { sleep: 800, missed: 1500, callout: 1250, run: 900, spend: 1500, spent: 1300, act: 1250, say: 1000, result: 1900, note: 2500 };
    const DECISIVE = 4000; // what is due and has to wait for the first time, and its firing at last: at any length of the run
    function findDecisive(events) {
        const missed = events.find(event => event.kind === "missed"), late = missed && events.slice(events.indexOf(missed)).find(event => event.kind === "callout" && event.item === missed.item);
        return new Set([missed, late].filter(Boolean));
    }
    const weight = event => event.kind === "step" ? 140 : event.kind === "callout" && /OBSERVER/.test(event.callout) ? 500 : WEIGHTS[event.kind];

    // The picture

    /** The callouts that are active at an event, the innermost first, and what each thread has just done. */
    function active(index) {
        const { events } = page.run, seen = new Set(), callouts = [];
        for (let i = index; i >= 0 && index - i < 3000 && seen.size < page.run.names.length - 1; i--) {
            if (seen.has(events[i].thread)) continue;
            seen.add(events[i].thread);
            for (let around = events[i].kind === "callout" ? events[i] : events[i].around; around; around = around.around) if (around.ends > events[index].at) callouts.push(around);
        }
        return callouts;
    }

    function bubble(callout, index) {
        const { events } = page.run, element = make("div", "bubble"), lines = [];
        for (let i = index; i >= 0 && events[i] !== callout; i--) {
            if (events[i].around !== callout) continue;
            if (events[i].kind === "say") lines.unshift(`“${events[i].text}”`);
            else if (events[i].kind === "spend") lines.unshift(say("loop.bubble.spends", time(events[i].action.seconds)));
            else if (events[i].kind === "run") lines.unshift(say("loop.bubble.runs", events[i].action.mode));
        }
        element.append(make("b", "", callout.text), ...lines.slice(-3).map(line => make("span", "", line)));
        element.dataset.item = callout.item;
        return element;
    }

    const KINDS = [["sources0", "Source0"], ["sources1", "Source1"], ["timers", "Timer"], ["observers", "Observer"]];

    function chip(item, kind, isCalled, isOpen, isNew) {
        const mark = isCalled || item.firing ? "firing" : item.signaled ? "signaled" : item.message ? "message" : isDue(item) ? "due" : item.valid === false ? "invalid" : "";
        const element = make("span", `chip ${mark} ${mark && mark !== "invalid" ? "on" : ""} ${isNew ? "new" : ""}`);
        element.dataset.item = item.name;
        element.append(make("small", "kind", kind), " ", make("b", "", item.name));
        // What is called has a bubble below.
        const words = isCalled ? "" : mark === "due" ? say("loop.due", time(item.fire)) : mark ? say(`loop.mark.${mark}`) : item.fire ? say("loop.at", time(item.fire)) : "";
        if (words) element.append(" ", make("small", "mark", words + (mark && mark !== "firing" && mark !== "invalid" && !isOpen ? say("loop.waits") : "")));
        return element;
    }

    function room(mode, loop, state, callouts, index, isNew) {
        const isOpen = mode.name === loop.mode, name = modeName(mode.name), inside = callouts.filter(callout => callout.mode === name && threadOf(callout) === loop.name);
        const isOuter = !isOpen && inside.length > 0, element = make("div", `mode ${isOpen ? "current" : ""} ${isOuter ? "outer" : ""}`), title = make("p", "door");
        element.style.setProperty("--mode", page.modeColour(name));
        const stays = waiting(mode, state);
        title.append(make("small", "", say("loop.mode")), make("b", "", name), mode.common ? make("small", "", say("loop.common")) : "",
            make("span", "here", say(isOpen ? "loop.here" : isOuter ? "loop.outer" : stays.length ? "loop.closed.waits" : "loop.closed")));
        const items = make("p", "chips");
        for (const [key, kind] of KINDS) {
            for (const at of mode[key]) {
                const item = state.items[at], called = callouts.some(callout => callout.item === item.name && callout.mode === name);
                items.append(chip(item, kind, called, isOpen, [`${item.name}.signaled`, `${item.name}.due`, `${item.name}.port`, `${item.name}.valid`].some(field => isNew.has(field))), " ");
            }
        }
        if (!items.firstChild) items.append(make("small", "", say("loop.empty")));
        const speech = make("div", "speech");
        speech.append(...inside.reverse().map(callout => bubble(callout, index)));
        element.append(title, items, speech);
        return element;
    }

    function lastOf(name, index) {
        while (index >= 0 && threadOf(page.run.events[index]) !== name) index--;
        return page.run.events[index];
    }

    /** The picture of all loops and of the other threads. `index` is that of the event; `isNew` has the fields that have just changed. */
    function draw(index, state, isNew) {
        const event = shown = page.run.events[index], callouts = index >= 0 ? active(index) : [], boxes = [];
        const holds = (element, lock) => { if (lock) element.classList.add("locked", `by${Math.min(lock - 1, 1)}`); };
        for (const loop of state.loops) {
            if (page.run.loopThreads.size && !page.run.loopThreads.has(loop.name)) continue;
            const own = lastOf(loop.name, index), box = make("div", `loop ${loop.asleep ? "asleep" : ""}`), head = make("p", "head");
            box.dataset.loop = loop.name;
            holds(box, loop.lock);
            const { found, until } = loop.asleep ? waits(loop, own, state) : { found: [], until: null };
            head.append(make("b", "", say("loop.of", inner(loop.name))), " ", make("span", "state", loop.asleep ? until === null ? say("loop.asleep") : say("loop.asleep.until", time(until))
                : loop.mode ? say("play.picture.awake") : say("play.picture.idle")));
            if (loop.message) head.append(" ", make("span", "chip on wake", say("play.picture.message")));
            if (loop.stopped) head.append(" ", make("span", "chip on", say("play.picture.stopped")));
            if (loop.blocks) head.append(" ", make("span", "chip on blocks", say("play.picture.blocks", loop.blocks)));
            if (loop.name === "main" && state.queue) head.append(" ", make("span", "chip on queue", say("play.picture.queue")));
            const rooms = make("div", "rooms");
            rooms.append(...loop.modes.map(mode => {
                const element = room(mode, loop, state, callouts, index, isNew);
                holds(element, mode.lock);
                return element;
            }));
            const isDoing = event && !event.around && threadOf(event) === loop.name && ["say", "run", "act", "spend", "result"].includes(event.kind) && !event.action?.elsewhere;
            const does = make("p", "does", loop.asleep ? say("loop.waits-for", list(found)) : isDoing ? words(event) : "");
            if (isDoing) does.dataset.acts = "";
            box.append(head, does, rooms);
            boxes.push(box);
        }
        $("picture").replaceChildren(...boxes);
        const lanes = page.run.laneThreads.map(name => {
            const lane = make("p", "lane"), acts = event && !event.around && (event.action?.elsewhere ? "outside" : threadOf(event)) === name && !["result", "note"].includes(event.kind);
            lane.append(make("b", "", page.threadWords(name).trim()));
            if (acts) {
                lane.classList.add("acts");
                lane.dataset.acts = "";
                lane.append(" ", make("span", "", words(event)));
            }
            return lane;
        });
        $("lanes").replaceChildren(...lanes);
        for (const said of $("picture").querySelectorAll(".bubble")) { // its tail points at the chip
            const home = said.closest(".mode").querySelector(`.chip[data-item="${CSS.escape(said.dataset.item)}"]`);
            if (!home) { said.classList.add("free"); continue; }
            const room = said.parentElement, shift = Math.max(0, Math.min(home.offsetLeft - room.offsetLeft, room.clientWidth - said.offsetWidth));
            said.style.marginInlineStart = `${shift}px`;
            said.style.setProperty("--tail", `${Math.max(10, home.offsetLeft + 18 - room.offsetLeft - shift)}px`);
        }
        drawArrow(event);
    }

    /** An event in a few words, beside the thread that does it. */
    function words(event) {
        if (event.kind === "say" || event.kind === "result") return event.kind === "say" ? `“${event.text}”` : event.text;
        return page.source(event.action.line);
    }

    /** The arrow from who acts to what changes. */
    function drawArrow(event) {
        const stage = $("stage"), arrow = $("arrow").lastElementChild, from = stage.querySelector("[data-acts]") ?? (event?.around && event.kind === "act" ? [...stage.querySelectorAll(".bubble")].find(said => said.dataset.item === event.around.item) : null);
        arrow.replaceChildren();
        if (event?.kind !== "act" || !from) return;
        const { verb, item, thread } = event.action, home = stage.querySelector(`[data-loop="${CSS.escape(thread || (page.run.loopThreads.has(threadOf(event)) ? threadOf(event) : [...page.run.loopThreads][0] ?? "main"))}"]`);
        const targets = item ? [...stage.querySelectorAll(`.chip[data-item="${CSS.escape(item)}"]`)] : [home?.querySelector({ queue: ".queue", block: ".blocks", wake: ".wake" }[verb] ?? ".state") ?? home?.querySelector(".state")];
        const frame = stage.getBoundingClientRect(), start = from.getBoundingClientRect();
        for (const target of targets.filter(Boolean)) {
            const end = target.getBoundingClientRect(), isBelow = start.top > end.bottom;
            const x1 = Math.min(Math.max(end.left + end.width / 2, start.left + 16), start.right - 16) - frame.left, y1 = (isBelow ? start.top : start.bottom) - frame.top;
            const x2 = end.left + end.width / 2 - frame.left, y2 = (isBelow ? end.bottom + 3 : end.top - 3) - frame.top;
            const path = document.createElementNS("http://www.w3.org/2000/svg", "path");
            path.setAttribute("d", `M${x1} ${y1} C${x1} ${(y1 + y2) / 2} ${x2} ${(y1 + y2) / 2} ${x2} ${y2}`);
            path.setAttribute("marker-end", "url(#arrowhead)");
            arrow.append(path);
        }
    }

    return { tell, weight, draw, timers, findDecisive, DECISIVE };
};
