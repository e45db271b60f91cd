// breaks.js: the loop with one line broken (Facts/breaks.tsv): both logs side by side, the line, and the game, in which the reader finds it.
// The module has all breaks behind an integer; play.js performs the program.
"use strict";

edition.makeBreaks = page => {
    const { make } = edition, { say, $ } = page, MOST_CELLS = 4_000_000, FILES = page.table.files;
    const breaks = new Map(page.table.breaks.map(([number, file, line, text]) => [number, { number, path: FILES[file], file, line, text, ...page.words.breaks[number] }]));
    const button = (text, action, id) => Object.assign(make("button", "", text), { type: "button", onclick: action, id });
    let number = 0, game = null, stepFound = false, found = false, suspect = null, tries = 0, differs = -1; // game: the seed of the riddle; differs: the first line of the log
    const shortPlace = ({ path, line }) => `${path.split("/").pop()}:${line}`;

    /** The lines that count as the broken one: of the smallest statement that has it, or the line itself. */
    function lines({ file, line }) {
        const around = page.table.statements.filter(([of, first, last]) => of === file && first <= line && line <= last).sort((a, b) => a[2] - a[1] - (b[2] - b[1]))[0];
        return around ? [around[1], around[2]] : [line, line];
    }

    // Both logs

    /** Rows of two logs, [left, right] with the index of a line or null: those that are the same stand beside each other. */
    function align(left, right) {
        if (left.length * right.length > MOST_CELLS) return Array.from({ length: Math.max(left.length, right.length) }, (_, index) => [left[index] === undefined ? null : index, right[index] === undefined ? null : index]);
        const longest = Array.from({ length: left.length + 1 }, () => new Uint32Array(right.length + 1));
        for (let i = left.length - 1; i >= 0; i--) for (let j = right.length - 1; j >= 0; j--) longest[i][j] = left[i] === right[j] ? longest[i + 1][j + 1] + 1 : Math.max(longest[i + 1][j], longest[i][j + 1]);
        const rows = [];
        for (let i = 0, j = 0; i < left.length || j < right.length;) {
            if (i < left.length && j < right.length && left[i] === right[j]) rows.push([i++, j++]);
            else if (i < left.length && j < right.length && longest[i + 1][j + 1] === longest[i][j]) rows.push([i++, j++]);
            else if (j >= right.length || i < left.length && longest[i + 1][j] >= longest[i][j + 1]) rows.push([i++, null]);
            else rows.push([null, j++]);
        }
        return rows;
    }

    function drawLogs() {
        const { run } = page, healthy = page.logWithout(), table = make("table"), head = make("tr"), body = make("tbody");
        head.append(...["as-it-is", "broken"].map(key => Object.assign(make("th", "", say(`break.${key}`)), { scope: "col" })));
        const top = make("thead");
        top.append(head);
        const rows = align(healthy.slice(0, page.MOST_LINES), run.lines.slice(0, page.MOST_LINES)), first = rows.findIndex(([left, right]) => healthy[left] !== run.lines[right]);
        differs = first < 0 ? -1 : rows.slice(first).find(([, right]) => right !== null)?.[1] ?? run.lines.length;
        body.append(...rows.map(([left, right], index) => {
            const row = make("tr", index === first ? "first" : healthy[left] !== run.lines[right] ? "other" : ""), mine = make("td"), its = make("td");
            mine.textContent = healthy[left] ?? "";
            if (right !== null) its.append(button(run.lines[right], () => page.goToLine(right + 1)));
            if (index === first) (right === null ? mine : its.firstChild).prepend(make("span", "hidden", `${say("break.first")} `));
            row.append(mine, its);
            return row;
        }));
        table.append(top, body);
        $("logs").replaceChildren(first < 0 ? same() : table);
        const row = body.children[first];
        $("logs").scrollTop = row ? row.offsetTop - top.offsetHeight - Math.min(24, body.children[first - 1]?.offsetHeight ?? 0) : 0; // below the head, and a part of the row before
    }

    /** The program does not show the break; a button brings the one that does. */
    function same() {
        const told = make("p", "none", say("break.same")), its = breaks.get(number);
        if (game === null) told.append(" ", button(say("break.show", its.shower), () => { page.enter(its.program); page.perform(); page.name(); $("logs").focus(); }, "show-break"));
        return told;
    }

    // The break, or the riddle

    function drawHead() {
        const its = breaks.get(number), shows = game === null || found;
        $("h-compare").textContent = game === null ? say("break.title", its.words) : say("game.title");
        $("line").replaceChildren();
        if (shows) {
            const place = page.leads(make("a", "", shortPlace(its)), `src/${its.path}.html#L${its.line}`);
            $("line").append(place, " ", make("del", "", its.old), " ", its.text ? make("ins", "", its.text) : make("em", "", say("break.gone")), " ");
            if (game === null) $("line").append(button(say("break.stop"), () => { choose(0); page.perform(); page.name(); }));
        }
        $("riddle").hidden = game === null;
        $("riddle-asks").hidden = $("solve").hidden = found;
        $("riddle-asks").textContent = say(stepFound ? "game.which-line" : "game.which-step");
        $("which-step").hidden = stepFound || found;
        $("accuse").hidden = $("hint").hidden = !stepFound || found;
    }

    /** After each performance. */
    function draw() {
        $("compare").hidden = !number;
        $("broken").value = game === null ? number : "game";
        if (!number) { differs = -1; return; }
        drawHead();
        drawLogs();
    }

    function choose(wanted) {
        number = breaks.has(wanted) ? wanted : 0;
        game = null;
    }

    // The game: the seed says which line is broken, and which program shows it. The reader first finds the step that goes wrong, then the line.

    function random(seed) {
        let state = seed >>> 0;
        return () => {
            state = (state + 0x6D2B79F5) >>> 0;
            let value = Math.imul(state ^ state >>> 15, 1 | state);
            value = value + Math.imul(value ^ value >>> 7, 61 | value) ^ value;
            return ((value ^ value >>> 14) >>> 0) / 4294967296;
        };
    }

    /** Begins a riddle. Returns its program: one whose log the broken line changes. */
    function riddle(seed) {
        const next = random(seed), all = [...breaks.values()], its = all[Math.floor(next() * all.length)];
        const programs = page.examples.map(([, text]) => text).concat(its.program).map(text => [next(), text]).sort(([a], [b]) => a - b).map(([, text]) => text);
        [number, game, stepFound, found, tries, suspect] = [its.number, seed >>> 0, false, false, 0, null];
        $("answer").textContent = "";
        return programs.find(text => String(page.logWithout(text)) !== String(page.logWithout(text, number))) ?? its.program;
    }

    /** A seed whose line is another than the one that is broken now. */
    function anotherSeed() {
        const all = [...breaks.keys()];
        for (;;) {
            const seed = Math.floor(Math.random() * 4294967296);
            if (all[Math.floor(random(seed)() * all.length)] !== number) return seed;
        }
    }

    /** Step 0 is none of the ten: what the program itself calls. */
    const sayStep = (key, step) => say(step ? key : `${key}.none`, step, page.words.short[step]);
    function accuseStep(step) {
        if (breaks.get(number).steps.includes(step)) goOn(sayStep("game.step.yes", step), step);
        else $("answer").textContent = sayStep("game.step.no", step);
    }
    /** From the step to the line, at the next moment in the step. */
    function goOn(words, step) {
        stepFound = true;
        $("answer").textContent = words;
        page.setView("code");
        $("rail").querySelector(`[data-step="${step}"]`)?.click();
        drawHead();
        page.redraw();
        $("riddle").focus(); // the button is gone
    }

    function accuse() {
        if (found) return;
        if (!stepFound) return accuseStep(page.step());
        if (!suspect) return void ($("answer").textContent = say("game.accuse.none"));
        const its = breaks.get(number), [first, last] = lines(its);
        tries++;
        found = suspect.path === its.path && first <= suspect.line && suspect.line <= last;
        if (found) solved(say(tries === 1 ? "game.found.first" : "game.found", its.words, tries));
        else $("answer").textContent = say("game.wrong", shortPlace(suspect));
    }
    function solved(words) {
        found = true;
        $("answer").textContent = words;
        drawHead();
        page.redraw();
    }
    function hint() {
        const its = breaks.get(number), [first] = lines(its);
        const its_function = page.table.statements.filter(([of, line]) => of === its.file && line <= first).sort((a, b) => b[1] - a[1])[0];
        $("answer").textContent = say("game.hint.is", page.table.functions[its_function[3]][1]);
    }

    /** Which line is meant, and in the game suspected: the current one, until the reader chooses another. */
    function suspectLine(path, line, isChosen) {
        suspect = path ? { path, line, isChosen } : null;
        if (game === null) return;
        $("accuse").textContent = suspect ? say("game.accuse", suspect.line) : say("game.accuse.none");
        $("accuse").title = suspect ? `${shortPlace(suspect)} (!)` : "!";
        $("accuse").disabled = !suspect;
    }

    /** Marks the lines of a file. */
    function mark(path, pre) {
        for (const row of pre.querySelectorAll(".broken, .suspect")) row.classList.remove("broken", "suspect");
        const its = breaks.get(number), shows = its && (game === null || found);
        if (shows && its.path === path) {
            const row = pre.children[its.line - 1];
            row.classList.add("broken");
            row.dataset.broken = its.text || say("break.gone");
        }
        if (suspect?.path === path && (suspect.isChosen || game !== null && !found)) pre.children[suspect.line - 1]?.classList.add("suspect");
    }

    $("broken").append(...[...breaks.values()].map(({ number, words }) => Object.assign(make("option", "", `${number}. ${words}`), { value: number })));
    $("broken").addEventListener("change", () => {
        if ($("broken").value === "game") return start();
        const changesProgram = Number($("broken").value) && game === null && number === 0;
        choose(Number($("broken").value));
        // Of a program that the break does not change, the reader would see nothing: then comes the program that shows it.
        if (number && changesProgram && String(page.logWithout()) === String(page.logWithout(undefined, number))) page.enter(breaks.get(number).program);
        page.perform();
        page.name();
    });
    function start() {
        page.enter(riddle(anotherSeed()));
        page.setView("loop");
        page.perform();
        page.name();
        $("riddle").focus({ preventScroll: true });
        $("compare").scrollIntoView({ block: "nearest" });
    }
    for (const id of ["game", "again"]) $(id).addEventListener("click", start);
    $("accuse").addEventListener("click", accuse);
    $("hint").addEventListener("click", hint);
    $("solve").addEventListener("click", () => {
        const its = breaks.get(number);
        if (!stepFound) return goOn(sayStep("game.step.solved", its.steps[0]), its.steps[0]);
        solved(say("game.solved", its.words));
        page.showLine(its.path, its.line);
        $("riddle").focus();
    });
    const stepButton = step => Object.assign(button(String(step), () => accuseStep(step)), { title: page.words.short[step], ariaLabel: `${say("play.step", step)}: ${page.words.short[step]}` });
    $("which-step").append(...[1, 2, 3, 4, 5, 6, 7, 8, 9, 10].map(stepButton), button(say("game.no-step"), () => accuseStep(0)));
    return { draw, choose, riddle, mark, suspectLine, accuse, get stepFound() { return stepFound; }, get number() { return number; }, get game() { return game; }, get suspect() { return suspect; }, get found() { return found; }, get differs() { return differs; }, breaks };
};
