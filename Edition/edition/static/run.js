// run.js: plays the recordings of run.html. The address names the moment: run.html#source0/12, run.html#worst-moment.asleep/12.
"use strict";

(() => {
    const $ = id => document.getElementById(id);
    const { make } = edition;
    const text = (key, ...values) => (edition.data.text[`run.${key}`] ?? key).replace(/\{(\d)\}/g, (_, index) => values[index]);

    let recording, order, moments, states, at = 0, playing = 0, words, columns, lastOfThread, frame = 0, naming = 0, named = "";
    const panes = new Map(); // path: its element, with its lines

    // The recording, unpacked: for each moment all values, and where each thread is.

    const value = (moment, name) => {
        const index = columns.get(name);
        return index === undefined || states[moment][index] < 0 ? "" : recording.values[states[moment][index]];
    };

    function unpack() {
        moments = order.moments;
        columns = new Map(recording.names.map((name, index) => [name, index]));
        lastOfThread = recording.threads.map((_, index) => moments.findLastIndex(moment => moment[0] === index));
        states = [];
        let state = new Int16Array(recording.names.length).fill(-1);
        for (const [, , changes] of moments) {
            if (changes.length) state = state.slice(); // moments without a change share it
            for (let i = 0; i < changes.length; i += 2) state[changes[i]] = changes[i + 1];
            states.push(state);
        }
    }

    function frames(stack) {
        const found = [];
        for (let index = stack; index >= 0; index = recording.stacks[index][2]) {
            const [which, line] = recording.stacks[index];
            if (typeof which === "string") found.push({ name: which });
            else {
                const [path, name, first] = recording.functions[which];
                found.push({ path, name, line: first + line });
            }
        }
        return found;
    }

    const depthOf = moment => {
        let depth = 0;
        for (let index = moments[moment][1]; index >= 0; index = recording.stacks[index][2]) depth++;
        return depth;
    };
    const nameAt = moment => {
        const which = recording.stacks[moments[moment][1]][0];
        return typeof which === "string" ? which : recording.functions[which][1];
    };
    const threadName = name => name === "main" ? text("main") : name;
    const stepOf = moment => value(moment, "step");
    const wholeStep = moment => stepOf(moment).split(".")[0];

    // Moving

    const begins = {
        line: () => true,
        step: moment => moment > 0 && stepOf(moment) !== stepOf(moment - 1) && stepOf(moment) !== "",
        pass: moment => moment > 0 && value(moment, "pass") !== value(moment - 1, "pass"),
        callout: moment => nameAt(moment).startsWith("__CFRUNLOOP_IS_") && (moment === 0 || nameAt(moment - 1) !== nameAt(moment) && depthOf(moment) > depthOf(moment - 1)),
        event: moment => matters(moment),
        thread: moment => moment > 0 && moments[moment][0] !== moments[moment - 1][0],
    };

    function next(kind, by) {
        const last = moments.length - 1;
        if (kind === "over") {
            const thread = moments[at][0], depth = depthOf(at);
            for (let moment = at + by; moment >= 0 && moment <= last; moment += by) {
                if (moments[moment][0] !== thread || depthOf(moment) <= depth) return moment;
            }
        } else {
            for (let moment = at + by; moment >= 0 && moment <= last; moment += by) if (begins[kind](moment)) return moment;
        }
        return by > 0 ? last : 0;
    }

    function go(moment) {
        at = Math.max(0, Math.min(moments.length - 1, moment));
        draw();
        // A browser refuses many new addresses in a short time, so the address waits until the reader pauses.
        clearTimeout(naming);
        naming = setTimeout(name, 120);
    }

    function name() {
        if (location.hash !== named) return; // the reader has gone elsewhere meanwhile
        named = `#${recording.name}${order.name ? `.${order.name}` : ""}/${at}`;
        history.replaceState(null, "", named);
    }

    // Drawing

    let drawn = null, drawnChanges = false; // the state that the panels show, and whether it is shown as new

    function draw() {
        const [thread, stack] = moments[at], all = frames(stack), here = all.find(frame => frame.path);
        $("where").textContent = [value(at, "pass") && text("pass", value(at, "pass")), text("where", at + 1, moments.length)].filter(Boolean).join(" · ");
        $("thread").textContent = threadName(recording.threads[thread]);
        $("thread").className = `t${thread}`;
        $("place").replaceChildren(`${here.path.split("/").pop()}:${here.line}  `, ...edition.pieces(here.name));
        $("place").href = `${edition.base}src/${here.path}.html#L${here.line}`;
        drawRail();
        drawCaption(thread, here);
        drawThreads(thread);
        drawStack(all);
        drawPicture(thread);
        if (states[at] !== drawn || moments[at][2].length || drawnChanges) {
            drawChanges();
            drawLocks();
            drawState();
            drawn = states[at];
            drawnChanges = moments[at][2].length > 0;
        }
        drawCursor();
        return drawCode(thread, here);
    }

    function drawRail() {
        const current = wholeStep(at), pass = value(at, "pass"), run = value(at, "run"), past = new Set();
        for (let moment = at; moment >= 0 && value(moment, "run") === run && (value(moment, "pass") === pass || wholeStep(moment) === "1"); moment--) past.add(wholeStep(moment));
        for (const item of $("rail").children) {
            const button = item.firstChild, step = button.dataset.step;
            if (step === current) button.setAttribute("aria-current", "step"); else button.removeAttribute("aria-current");
            button.textContent = step === current ? stepOf(at) : step;
            item.className = past.has(step) ? "past" : "";
        }
    }

    function sentences(at) {
        const found = [], changes = moments[at][2];
        if (at === 0) return found;
        for (let i = 0; i < changes.length; i += 2) {
            const name = recording.names[changes[i]], now = recording.values[changes[i + 1]];
            const isLock = name.startsWith("lock ");
            for (const [field, wanted, sentence] of words.changes) {
                const fits = isLock ? field === "lock" : field.startsWith(".") ? name.endsWith(field) && !name.startsWith("local ") : name === field;
                if (!fits || (wanted !== "*" && wanted !== now) || (wanted === "*" && now === "")) continue;
                const object = isLock ? name.slice(5) : field.startsWith(".") ? name.slice(0, -field.length) : name;
                if (sentence) found.push(sentence.replace("{o}", object).replace("{v}", isLock ? threadName(now) : now));
                break;
            }
        }
        return found;
    }

    function drawCaption(thread, here) {
        const caption = $("caption"), step = stepOf(at), name = recording.threads[thread];
        const sleeps = value(at, `thread ${name}`), slept = at > 0 && moments[at - 1] && value(at - 1, `thread ${name}`);
        const first = make("p", "now"), second = make("p"), third = make("p", "step");
        caption.classList.toggle("matters", matters(at));
        first.textContent = [sleeps ? text("sleeps", threadName(name)) : slept ? text("wakes", threadName(name)) : "", ...sentences(at)].filter(Boolean).join(" ");
        second.append(make("b", "", here.name), " ", words.functions[here.name] ?? text("program"));
        if (words.steps[step]) third.append(make("b", "", text(thread ? "loop-step" : "step", step)), " ", words.steps[step]);
        else third.textContent = text("no-step");
        caption.replaceChildren(first, second, third);
    }

    // The picture: the loop, its modes, their items. What the last line has changed is marked.

    const WAKE = "_wakeUpPort";
    const short = name => name.replace(/kCFRunLoop(?=\w+Mode)|(?<=UITracking)RunLoopMode/, "");

    function drawPicture(thread) {
        const changed = new Set();
        if (at) for (let i = 0; i < moments[at][2].length; i += 2) changed.add(recording.names[moments[at][2][i]]);
        const box = (className, lockName, ...fields) => {
            const holder = recording.threads.indexOf(value(at, `lock ${lockName}`)), element = make("div", className);
            if (holder >= 0) element.classList.add("locked", `by${Math.min(holder, 1)}`);
            if (fields.some(field => changed.has(field)) || changed.has(`lock ${lockName}`)) element.classList.add("new");
            return element;
        };
        const chip = (words, className, ...fields) => {
            const element = make("span", `chip ${className}`, words);
            if (fields.some(field => changed.has(field))) element.classList.add("new");
            return element;
        };
        const isAsleep = recording.threads.some(name => value(at, `thread ${name}`)), current = value(at, "loop._currentMode");
        const loop = box(`loop${isAsleep ? " asleep" : ""}`, "loop"), head = make("p");
        head.append(make("b", "", text("loop")), " ", chip(text(isAsleep ? "picture.asleep" : current && current !== "NULL" ? "picture.awake" : "picture.idle"), isAsleep ? "zzz" : "", "loop._currentMode"));
        if (value(at, `loop.${WAKE}`) === "a message") head.append(" ", chip(text("picture.message"), "on", `loop.${WAKE}`));
        if (value(at, "loop.stopped") === "STOP") head.append(" ", chip(text("picture.stopped"), "on", "loop.stopped"));
        if (Number(value(at, "loop._blocks")) > 0) head.append(" ", chip(text("picture.blocks", value(at, "loop._blocks")), "on", "loop._blocks"));
        if (value(at, "main queue.port") === "a message") head.append(" ", chip(text("picture.queue"), "on", "main queue.port"));
        loop.append(head);
        for (const field of recording.names.filter(name => name.endsWith("._timers"))) {
            const name = field.slice(0, -"._timers".length), mode = box(`mode${name === current ? " current" : ""}`, name), title = make("p");
            title.append(make("b", "", short(name)), name === current ? ` ${text("picture.runs")}` : "");
            mode.append(title);
            for (const [kind, words] of [["_sources0", "Source0"], ["_sources1", "Source1"], ["_timers", "Timer"]]) {
                const list = value(at, `${name}.${kind}`);
                if (!list || list === "none") continue;
                const line = make("p", "items");
                line.append(make("small", "", words), " ");
                for (const item of list.split(", ")) {
                    const is = fields => fields.some(field => value(at, `${item}.${field}`) === "true");
                    const state = is(["firing"]) ? "firing" : is(["signaled"]) ? "signaled" : is(["due"]) ? "due" : value(at, `${item}.valid`) === "false" ? "invalid" : "";
                    const element = chip(item, state && `on ${state}`, `${item}.signaled`, `${item}.firing`, `${item}.due`, `${item}.valid`, `${name}.${kind}`);
                    if (state) element.append(" ", make("small", "", text(`picture.${state}`)));
                    line.append(element, " ");
                }
                mode.append(line);
            }
            loop.append(mode);
        }
        $("picture").replaceChildren(loop);
    }

    /** Whether something happens at a moment that a reader should see: a sentence, a callout, the sleep, another thread. */
    function matters(moment) {
        const name = recording.threads[moments[moment][0]];
        return moment > 0 && (begins.callout(moment) || begins.thread(moment) || !!value(moment, `thread ${name}`) !== !!value(moment - 1, `thread ${name}`) ||
            sentences(moment).length > 0 && wholeStep(moment) !== "" && PLAIN.some(field => moments[moment][2].some((index, i) => i % 2 === 0 && recording.names[index].endsWith(field))));
    }
    const PLAIN = [".signaled", ".firing", ".due", "._currentMode", ".stopped", "._wakeUpPort", "._timers", "._sources0", "._sources1", "._blocks", "main queue.port"];

    function drawChanges() {
        const list = [], changes = at ? moments[at][2] : [];
        for (let i = 0; i < changes.length; i += 2) {
            const name = recording.names[changes[i]], now = recording.values[changes[i + 1]];
            if (name.startsWith("thread ") || (name.startsWith("local ") && now === "")) continue;
            const line = make("p", "change"), before = value(at - 1, name);
            line.append(name.replace(/^local /, ""), " ");
            if (before !== "") line.append(make("s", "", before), " → ");
            line.append(make("b", "", now === "" ? "–" : now));
            list.push(line);
        }
        $("changed").replaceChildren(...list.length ? list : [make("p", "none", text("nothing"))]);
    }

    const lockNames = () => recording.names.filter(name => name.startsWith("lock "));

    function drawLocks() {
        const list = lockNames().filter(name => value(at, name)).map(name => {
            const holder = recording.threads.indexOf(value(at, name)), chip = make("span", "lock", text("held", name.slice(5), threadName(value(at, name))));
            chip.style.setProperty("--t", `var(--t${Math.max(holder, 0)})`);
            return chip;
        });
        $("locks").replaceChildren(...list.length ? list : [make("p", "none", text("no-lock"))]);
    }

    function lastOf(thread, moment) {
        while (moment >= 0 && moments[moment][0] !== thread) moment--;
        return moment;
    }

    function drawThreads(thread) {
        $("threads").replaceChildren(...recording.threads.map((name, index) => {
            const element = make("div", "thread"), last = lastOf(index, at), sleeps = value(at, `thread ${name}`);
            const isOver = last >= 0 && index !== thread && lastOfThread[index] <= at;
            const state = last < 0 ? text("begun") : sleeps ? text("asleep", sleeps) : index === thread ? text("runs") : isOver ? text("over") : text("waits");
            element.append(make("b", `t${index}`, threadName(name)), ` ${state}`);
            if (last >= 0 && !isOver) {
                const frame = frames(moments[last][1])[0];
                element.append(make("code", "", `${frame.name}:${frame.line}`));
            }
            return element;
        }));
    }

    function drawStack(all) {
        $("stack").replaceChildren(...all.map(frame => {
            const item = make("li");
            if (!frame.path) item.textContent = frame.name;
            else {
                const link = make("a", "", frame.name);
                link.href = `${edition.base}src/${frame.path}.html#L${frame.line}`;
                link.title = `${frame.path}:${frame.line}`;
                item.append(link, ` :${frame.line}`);
            }
            return item;
        }));
    }

    function drawState() {
        const groups = new Map(), changed = new Set();
        if (at) for (let i = 0; i < moments[at][2].length; i += 2) changed.add(recording.names[moments[at][2][i]]);
        for (const name of recording.names) {
            if (/^(lock|thread) |^(run|pass|step)$/.test(name) || value(at, name) === "") continue;
            const [object, field] = name.startsWith("local ") ? ["", name.slice(6)] : [name.slice(0, name.indexOf(".")), name.slice(name.indexOf(".") + 1)];
            if (!groups.has(object)) groups.set(object, []);
            groups.get(object).push([field, value(at, name), changed.has(name)]);
        }
        const rank = object => object === "" ? 0 : object === "loop" ? 1 : object === "main queue" ? 4 : groups.get(object).some(([field]) => field === "_timers") ? 2 : 3;
        const title = object => object === "" ? text("run") : object === "loop" ? text("loop") : rank(object) === 2 ? text("mode", object) : rank(object) === 3 ? text("item", object) : object;
        const list = [];
        for (const object of [...groups.keys()].sort((a, b) => rank(a) - rank(b) || (a < b ? -1 : 1))) {
            const terms = make("dl");
            for (const [field, now, isNew] of groups.get(object)) {
                const definition = make("dd");
                definition.append(isNew ? make("b", "", now) : now);
                terms.append(make("dt", "", field), definition);
            }
            list.push(make("h3", "", title(object)), terms);
        }
        $("state").replaceChildren(...list);
    }

    async function pane(path) {
        if (!panes.has(path)) {
            await edition.load(`../../${words.code[path]}`);
            const targets = edition.data[`code:${path}`], pre = make("pre");
            for (const kind of ["pointerover", "pointerdown"]) {
                pre.addEventListener(kind, event => {
                    const name = event.target.closest("a"), [index, own] = targets.names[name?.textContent] ?? [];
                    const [file, line] = name?.dataset.to?.split("#L") ?? [targets.paths[index], own];
                    if (file) Object.assign(name, { href: `${edition.base}src/${file}.html#L${line}`, tabIndex: -1 });
                });
            }
            pre.innerHTML = edition.lines(targets.lines).map((line, index) => `<span class="l"><span class="n">${index + 1}</span>${line}\n</span>`).join("");
            panes.set(path, { pre, ends: words.ends[path] });
        }
        return panes.get(path);
    }

    let marked = null; // what the code pane shows as current: a file's element, the first line, the last

    async function drawCode(thread, here) {
        const moment = at, { pre, ends } = await pane(here.path), code = $("code");
        if (moment !== at) return;
        if (code.firstChild !== pre) code.replaceChildren(pre);
        if (marked) for (let line = marked[1]; line <= marked[2]; line++) marked[0].children[line - 1].classList.remove("on0", "on1");
        const last = ends[here.line] ?? here.line;
        for (let line = here.line; line <= last; line++) pre.children[line - 1].classList.add(`on${Math.min(thread, 1)}`);
        marked = [pre, here.line, last];
        cancelAnimationFrame(frame);
        frame = requestAnimationFrame(() => {
            const first = pre.children[here.line - 1], top = first.offsetTop - code.scrollTop;
            if (top < code.clientHeight * .15 || top > code.clientHeight * .7) code.scrollTop = first.offsetTop - code.clientHeight * .35;
        });
    }

    // The timeline: a row for the steps, one for each thread, one for each lock

    function spans(key) {
        const found = [];
        moments.forEach((_, moment) => {
            const now = key(moment), last = found.at(-1);
            if (last && last[2] === now) last[1] = moment + 1; else found.push([moment, moment + 1, now]);
        });
        return found;
    }

    function row(label, className, key) {
        const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
        svg.setAttribute("viewBox", `0 0 ${moments.length} 10`);
        svg.setAttribute("preserveAspectRatio", "none");
        svg.setAttribute("aria-hidden", "true");
        svg.setAttribute("class", `row ${className}`);
        for (const [from, to, kind] of spans(key)) {
            if (!kind) continue;
            const rect = document.createElementNS(svg.namespaceURI, "rect");
            for (const [name, number] of Object.entries({ x: from, y: 0, width: to - from, height: 10 })) rect.setAttribute(name, number);
            rect.setAttribute("class", kind);
            svg.append(rect);
        }
        const scrub = event => {
            if (event.type === "pointermove" && !event.buttons) return;
            const box = svg.getBoundingClientRect();
            go(Math.floor((event.clientX - box.left) / box.width * moments.length));
        };
        svg.addEventListener("pointerdown", scrub);
        svg.addEventListener("pointermove", scrub);
        const head = make("span", "name", short(label));
        head.title = label;
        return [head, svg];
    }

    function drawTimeline() {
        const rows = [row(text("steps"), "steps", moment => stepOf(moment) && `k${wholeStep(moment)}`)];
        recording.threads.forEach((name, index) => rows.push(row(threadName(name), "", moment =>
            value(moment, `thread ${name}`) ? "sleeps" : moments[moment][0] === index ? `runs${Math.min(index, 1)}` : "")));
        for (const name of lockNames()) {
            rows.push(row(text("lock", name.slice(5)), "", moment => {
                const holder = value(moment, name);
                return holder && `held${Math.min(Math.max(recording.threads.indexOf(holder), 0), 1)}`;
            }));
        }
        const range = make("input");
        Object.assign(range, { type: "range", id: "scrubber", min: 0, max: moments.length - 1, value: 0 });
        range.setAttribute("aria-label", text("scrubber"));
        range.addEventListener("input", () => go(Number(range.value)));
        $("timeline").replaceChildren(...rows.flat(), make("span"), range, make("div", "cursor"));
    }

    function drawCursor() {
        const range = $("scrubber");
        range.value = at;
        range.setAttribute("aria-valuetext", `${text("where", at + 1, moments.length)}, ${stepOf(at) ? text("step", stepOf(at)) : text("no-step")}`);
        $("timeline").style.setProperty("--at", (at + .5) / moments.length);
    }

    // Opening

    async function open() {
        const [, name, wanted, moment] = /^#([\w-]+)(?:\.([\w-]+))?(?:\/(\d+))?$/.exec(location.hash) ?? [];
        const isKnown = name && [...$("recording").options].some(option => option.value.split(".")[0] === name);
        $("gallery").hidden = isKnown;
        $("player").hidden = !isKnown;
        stop();
        if (!isKnown) return;
        await Promise.all([edition.load("text"), edition.load("run-words"), edition.load(`recordings/${name}`)]);
        words = edition.data["run-words"];
        recording = edition.data[`recording:${name}`];
        order = recording.orders.find(one => one.name === wanted) ?? recording.orders[0];
        unpack();
        document.title = `${recording.title} · ${document.title.split(" · ").pop()}`;
        $("title").textContent = recording.title;
        $("sentence").textContent = recording.sentence;
        $("recording").value = [...$("recording").options].find(option => option.value.split(".")[0] === name).value;
        $("orders").hidden = recording.orders.length < 2;
        $("order").replaceChildren(...recording.orders.map(one => new Option(one.words, one.name, false, one === order)));
        $("rail").replaceChildren(...Array.from({ length: 10 }, (_, index) => {
            const item = make("li"), button = make("button", "", String(index + 1));
            button.type = "button";
            button.dataset.step = String(index + 1);
            button.title = words.steps[index + 1];
            button.setAttribute("aria-label", text("step", index + 1));
            item.style.setProperty("--step", `var(--s${index + 1})`);
            button.addEventListener("click", () => toStep(button.dataset.step));
            item.append(button);
            return item;
        }));
        drawTimeline();
        named = location.hash;
        go(Number(moment ?? 0));
    }

    /** The next moment at which a step begins, from here on and then from the beginning. */
    function toStep(step) {
        for (let away = 1; away < moments.length; away++) {
            const moment = (at + away) % moments.length;
            if (wholeStep(moment) === step && (moment === 0 || wholeStep(moment - 1) !== step)) return go(moment);
        }
    }

    /** Another order of the same recording. Where both are alike so far, the moment stays; else it is where the other thread begins. */
    function choose(name) {
        const other = recording.orders.find(one => one.name === name);
        let alike = 0;
        while (alike < Math.min(at, other.moments.length - 1) && String(other.moments[alike].slice(0, 2)) === String(moments[alike].slice(0, 2))) alike++;
        const begins = other.moments.findIndex(moment => moment[0] !== 0);
        location.hash = `#${recording.name}.${name}/${alike === at ? at : Math.max(begins - 1, 0)}`;
    }

    function stop() {
        clearTimeout(playing);
        playing = 0;
        $("play").setAttribute("aria-pressed", "false");
        $("play").textContent = `▶ ${edition.data.text ? text("play") : ""}`.trim();
    }

    function play() {
        if (playing) return stop();
        if (at === moments.length - 1) go(0);
        $("play").setAttribute("aria-pressed", "true");
        $("play").textContent = `⏸ ${text("stop")}`;
        playing = setTimeout(tick, 300 / speed());
    }

    // A moment that matters is shown long enough to read its caption.
    const speed = () => Number($("speed").value);
    function tick() {
        go(at + 1);
        if (at === moments.length - 1) return stop();
        playing = setTimeout(tick, (matters(at) ? 2000 : 300) / speed());
    }

    function faster(by) {
        const box = $("speed");
        box.selectedIndex = Math.max(0, Math.min(box.options.length - 1, box.selectedIndex + by));
        edition.keep("speed", box.value);
    }

    const keys = { ArrowLeft: ["line", -1], ArrowRight: ["line", 1], s: ["step", 1], S: ["step", -1], c: ["callout", 1], C: ["callout", -1], t: ["thread", 1], T: ["thread", -1], p: ["pass", 1], P: ["pass", -1], e: ["event", 1], E: ["event", -1] };

    addEventListener("keydown", event => {
        if ($("player").hidden || !recording || event.ctrlKey || event.metaKey || event.altKey) return;
        if (event.target.closest("select, textarea, input:not([type=range])")) return;
        let move = keys[event.key];
        if (move && event.key.startsWith("Arrow") && event.shiftKey) move = ["over", move[1]];
        if (move) go(next(...move));
        else if (event.key === "Home") go(0);
        else if (event.key === "End") go(moments.length - 1);
        else if (event.key === "+" || event.key === "-") faster(event.key === "+" ? 1 : -1);
        // Space plays; on a button that the keyboard has come to, it presses the button.
        else if (event.key === " " && !event.target.matches(":is(button, a, summary):focus-visible")) play();
        else return;
        event.preventDefault();
    });
    for (const button of document.querySelectorAll("[data-go]")) {
        button.addEventListener("click", () => { stop(); go(next(button.dataset.go, Number(button.dataset.by))); });
    }
    $("play").addEventListener("click", play);
    // A button that a pointer has pressed gives the focus back, so Space plays.
    $("player").addEventListener("click", event => { if (event.detail) event.target.closest("button")?.blur(); });
    if ([...$("speed").options].some(option => option.value === edition.kept("speed"))) $("speed").value = edition.kept("speed");
    $("speed").addEventListener("change", () => edition.keep("speed", $("speed").value));
    $("recording").addEventListener("change", () => { location.hash = `#${$("recording").value}/0`; });
    $("order").addEventListener("change", () => choose($("order").value));
    addEventListener("hashchange", open);
    edition.run = { get at() { return at; }, get moments() { return moments; }, get recording() { return recording; }, go, next };
    edition.load("text").then(open);
})();
