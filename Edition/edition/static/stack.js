// stack.js: reads a pasted stack, from any tool: what each run is doing, and what each frame is. What is known of a frame is in data/frames.js.
"use strict";

(() => {
    const { escape, say, code, name: link, step } = edition.paste;
    const PASS = "__CFRunLoopRun";
    const whole = pattern => new RegExp(`^(?:${pattern})$`, "s");
    let patterns = null;

    /** Whether a name, whole, is one of a kind of data/frames.js: run, sleep, library … */
    function is(kind, name) {
        patterns ??= Object.fromEntries(Object.entries(edition.data.frames.patterns).map(([kind, pattern]) => [kind, whole(pattern)]));
        return patterns[kind].test(name);
    }

    // MARK: - Lines

    // The forms of a line. A bare one counts only if some frame of the text is known.
    const FORMS = [
        // lldb: frame #3: 0x0000… CoreFoundation`__CFRunLoopRun(rl=0x…) + 123 at CFRunLoop.c:175:9
        /^[\s*]*frame #(?<number>\d+):\s*(?:0x[0-9a-f]+\s+)?(?:(?<module>[^`]*)`)?(?<text>.+)$/i,
        // gdb and Xcode: #3  0x0000… in __CFRunLoopRun (rl=0x…) at …/CFRunLoop.c:175
        /^\s*#(?<number>\d+)\s+(?:0x[0-9a-f]+\s+in\s+)?(?<text>.+)$/i,
        // a crash report, callStackSymbols: 3   CoreFoundation   0x0000… __CFRunLoopRun + 123
        /^\s*(?<number>\d+)\s+(?<module>\S.*?)\s+0x[0-9a-f]+\s+(?<text>.+)$/i,
        // CoreFoundation`__CFRunLoopRun + 123
        /^\s*(?<number>\d+)?\s*(?<module>[\w.+-]+)`(?<text>.+)$/,
    ];
    const BARE = [
        // 3   CoreFoundation   __CFRunLoopRun
        /^\s*(?<number>\d+)\s+(?<module>[\w.+-]+(?: [\w.+-]+)*)(?:\t| {2,})\s*(?<text>[^\s=;{].*)$/,
        /^\s*(?<number>\d+)[\s:.]\s*(?<text>[-+\w$~?<@[][^;{]*)$/,
        /^\s*(?<text>[_\d]*[-+]\[[^\]]+\][^;{]*|[\w$~?<@][\w$~?<>@#:.]*(?:\([^;{]*|\s\+\s\d+|\s[^;{=]*\bin\b[^;{=]*)?)\s*$/,
    ];
    // sample: + ! 2000 __CFRunLoopRun  (in CoreFoundation) + 1161  [0x…]; spindump: 1001  __CFRunLoopRun + 1161 (CoreFoundation + 512345) [0x…];
    // both in older systems: 46 start + 1 (libdyld.dylib) [0x…]; and a frame without a symbol: 46 ??? (Orchard + 5120) [0x…], 46 0x104a1d400 [0x…]
    const SAMPLED = new RegExp("^(?<indent>[\\s+!:|]*)(?<number>\\d+)\\s+(?<text>\\S.*?)\\s+(?:\\(in (?<module>[^)]+)\\)|\\+ \\d+ \\((?<library>\\S.*?) \\+ \\d+\\)|" +
        "\\+ \\d+ \\((?<older>[^()]+)\\)(?= +\\[0x)|\\((?<nameless>\\S[^()]*?) \\+ \\d+\\)(?= +\\[0x)|(?=\\[0x[0-9a-f]+\\]\\s*$))", "i");
    const KERNEL = /^\s*\*\d+\s/; // spindump: what the kernel does below the last frame
    const THREAD = /^[\s*+!:|\d]*\b(Thread[ _#]+(?:0x)?[0-9a-f]+\b.*|Crashed: .*)$/i;
    const END = /^(Total number in stack|Sort by top of stack|Binary Images)/m;

    /** A frame's name, whole, and what stands behind it: arguments, file, line. */
    function frame({ number = "", module = "", text, count = 0 }) {
        let name = text.trim().replace(/(\s\[(opt|inlined|artificial|tail call)\])+$/, ""), file = "", line = 0, rest = "", match;
        if ((match = name.match(/^(.+?)\s+at\s+(\S.*?):(\d+)(?::\d+)?$/)) || (match = name.match(/^(.+?\s\+\s\d+)\s+\((\S+):(\d+)\)$/))) [, name, file, line] = match;
        else if ((match = name.match(/^(.+?)\s+from\s+(\S+)$/))) [, name, module] = match;
        name = name.replace(/\s+\+\s+\d+(\s.*)?$/, "").replace(/^0x[0-9a-f]+$/i, "???");
        if ((match = name.match(/^([\w$:~.@]+|[-+]\[[^\]]*\]\S*) (\(.*\))$/)) || (match = name.match(/^([^(]+)(\(\w+=.*\))$/))) [, name, rest] = match;
        name = name.replace(/(?<!->) \(\)$/, "");
        return { number, name, rest, module: module.split("/").at(-1), file: file.split("/").at(-1), line: Number(line), count, info: info(name, module) };
    }

    // MARK: - What is known of a frame

    let families = null;

    /** The spellings under which a name may be known: without a category, a library, arguments; the function of a block or of a closure. */
    function spellings(name) {
        const plain = name.replace(/^([-+]\[\w+)\(\w+\)/, "$1").replace(/\.cold\.\d+$/, "");
        const inside = plain.replace(/^(closure #\d+( \(.*?\) -> \S+)? in |@objc |specialized |implicit closure #\d+ in )+/, "").replace(/^invocation function for block in /, "")
            .replace(/^_+\d+(?=[-+]\[)/, "").replace(/^__(.*_block_invoke)/, "$1").replace(/(_block_invoke(_\d+|\.\d+)*)+$/, "");
        const mangled = plain.match(/^_?_ZNK?((?:\d+\w+?)+?)E/)?.[1], parts = [];
        for (let rest = mangled, match; rest && (match = rest.match(/^\d+/)); rest = rest.slice(match[0].length + Number(match[0]))) parts.push(rest.substr(match[0].length, Number(match[0])));
        const all = [plain, inside, parts.join("::"), plain.replace(/^_(?=CF)/, "")];
        for (const text of [plain, inside]) all.push(text.replace(/^([-+]\[\w+)\(\w+\)/, "$1"), text.replace(/^(static )?[A-Z]\w*\.(?=\w+\.)/, "$1"), /^[-+]/.test(text) ? "" : text.replace(/\(.*$/s, ""));
        return [...new Set(all.filter(Boolean))].map(text => [text, text !== plain && text !== name && plain !== inside && is("inside", plain)]);
    }

    /** What the tables say of a frame: { step, sentence, callout, mode, waits, isFamily }; null if nothing. */
    function info(name, module) {
        const { frames } = edition.data.frames;
        families ??= Object.keys(frames).filter(name => name.includes("*")).sort((one, other) => other.length - one.length)
            .map(name => [new RegExp(`^${name.split("*").map(part => part.replace(/[^\w`]/g, "\\$&")).join(".*")}$`, "s"), name]);
        const made = ([step, sentence, callout, mode, waits], isInside, isFamily) => ({ step, callout, mode, waits, isFamily,
            sentence: isInside ? say("stack.blockOf", { sentence }) : sentence });
        const all = spellings(name);
        for (const [text, isInside] of all) if (Object.hasOwn(frames, text)) return made(frames[text], isInside, false);
        for (const [text] of [...all, [`${module.split("/").at(-1)}\`${name}`]]) {
            const family = families.find(([pattern]) => pattern.test(text));
            if (family) return made(frames[family[1]], false, true);
        }
        return null;
    }

    const isKnown = frame => frame.info && !frame.info.isFamily;

    // MARK: - Threads

    // Between the frames of a stack that is told in a line: A -> B → C.
    const ARROW = /\s*(?:-+>|→)\s*(?=[-+_\w])/;

    /** A printed array of callStackSymbols as plain lines: without the quotation marks and commas between its elements, and the brackets around them. */
    function plain(text) {
        return text.replace(/"\s*,\s*"(?=\d+\s)/g, "\n").split("\n").map(line => line.replace(/^[^"]*"(?=\d+\s)/, "").replace(/^\s*[[(]\s*(?=\d+\s+\S)/, "")
            .replace(/^(\s*\d+\s.*\s0x[0-9a-f]+\s.*\S)\s*(?:"\s*,?|,|(?<=\s\d+)[\])])\s*[\])]?\s*$/i, "$1")).join("\n");
    }

    /** The threads of a text, each with its frames, the innermost first; null if it has no stack. */
    function threads(pasted) {
        const text = plain(pasted);
        const found = report(pasted) ?? sampled(text.split(END)[0]) ?? listed(text, FORMS);
        if (found?.length) return found.some(thread => thread.frames.length > 1 || thread.frames.some(isKnown)) ? found : null;
        const lines = text.split("\n").flatMap(line => line.split(ARROW)).filter(line => line.trim());
        const bare = listed(lines.join("\n"), [...FORMS, ...BARE]), frames = bare.flatMap(thread => thread.frames);
        // A word that happens to be a function, such as sleep, is no stack; nor is a text in which few lines are frames.
        const isStack = frames.some(frame => isKnown(frame) && (/[A-Z_[]/.test(frame.name) || frames.length > 2 && lines.length === frames.length));
        if (!isStack || frames.length * 2 < lines.length || (lines.length === 1 && edition.search.entry(lines[0].trim()))) return null;
        for (const thread of bare) if (thread.frames.every(frame => !frame.number) && isOutermostFirst(thread.frames)) thread.frames.reverse();
        return bare;
    }

    /** A crash report as JSON (.ips): a line about the report, then the report; or a part of it with the frames' symbols. */
    function report(text) {
        if (!/"symbol"\s*:/.test(text)) return null;
        const made = (frames, images = []) => frames.map(({ symbol, imageIndex, symbolLocation, sourceFile = "", sourceLine = 0 }, number) =>
            ({ ...frame({ number: String(number), module: images[imageIndex]?.name ?? "", text: symbol ?? "???" }), file: sourceFile, line: sourceLine, symbolLocation }));
        for (const part of [text, text.slice(text.indexOf("\n") + 1)]) {
            try {
                const { threads, usedImages } = JSON.parse(part);
                return threads.map((thread, index) => ({ title: [`Thread ${index}`, thread.triggered ? "Crashed" : "", thread.name ?? thread.queue ?? ""].filter(Boolean).join(" · "), frames: made(thread.frames, usedImages) }));
            } catch { /* not the whole report */ }
        }
        return [{ title: "", frames: made([...text.matchAll(/"symbol"\s*:\s*"((?:[^"\\]|\\.)*)"/g)].map(match => ({ symbol: JSON.parse(`"${match[1]}"`) }))) }];
    }

    /** The call graph of sample or spindump: of each thread the branch with the most samples. */
    function sampled(text) {
        const found = [];
        let nodes = null;
        for (const line of text.split("\n")) {
            const match = line.match(SAMPLED);
            if (!match && THREAD.test(line)) found.push({ title: line.match(THREAD)[1].trim(), nodes: nodes = [] });
            if (!match || KERNEL.test(line)) continue;
            if (!nodes) found.push({ title: "", nodes: nodes = [] });
            const { indent, number, text, module, library, older, nameless } = match.groups;
            nodes.push({ depth: indent.length, count: Number(number), frame: frame({ number, module: module ?? library ?? older ?? nameless ?? "", text }) });
        }
        return found.some(thread => thread.nodes.length) ? found.filter(thread => thread.nodes.length).map(({ title, nodes }) => ({ title, frames: heaviest(nodes).reverse(), isSampled: true, nodes: related(nodes) })) : null;
    }

    /** Each node with the one that it is below, and how many samples ended in it and in none that is below it. */
    function related(nodes) {
        const above = [];
        for (const node of nodes) {
            while (above.length && above.at(-1).depth >= node.depth) above.pop();
            [node.parent, node.own, node.below] = [above.at(-1) ?? null, node.count, 0];
            if (node.parent) [node.parent.own, node.parent.below] = [node.parent.own - node.count, node.parent.below + 1];
            above.push(node);
        }
        return nodes;
    }

    const pathOf = node => node ? [node, ...pathOf(node.parent)] : [];

    /** What the thread was doing, with how many of its samples: the innermost run of each branch, in a sentence. None, if it did one thing only. */
    function shares(nodes) {
        const found = new Map(), all = nodes.filter(node => !node.parent).reduce((sum, node) => sum + node.count, 0);
        for (const node of nodes.filter(node => node.own > 0)) {
            const runs = runsOf(pathOf(node).map(each => ({ ...each.frame }))), words = runs.length ? summary(runs[0], 0, 1) : say("stack.none");
            found.set(words, (found.get(words) ?? 0) + node.own);
        }
        const sorted = [...found].sort(([, one], [, other]) => other - one);
        return sorted.length > 1 ? `<ul class="shares">${sorted.map(([words, count]) => `<li>${say("stack.share", { count, percent: Math.round(100 * count / all) })} ${words}</li>`).join("")}</ul>` : "";
    }

    /** The call graph whole: a branch is indented, and what is alone below another is not. The branch with the most samples is marked. */
    function tree(nodes, frames) {
        if (!nodes.some(node => node.below > 1)) return "";
        const marked = new Set(frames);
        const lines = nodes.map(node => {
            node.rank = node.parent ? node.parent.rank + (node.parent.below > 1) : 0;
            return `${marked.has(node.frame) ? "▸" : " "} ${String(node.count).padStart(6)} ${"  ".repeat(node.rank)}${escape(node.frame.name)}`;
        });
        return `<details><summary>${say("stack.tree", { count: nodes.length })}</summary><pre class="tree" tabindex="0">${lines.join("\n")}</pre></details>`;
    }

    /** From the root down, always the child with the most samples. A list that has no tree is a branch already. */
    function heaviest(nodes) {
        if (nodes.every(node => node.depth === nodes[0].depth)) return nodes.map(node => node.frame);
        const branch = [];
        for (let from = 0, to = nodes.length; from < to;) {
            const depth = Math.min(...nodes.slice(from, to).map(node => node.depth));
            let best = -1;
            for (let at = from; at < to; at++) if (nodes[at].depth === depth && (best < 0 || nodes[at].count > nodes[best].count)) best = at;
            branch.push(nodes[best].frame);
            const next = nodes.findIndex((node, at) => at > best && at < to && node.depth <= depth);
            [from, to] = [best + 1, next < 0 ? to : next];
        }
        return branch;
    }

    /** A frame a line. A line about a thread, and a number that does not go on, begin another stack. */
    function listed(text, forms) {
        const found = [];
        let thread = null, isNew = true;
        for (const line of text.replace(/\n\s{3,}(?=(?:at|from) \S|\w+=\S)/g, " ").split("\n")) {
            const heading = line.match(THREAD), match = !heading && forms.reduce((found, form) => found ?? line.match(form), null);
            // Crash reports have two lines: Thread 0 name: …, and Thread 0 Crashed:
            if (heading) [thread, isNew] = [{ title: [thread?.frames.length === 0 ? thread.title : "", heading[1].replace(/:$/, "").trim()].filter(Boolean).reverse().join(" · "), frames: [] }, true];
            if (!match) continue;
            const next = frame(match.groups), last = thread?.frames.at(-1);
            if (!thread || (last?.number && next.number && Number(next.number) <= Number(last.number))) [thread, isNew] = [{ title: "", frames: [] }, true];
            if (isNew) found.push(thread);
            isNew = false;
            thread.frames.push(next);
        }
        return found;
    }

    // How far inside a frame stands. A list without numbers may begin with main, or end with it.
    let order = null;
    function isOutermostFirst(frames) {
        order ??= edition.data.frames.order.map(whole);
        const ranks = frames.map(frame => order.findIndex(pattern => pattern.test(frame.name))).filter(rank => rank >= 0);
        return ranks.reduce((sum, rank, at) => sum + (at ? Math.sign(rank - ranks[at - 1]) : 0), 0) > 0;
    }

    // MARK: - Runs

    /** The runs of a stack, the innermost first: each is what is above its CFRunLoopRunSpecific, up to the next one; and what called it. */
    function runsOf(frames) {
        const ends = frames.flatMap((frame, at) => is("run", frame.name) ? [at] : []);
        // Without that frame, a stack that was cut off still has its pass.
        if (!ends.length && frames.some(frame => frame.name === PASS || frame.info?.callout || is("sleep", frame.name) || /^__CFRunLoopDo/.test(frame.name))) ends.push(frames.length - 1);
        return ends.map((end, index) => {
            const own = frames.slice(index ? ends[index - 1] + 1 : 0, end + 1), above = frames.slice(end + 1, ends[index + 1] ?? frames.length);
            const callout = above.findIndex(frame => frame.info?.callout);
            own.forEach(frame => { frame.run = index; });
            return state(own, above.slice(0, callout < 0 ? above.length : callout), index === 0);
        });
    }

    /** What a run is doing: its step, its callout, its mode, and what its thread waits for. */
    function state(frames, callers, isInnermost) {
        const tables = edition.data.frames, found = { frames, step: "", words: "", callout: "", mode: "", waits: "", isAsleep: false };
        found.callee = frames.findIndex(frame => frame.info?.callout);
        const sleep = frames.findIndex(frame => is("sleep", frame.name)), inside = found.callee < 0 ? [] : frames.slice(0, found.callee);
        const isInPass = frames.some(frame => frame.name === PASS), observers = frames.find(frame => frame.name === "__CFRunLoopDoObservers");
        found.isAsleep = sleep >= 0 && (found.callee < 0 || sleep < found.callee);
        if (found.callee >= 0 && !found.isAsleep) [found.callout, found.kind, found.callback] = [frames[found.callee].info.sentence, frames[found.callee].info.callout, (inside.findLast(frame => !is("between", frame.name)) ?? inside.at(-1))?.name ?? ""];
        found.step = frames.find(frame => frame.info?.step && (/^__CF|^_dispatch_main_queue_callback/.test(frame.name) || frame.info.callout))?.info.step ?? "";
        if (!found.step) found.step = frames.filter(frame => frame.name === PASS && frame.file === "CFRunLoop.c").map(frame => stepOfLine(frame.line))[0] ?? "";
        if (observers || found.kind === "observer") {
            const activity = frames.map(frame => frame.rest.match(/(?:activity|mask|rlActivity)=(?:0x([0-9a-f]+)|(\d+)|kCFRunLoop(\w+))/i)).find(Boolean);
            const number = activity && (activity[1] ? parseInt(activity[1], 16) : activity[2] ? Number(activity[2]) : Object.keys(tables.activities).find(key => tables.activities[key] === activity[3]));
            // The observer itself may tell: Core Animation's is called before waiting, and at the exit.
            const told = inside.findLast(frame => frame.info?.step)?.info.step ?? "";
            found.step = tables.stepOfActivity[number] ?? (isInPass ? told : told === "6" ? "10" : "");
            if (!found.step) found.words = say(isInPass ? "stack.observerInPass" : "stack.observerOutside");
        }
        if (!found.step && !found.words && frames.some(frame => frame.info?.callout === "block" || frame.name === "__CFRunLoopDoBlocks")) found.words = say("stack.block");
        const called = frames[frames.findIndex(frame => frame.name === PASS) - 1]?.name ?? "";
        if (!found.step && !found.words && is("joins", called)) found.words = say("stack.portJoins");
        if (!found.step && !found.words && is("leaves", called)) found.words = say("stack.portLeaves");
        if (!found.step && !isInPass && frames.length === 1) found.step = frames[0].info?.step ?? "";
        if (isInnermost && !found.isAsleep && !inside.some(frame => /^CFRunLoop(WakeUp|Stop)$|TrivialMachMessage/.test(frame.name))) found.waits = inside.find(frame => frame.info?.waits)?.info.waits ?? "";
        const named = [...frames.filter(frame => frame.name === PASS || is("run", frame.name)), ...callers].map(frame => modeIn(frame.rest) || frame.info?.mode);
        found.mode = named.find(Boolean) ?? "";
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

    // MARK: - HTML

    /** Without the spaces between Chinese words and marks, which the parts of a sentence leave when they are put together. */
    const tight = html => html.replace(/([\u3000-\u303f\u4e00-\u9fff：。]) (?=(?:<[^>]*>)?[\u4e00-\u9fff])/g, "$1");

    function summary(run, index, count) {
        const which = count === 1 ? "stack.run" : index === 0 ? "stack.inner" : index === count - 1 ? "stack.outer" : "stack.middle";
        const where = run.step ? say("stack.at", { step: step(run.step), words: escape(edition.data.frames.steps[run.step]) }) : (run.words || say("stack.unknown")) + say("stack.point");
        const what = run.isAsleep ? say("stack.asleep") : run.callout ? say(run.callback ? "stack.inTo" : "stack.in", { what: escape(run.callout), callback: code(run.callback) }) : "";
        return tight(edition.paste.joined([say(which), where, what, run.mode ? say("stack.mode", { mode: link(run.mode) }) : "", run.waits ? say("stack.waits", { what: escape(run.waits) }) : ""].filter(Boolean)));
    }

    function row(frame, runs) {
        const { info } = frame, run = runs[frame.run], at = run?.frames.indexOf(frame), isInside = run && at < run.callee;
        const isYours = !info && isInside && !["system", "apples"].some(kind => is(kind, frame.name)) && !is("library", frame.module), isLoop = info && is("loop", frame.name);
        const words = info?.callout ? tight(say("stack.callout", { what: escape(info.sentence) })) : info ? escape(info.sentence) : say(isYours ? "stack.yours" : runs.length && !run ? "stack.caller" : "stack.other");
        const mark = /DoObservers|DoBlocks/.test(frame.name) || info?.callout ? run?.step : isLoop || !run ? info?.step : "";
        return `<li class="${isLoop ? "loop" : isYours ? "yours" : "other"}"><span class="number">${escape(frame.number)}</span> ${link(frame.name)} ${step(mark)}` +
            `<span class="where">${escape([frame.module, frame.file && `${frame.file}:${frame.line}`].filter(Boolean).join(" "))}</span><p>${words}</p></li>`;
    }

    function section({ title, frames, isSampled, nodes = [] }, isOne) {
        const runs = runsOf(frames), waits = frames.find(frame => frame.info?.waits)?.info.waits;
        const lines = runs.length ? runs.map((run, index) => summary(run, index, runs.length)) : [say("stack.none") + (waits ? ` ${say("stack.waitsAlone", { what: escape(waits) })}` : "")];
        const isFrame = frames.length === 1;
        if (isFrame) lines.length = 0;
        const heading = title && !isOne ? `<h3>${escape(title)}</h3>` : "";
        const all = heading + lines.map(line => `<p class="summary">${line}</p>`).join("") + (isFrame ? "" : shares(nodes));
        if (!runs.length && !isOne) return [all, false];
        return [`${all}${isSampled && !isFrame ? `<p class="hint">${say("stack.sampled")}</p>` : ""}<ol class="frames">${frames.map(frame => row(frame, runs)).join("")}</ol>${isFrame ? "" : tree(nodes, frames)}`, true];
    }

    function stack(text) {
        const found = threads(text);
        if (!found) return null;
        // A debugger shows the frame where it stopped, and then the stack.
        const whole = found.some(thread => thread.frames.length > 1) ? found.filter(thread => thread.frames.length > 1) : found;
        const sections = whole.map(thread => section(thread, whole.length === 1));
        const [code, words] = edition.data.frames.watchdog, watchdog = text.toLowerCase().includes(code) ? `<p class="summary">${words}</p>` : "";
        // Threads in a run come first; of the others a line is enough.
        return `<section class="reading"><h2>${say(whole.length === 1 && whole[0].frames.length === 1 ? "stack.titleFrame" : "stack.title")}</h2>${watchdog}${[...sections.filter(([, isWhole]) => isWhole), ...sections.filter(([, isWhole]) => !isWhole)].map(([html]) => html).join("")}</section>`;
    }

    edition.paste.stack = stack;
    edition.paste.isFrame = name => /[A-Z_[]/.test(name) && !edition.search.entry(name) && isKnown({ info: info(name, "") });
    edition.paste.frame = name => info(name, "")?.sentence ?? "";
})();
