// events.js: a run as a reader tells it: the steps of the passes, the callouts, the sleeps, what the program does, and how each run ends. play.js finds
// the events of a run once, stage.js shows one at a time, and band.js has them all in one line.
"use strict";

/**
 * The events of a run in their order. Each has the moment `at`, the number of its thread, and a kind:
 *   step     the loop of the thread is in that step now; of step 9, `reason` is what it serves
 *   sleep    step 7, in which the thread waits
 *   callout  an item's callback, a block or a function of the main queue is called; `ends` is the moment after its return
 *   run, spend, act   an action of the program; `spent` is the moment at which a thread goes on that was busy
 *   missed   a timer becomes due that the loop cannot serve: it sleeps in another mode, or its thread is busy
 *   say      a line that the program adds to the log
 *   result   a run has returned
 *   note     another line of the log, such as that of a deadlock
 * `mode` is the mode that the thread's loop then runs in, `limit` the moment at which that run ends at the latest, and `around` is the callout that the thread is in.
 */
edition.findEvents = (run, of) => {
    const events = [], threads = new Map();
    const own = number => {
        if (!threads.has(number)) threads.set(number, { number, step: 0, runs: 0, depth: 0, callouts: [], active: [], spend: null, nine: null, last: null });
        return threads.get(number);
    };
    const add = (kind, at, thread, more) => {
        const its = own(thread), around = its.callouts.findLast(callout => callout.event)?.event ?? null;
        const event = { kind, at, thread, mode: its.active.at(-1)?.mode ?? "", limit: its.active.at(-1)?.limit ?? null, around, time: of.time(at), ...more };
        events.push(event);
        its.last = event;
        return event;
    };
    const numberOf = name => run.names.indexOf(name);
    let stopper = null, act = null; // the last act that stops a run; the act that goes on

    const addLine = (at, line) => {
        const text = run.lines[line], words = text.trim().split(/ +/), before = Math.max(at - 1, 0), found = numberOf(words[1]);
        const thread = run.names[of.thread(before)] === words[1] || found < 0 ? of.thread(before) : found, its = own(thread), inner = its.callouts.at(-1);
        const more = { line, text: words.slice(2).join(" ") };
        if (of.isAction(before) && of.thread(before) === thread && ["say", "ask"].includes(of.action(before).verb)) return add("say", at, thread, { ...more, action: of.action(before) });
        if (inner && of.isCallout(before)) {
            const event = add("callout", at, thread, { ...more, item: words[2], what: words[3], from: inner.from, callout: of.name(before), due: null });
            inner.event = event;
            if (/SOURCE|MAIN_DISPATCH/.test(event.callout) && its.active.length) its.active.at(-1).handled = event.item;
            return event;
        }
        if (words[2] === "run" && its.active.length) return add("result", at, thread, { ...more, result: words[4], run: its.active.pop(), stopper });
        return add("note", at, thread, more);
    };

    let line = 0, before = null;
    for (let moment = 0; moment < run.count; moment++) {
        while (line < run.lines.length && run.ends[line] <= of.log(moment)) addLine(moment, line++);
        if (moment >= run.cleanUp) break;
        const thread = of.thread(moment), its = thread === before?.number ? before : own(thread), depth = of.depth(moment), runs = of.runs(moment), step = of.step(moment);
        while (its.callouts.length && depth < its.callouts.at(-1).depth) {
            const { event } = its.callouts.pop();
            if (event) event.ends = moment;
        }
        if (its.spend) {
            if (of.time(moment) > its.spend.time) its.spend.until = add("spent", moment, thread, { action: its.spend.action, of: its.spend }).time;
            its.spend = null;
        }
        // An act is shown when it is over, with what it has changed: when its thread is back, or another one goes on.
        if (act && (act.thread !== thread || of.isAction(moment) || depth <= act.depth)) {
            act.at = moment;
            act = null;
        }
        if (of.isAction(moment)) {
            const action = of.action(moment), kind = ["run", "spend"].includes(action.verb) ? action.verb : "act";
            if (!["say", "ask"].includes(action.verb)) {
                const event = add(kind, moment, thread, { action, depth });
                if (kind === "run") its.active.push({ mode: action.mode, seconds: action.seconds, once: action.once, began: of.time(moment), limit: action.seconds < 0 ? null : of.time(moment) + action.seconds, handled: "" });
                if (kind === "spend") its.spend = event;
                if (kind === "act") act = event;
                if (action.verb === "stop") stopper = event;
            }
        } else if (of.isCallout(moment) && depth > its.depth) its.callouts.push({ depth, from: moment, event: null });
        if (step && runs && (step !== its.step || runs > its.runs) && runs >= its.runs) {
            const event = add("step", moment, thread, { step, reason: 0, again: step === 2 && its.step === 9, ready: step === 9 && its.step === 5 });
            its.nine = step === 9 ? event : null;
        }
        if (its.nine && of.reason(moment)) {
            its.nine.reason = of.reason(moment);
            if (its.last === its.nine) its.nine.at = moment;
            its.nine = null;
        }
        const until = of.sleepEnd(moment);
        if (until !== undefined) {
            const event = its.last?.kind === "step" && its.last.step === 7 && events.at(-1) === its.last ? its.last : add("sleep", moment, thread, { step: 7 });
            Object.assign(event, { kind: "sleep", at: moment, until, time: of.time(moment) });
        }
        its.step = step;
        its.runs = runs;
        its.depth = depth;
        before = its;
    }
    while (line < run.lines.length) addLine(run.count - 1, line++);
    for (const event of events) if (event.kind === "callout") event.ends ??= run.count;
    return events.sort((a, b) => a.at - b.at);
};

/** Adds what is due while a thread sleeps or is busy, and has to wait, at these events. `timers` are those of the thread at a moment: name, date, names of their modes. */
edition.addMissed = (events, looks, timers) => {
    for (let index = events.length - 1; index >= 0; index--) {
        const event = events[index], until = event.until;
        if (!looks.includes(event) || !["sleep", "spend"].includes(event.kind)) continue;
        const found = timers(event).filter(({ date, modes }) => date > event.time && date < until && (event.kind === "spend" || !modes.includes(event.mode)));
        events.splice(index + 1, 0, ...found.sort((a, b) => a.date - b.date).map(timer => ({ ...event, kind: "missed", during: event, item: timer.name, modes: timer.modes, time: timer.date, until: undefined })));
    }
};
