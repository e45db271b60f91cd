// band.js: the ruler of play.html: a run from left to right, a row for each thread. A row has the colour of the mode that the thread's loop runs in, is
// dark while the thread sleeps, and has a tick with a name for each callout. The ruler is also the slider.
"use strict";

edition.makeBand = page => {
    const { say, $ } = page, LABEL = 74, END = 14, ROW = 22, NAMES = 15, AXIS = 17, FOLD = 12, BY_TIME = .6;
    let places = null, width = 0, rows = [];

    /**
     * Where each event is, from 0 to 1. Time and events have a share each, because most events of a pass happen at the same moment, and each has to have
     * a place. What comes before the first run and what clears the program away are folded.
     */
    function plan() {
        const { run } = page, { events } = run, from = Math.max(0, run.firstEvent), count = events.length - from;
        const begin = events[from]?.time ?? 0, total = (events.at(-1)?.time ?? 0) - begin;
        places = events.map((event, index) => index < from ? 0 : ((total > 0 ? BY_TIME * (event.time - begin) / total : 0) + (total > 0 ? 1 - BY_TIME : 1) * (index - from + .5) / Math.max(count, 1)));
        const names = [...new Set([...run.loopThreads, ...run.laneThreads])];
        rows = names.map(name => ({ name, parts: [], ticks: [] }));
        const byName = new Map(rows.map(row => [row.name, row])), open = new Map();
        events.forEach((event, index) => {
            const row = byName.get(event.action?.elsewhere ? "outside" : run.names[event.thread]);
            if (!row || index < from || event.kind === "missed") return;
            const last = open.get(row);
            if (last) last.to = index;
            const kind = event.kind === "sleep" ? "sleeps" : event.kind === "spend" ? "busy" : "";
            const mode = event.kind === "result" ? event.around?.mode ?? "" : event.kind === "run" ? event.action.mode : event.mode;
            if (mode || kind) row.parts.push({ from: index, to: index, mode, kind });
            open.set(row, mode || kind ? row.parts.at(-1) : null);
            if (event.kind === "callout" || event.kind === "say" || event.kind === "act") row.ticks.push(index);
        });
        // A thread that has nothing more to do has no bar.
        for (const part of open.values()) if (part && events[part.from].kind === "sleep") part.to = events.length - 1;
    }

    const xOf = place => LABEL + FOLD + (width - LABEL - END - FOLD) * place;
    /** The place of a moment: between two events, by how far it is from one to the other. */
    function placeOf(at, index) {
        const { events } = page.run;
        if (index < 0) return -1;
        const here = events[index], after = events[index + 1], part = after && after.at > here.at ? Math.min(1, Math.max(0, (at - here.at) / (after.at - here.at))) : 0;
        return places[index] + (after ? (places[index + 1] - places[index]) * part * .98 : 0);
    }
    /** The event at a place. */
    function eventAt(place) {
        let low = 0, high = places.length - 1;
        while (low < high) {
            const middle = (low + high + 1) >> 1;
            if (places[middle] <= place + 1e-6) low = middle; else high = middle - 1;
        }
        return low;
    }

    let picture = null, pictured;
    function drawRun(drawing, end) {
        const { events } = page.run, bottom = NAMES + rows.length * ROW;
        drawing.textBaseline = "middle";
        rows.forEach((row, index) => {
            const y = NAMES + index * ROW + ROW / 2, name = page.threadShort(row.name);
            drawing.fillStyle = page.css("--quiet");
            drawing.textAlign = "right";
            drawing.fillText(name, LABEL - 6, y, LABEL - 8);
            drawing.fillStyle = page.css("--line");
            drawing.fillRect(LABEL + FOLD, y - .5, width - LABEL - FOLD - END, 1);
            for (const { from, to, mode, kind } of row.parts) {
                if (from > end) break;
                const x = xOf(places[from]), size = Math.max(xOf(places[Math.min(to, end)]) - x, 1);
                drawing.fillStyle = mode ? page.modeCss(mode) : page.css("--quiet");
                drawing.fillRect(x, y - 8, size, 16);
                if (kind === "sleeps") {
                    drawing.fillStyle = page.css("--night");
                    drawing.fillRect(x, y - 8, size, 13);
                } else if (kind === "busy") {
                    drawing.fillStyle = page.css("--paper");
                    for (let at = x + 2; at < x + size; at += 5) drawing.fillRect(at, y - 1, 2, 2);
                }
            }
            let free = -Infinity, drawn = -Infinity;
            for (const at of row.ticks) {
                if (at > end) break;
                const event = events[at], x = Math.round(xOf(places[at])), isName = event.kind === "callout";
                if (x - drawn < 2) continue;
                drawn = x;
                drawing.fillStyle = page.css(isName ? "--ink" : "--accent");
                drawing.fillRect(x - 1, y - 10, 2, 20);
                if (!isName || index > 0 && rows.length > 1 && row.name !== rows[0].name) continue;
                drawing.textAlign = "left";
                const size = drawing.measureText(event.item).width;
                if (x - 3 < free || x + size > width) continue;
                drawing.fillText(event.item, x - 3, NAMES / 2 + 1);
                free = x + size + 5;
            }
        });
        // The clock: all that is above the same bracket happens at the same moment. And that this is no scale of time.
        drawing.textAlign = "right";
        drawing.fillStyle = page.css("--quiet");
        drawing.fillText(say("band.scale"), LABEL - 6, bottom + 10, LABEL - 8);
        drawing.textAlign = "center";
        drawing.fillStyle = page.css("--quiet");
        const moments = [];
        for (let index = page.run.firstEvent; index <= Math.min(end, events.length - 1); index++) {
            const last = moments.at(-1);
            if (last && events[index].time === last.time) last.to = xOf(places[index]);
            else moments.push({ time: events[index].time, from: xOf(places[index]), to: xOf(places[index]) });
        }
        let free = -Infinity, written = "";
        for (const { time, from, to } of moments) {
            const text = `${Number(time.toFixed(3))} s`, half = drawing.measureText(text).width / 2;
            drawing.fillRect(from, bottom + 3, to - from, 1);
            for (const x of [from, to]) drawing.fillRect(Math.min(x, to), bottom, 1, 3);
            const x = Math.max((from + to) / 2, LABEL + half);
            if (x - half < free || x + half > width || text === written) continue;
            written = text;
            drawing.fillText(text, x, bottom + 11);
            free = x + half + 8;
        }
    }

    /** `end` is the last event that is shown: with a guess to come, the reader sees no further. */
    function draw(at, index, end) {
        if (!places) return;
        const canvas = $("band"), ratio = devicePixelRatio || 1, height = NAMES + rows.length * ROW + AXIS;
        if (pictured !== end || !picture) {
            width = canvas.clientWidth || 300;
            canvas.width = Math.round(width * ratio);
            canvas.height = Math.round(height * ratio);
            canvas.style.height = `${height}px`;
            const drawing = canvas.getContext("2d", { willReadFrequently: true });
            drawing.scale(ratio, ratio);
            drawing.font = `11px ${getComputedStyle(canvas).fontFamily}`;
            drawRun(drawing, end);
            picture = drawing.getImageData(0, 0, canvas.width, canvas.height);
            pictured = end;
        }
        const drawing = canvas.getContext("2d"), place = placeOf(at, index), x = place < 0 ? LABEL + FOLD / 2 : xOf(place);
        drawing.putImageData(picture, 0, 0);
        drawing.fillStyle = page.css("--accent");
        drawing.fillRect(x - 1.25, NAMES - 3, 2.5, rows.length * ROW + 6);
        drawing.beginPath();
        drawing.arc(x, NAMES - 4, 4.5, 0, 7);
        drawing.fill();
        const range = $("scrubber");
        range.style.insetInline = `${LABEL + FOLD}px ${END}px`;
        range.value = Math.max(0, place) * 1000;
        range.setAttribute("aria-valuetext", $("where").textContent);
    }

    return { plan() { plan(); picture = null; }, draw, redraw() { picture = null; }, eventAt };
};
