// reader.js: the notes beside the code: the card of the name that the pointer rests on or the keyboard is on, otherwise that of the function in view.
"use strict";

addEventListener("DOMContentLoaded", async () => {
    const code = document.querySelector(".code"), notes = document.getElementById("notes"), body = notes.querySelector(".body");
    const isNarrow = matchMedia("(max-width: 60rem)");
    let inView = "", shown = "", timer = 0, viewTimer = 0;

    // What the keys do, until a card takes its place
    edition.load("text").then(() => {
        const hint = body.querySelector(".hint");
        if (hint) hint.textContent = edition.data.text["source.hint"];
    });

    // The switch that hides what is ours alone
    const hide = document.getElementById("hide");
    const setHidden = isHidden => {
        document.body.classList.toggle("hides-ours", isHidden);
        hide.setAttribute("aria-pressed", isHidden);
    };
    hide.addEventListener("click", () => {
        setHidden(!document.body.classList.contains("hides-ours"));
        edition.keep("hidesOurs", document.body.classList.contains("hides-ours") ? "yes" : "no");
    });
    setHidden(edition.kept("hidesOurs") === "yes");
    // A line that the address names is shown, also if it is ours.
    const target = location.hash.length > 1 && document.getElementById(decodeURIComponent(location.hash.slice(1)));
    if (target && !target.offsetHeight) {
        setHidden(false);
        target.scrollIntoView();
    }

    // The card. It stays while it is pinned, and while the pointer or the focus is on it.
    const pin = document.getElementById("pin"), back = document.getElementById("back");
    let isPinned = false, chosenAt = -1e9;
    const trail = []; // the names whose cards led to this one

    async function show(name) {
        if (!name || name === shown) return false;
        const before = shown;
        shown = name;
        const card = await edition.search.card(name);
        if (shown !== name) return false;
        if (card === null) {
            shown = before;
            return false;
        }
        body.innerHTML = card;
        body.scrollTop = 0;
        return true;
    }

    function setPinned(isNew) {
        isPinned = isNew;
        notes.classList.toggle("pinned", isPinned);
        pin.setAttribute("aria-pressed", isPinned);
        if (!isPinned) trail.length = 0;
        back.hidden = !trail.length;
    }
    const isHeld = () => isPinned || notes.matches(":hover") || notes.contains(document.activeElement);

    pin.addEventListener("click", () => setPinned(!isPinned));
    back.addEventListener("click", async () => {
        const name = trail.pop();
        back.hidden = !trail.length;
        await show(name);
        if (back.hidden) toCard();
    });
    /** A link from a card to another name's card shows that one in its place. */
    body.addEventListener("click", async event => {
        const link = event.target.closest("a[href*='name.html#']");
        if (!link || event.ctrlKey || event.metaKey || event.shiftKey || !edition.search.entry(edition.unslug(link.hash.slice(1)))) return;
        event.preventDefault();
        const name = edition.unslug(link.hash.slice(1)), before = shown;
        if (name === shown) return setPinned(true);
        if (before) trail.push(before);
        setPinned(true);
        await show(name);
        toCard();
    });
    const toCard = () => (body.querySelector("h2 a") ?? notes).focus();

    // The original's numbered statements: a column beside the code if there is room for 100 columns of code, otherwise a tab of the notes
    const reader = document.querySelector(".reader"), original = document.getElementById("original"), items = [...original?.querySelectorAll("li") ?? []];
    const tabs = document.getElementById("tabs"), beside = document.getElementById("beside"), isWide = matchMedia("(min-width: 80rem)");
    let prefersOriginal = edition.kept("prefersOriginal") === "yes", wantsColumn = edition.kept("hidesColumn") !== "yes";
    const isColumn = () => reader.classList.contains("beside");

    /** Puts the statements where they belong: into the column, or into the notes, where only those of the function in view are listed. */
    function arrange() {
        if (!original) return;
        const isBeside = isWide.matches && wantsColumn;
        reader.classList.toggle("beside", isBeside);
        beside.setAttribute("aria-pressed", isBeside);
        if (isBeside) reader.insertBefore(original, notes);
        else notes.append(original);
        showStatements();
        place();
    }

    function showStatements() {
        if (!original) return;
        const isOf = item => item.dataset.here === inView, hasSome = items.some(isOf), isTab = !isColumn() && !isWide.matches && hasSome && prefersOriginal;
        for (const item of items) item.hidden = !isColumn() && !isOf(item);
        tabs.hidden = isColumn() || !hasSome;
        original.hidden = !isColumn() && !isTab;
        body.hidden = isTab;
        document.getElementById("tab-card").setAttribute("aria-pressed", !isTab);
        document.getElementById("tab-original").setAttribute("aria-pressed", isTab);
        mark();
    }

    /** Puts each statement of the column level with its line. Where the texts need more room than the code has, neighbours move apart,
     *  up as much as down, so that each stays as near to its line as it can. */
    function place() {
        if (!original || !isColumn()) return;
        const top = original.getBoundingClientRect().top, groups = [];
        const wanted = items.map(item => {
            let row = document.getElementById(`L${item.dataset.line}`);
            while (row && !row.offsetHeight) row = document.getElementById(`L${Number(row.id.slice(1)) - 1}`);
            return (row?.getBoundingClientRect().top ?? top) - top;
        });
        for (const item of items) item.classList.remove("here");
        const heights = items.map(item => item.offsetHeight + 4);
        // A group is statements that touch. Its top is the mean of the tops that its members ask for.
        for (let index = 0; index < items.length; index++) {
            let group = { first: index, count: 1, height: heights[index], sum: wanted[index] };
            for (let above = groups.at(-1); above && Math.max(0, above.sum / above.count) + above.height > Math.max(0, group.sum / group.count); above = groups.at(-1)) {
                groups.pop();
                group = { first: above.first, count: above.count + group.count, height: above.height + group.height, sum: above.sum + group.sum - group.count * above.height };
            }
            groups.push(group);
        }
        let end = 0;
        for (const group of groups) {
            end = Math.max(0, group.sum / group.count);
            for (let index = group.first; index < group.first + group.count; index++) {
                items[index].style.top = `${end}px`;
                end += heights[index];
            }
        }
        original.style.minHeight = `${end}px`;
    }

    const prefer = isPreferred => {
        prefersOriginal = isPreferred;
        edition.keep("prefersOriginal", isPreferred ? "yes" : "no");
        showStatements();
    };
    document.getElementById("tab-card")?.addEventListener("click", () => prefer(false));
    document.getElementById("tab-original")?.addEventListener("click", () => prefer(true));
    beside?.addEventListener("click", () => {
        const line = firstLine(), before = line?.getBoundingClientRect().top;
        wantsColumn = !wantsColumn;
        edition.keep("hidesColumn", wantsColumn ? "no" : "yes");
        arrange();
        if (line) scrollBy(0, line.getBoundingClientRect().top - before);
    });
    isWide.addEventListener("change", arrange);
    const observed = new ResizeObserver(place);
    for (const element of [code, original]) if (element) observed.observe(element);

    /** The first line below the header, so that the page can keep its place. */
    const firstLine = () => [...code.querySelectorAll(".l")].find(row => row.offsetHeight && row.getBoundingClientRect().top > 60);

    /** Marks the statements whose lines have the pointer. In the tab, it shows the first of them. */
    let line = 0;
    function mark() {
        let first = null;
        for (const item of items) {
            const isHere = line >= Number(item.dataset.line) && line <= Number(item.dataset.end);
            item.classList.toggle("here", isHere);
            if (isHere) first ??= item;
        }
        if (first && !isColumn() && original.offsetParent) notes.scrollTop = Math.max(0, first.offsetTop - notes.clientHeight / 3);
    }

    /** Marks the lines of a statement. */
    function markLines(item) {
        for (const old of code.querySelectorAll(".l.matched")) old.classList.remove("matched");
        if (item?.classList.contains("absent")) return;
        for (let number = Number(item?.dataset.line); item && number <= Number(item.dataset.end); number++) document.getElementById(`L${number}`)?.classList.add("matched");
    }
    for (const kind of ["pointerover", "focusin"]) {
        original?.addEventListener(kind, event => {
            const item = event.target.closest("li");
            for (const other of items) other.classList.toggle("here", other === item);
            markLines(item);
        });
    }
    for (const kind of ["pointerleave", "focusout"]) original?.addEventListener(kind, () => { markLines(null); line = 0; mark(); });

    // The rail, where it is a strip
    const rail = document.querySelector(".rail"), places = document.getElementById("places");
    const openRail = isOpen => {
        rail.classList.toggle("open", isOpen);
        places.setAttribute("aria-expanded", isOpen);
    };
    places.addEventListener("click", () => openRail(!rail.classList.contains("open")));
    rail.addEventListener("click", event => { if (event.target.closest("a")) openRail(false); });
    // The rail is one stop of the keyboard: arrows go through its links.
    const railLinks = [...rail.querySelectorAll("a")];
    railLinks.forEach((link, index) => { link.tabIndex = index ? -1 : 0; });
    rail.addEventListener("keydown", event => {
        const by = { ArrowDown: 1, ArrowUp: -1 }[event.key], link = by && railLinks[railLinks.indexOf(event.target) + by];
        if (!link) return;
        event.preventDefault();
        event.target.tabIndex = -1;
        link.tabIndex = 0;
        link.focus();
    });
    code.addEventListener("pointerdown", () => openRail(false));

    // The names in the code. Only those that the reader comes to become links: the page stays small, and the code is one stop of the keyboard.
    const targets = edition.data[`code:${code.dataset.path}`];
    const all = [...code.querySelectorAll("a:not(.step)")];
    let current = null, since = 0, over = null;

    function link(name) {
        if (name.hasAttribute("href")) return;
        const [index, own] = targets.names[name.textContent] ?? [];
        const [path, line] = name.dataset.to?.split("#L") ?? [targets.paths[index], own];
        name.href = `${edition.base}src/${path}.html#L${line}`;
        name.tabIndex = -1;
    }

    /** The card of a name in the code: that of the Swift method to which it leads, or of what is called so. What only the Swift layer calls so is not what C code does. */
    function cardOf(name) {
        link(name);
        const entry = edition.search.method(name.textContent, name.getAttribute("href").slice(edition.base.length)) ?? edition.search.entry(name.textContent);
        return entry?.isSwift && !code.dataset.path.endsWith(".swift") ? undefined : entry?.name;
    }

    function choose(name) {
        chosenAt = scrollY;
        clearTimeout(viewTimer);
        show(cardOf(name));
    }

    // The card changes when the pointer rests on a name, not while it passes names on its way to the card.
    code.addEventListener("pointermove", event => {
        if (event.pointerType === "touch") return;
        const row = event.target.closest(".l"), name = event.target.closest("a:not(.step)");
        const number = row ? Number(row.id.slice(1)) : line;
        if (number !== line) {
            line = number;
            mark();
        }
        clearTimeout(timer);
        if (name !== over) since = performance.now();
        over = name;
        if (!name) return;
        link(name);
        if (isPinned || (original && !original.hidden && !isColumn())) return; // the statements stay beside their function
        timer = setTimeout(() => choose(name), performance.now() - since > 500 ? 0 : 120);
    });
    code.addEventListener("pointerleave", () => {
        clearTimeout(timer);
        over = null;
        line = 0;
        if (isColumn()) mark();
    });

    const row = name => name.closest(".l");
    const isShown = name => row(name).offsetHeight > 0;
    /** Goes to a name with the keyboard: it becomes the code's stop, and its card is shown. */
    function goTo(name) {
        if (!name) return;
        link(name);
        if (current) current.tabIndex = -1;
        code.tabIndex = -1;
        current = name;
        name.tabIndex = 0;
        name.focus();
        const box = name.getBoundingClientRect();
        if (box.top < 90 || box.bottom > innerHeight - 40) scrollBy({ top: box.top - innerHeight * .35, behavior: "instant" });
    }
    const first = () => all.find(name => isShown(name) && name.getBoundingClientRect().top > 60);
    function next(by) {
        if (!current || !code.contains(document.activeElement)) {
            const box = current?.getBoundingClientRect();
            return box && box.top > 60 && box.bottom < innerHeight ? current : first();
        }
        let index = all.indexOf(current) + by;
        while (all[index] && !isShown(all[index])) index += by;
        return all[index];
    }
    /** The name on another line that is nearest to the current one. */
    function nextLine(by) {
        let index = all.indexOf(current) + by;
        while (all[index] && (row(all[index]) === row(current) || !isShown(all[index]))) index += by;
        if (!all[index]) return null;
        const left = current.getBoundingClientRect().left, away = name => Math.abs(name.getBoundingClientRect().left - left);
        return all.filter(name => row(name) === row(all[index])).sort((one, other) => away(one) - away(other))[0];
    }
    code.addEventListener("focusin", event => {
        const name = event.target.closest("a:not(.step)");
        if (name && !isPinned) choose(name);
    });
    code.addEventListener("keydown", event => {
        if (event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) return;
        if (event.target === code) {
            if (event.key !== "Enter") return;
            goTo(next(1));
        } else if (event.key === "ArrowRight") goTo(next(1));
        else if (event.key === "ArrowLeft") goTo(next(-1));
        else if (event.key === "ArrowDown") goTo(nextLine(1));
        else if (event.key === "ArrowUp") goTo(nextLine(-1));
        else return;
        event.preventDefault();
    });

    // A tap shows the card, which has the link; on a wide page a click follows the link. A click on a line's number names the line.
    let lastPointer = "";
    code.addEventListener("pointerdown", event => { lastPointer = event.pointerType; });
    code.addEventListener("click", event => {
        const name = event.target.closest("a:not(.step)"), line = event.target.closest(".l");
        if (!name && line && event.clientX - line.getBoundingClientRect().left < parseFloat(getComputedStyle(line, "::before").width)) location.hash = line.id;
        if (!name) return;
        const card = cardOf(name);
        if ((lastPointer !== "touch" && !isNarrow.matches) || !card) return;
        event.preventDefault();
        show(card);
        notes.classList.add("open");
    });
    document.getElementById("close").addEventListener("click", () => notes.classList.remove("open"));

    // The function in view
    const visible = new Map();
    const observer = new IntersectionObserver(changes => {
        for (const change of changes) visible.set(change.target, change.isIntersecting);
        const first = [...visible].filter(([, isVisible]) => isVisible).map(([element]) => element).sort((one, other) => one.offsetTop - other.offsetTop)[0];
        if (!first) return;
        inView = first.dataset.f;
        for (const link of document.querySelectorAll(".rail a[data-f]")) link.setAttribute("aria-current", link.dataset.f === inView);
        showStatements();
        clearTimeout(viewTimer);
        viewTimer = setTimeout(() => {
            const isNear = Math.abs(scrollY - chosenAt) < innerHeight / 2;
            if (!isHeld() && !isNear && document.activeElement !== current) show(inView);
        }, 150);
    }, { rootMargin: "-15% 0px -65% 0px" });

    // The step in view
    const steps = rail.querySelector(".steps");
    if (steps) {
        const places = [...steps.querySelectorAll("a")].map(link => [link, document.getElementById(link.hash.slice(1))]).sort(([, one], [, other]) => one.offsetTop - other.offsetTop);
        const update = () => {
            const top = innerHeight * 0.3;
            const past = places.filter(([, place]) => place.getBoundingClientRect().top < top);
            const current = past.at(-1)?.[0];
            for (const [link] of places) link.setAttribute("aria-current", link === current);
        };
        addEventListener("scroll", () => requestAnimationFrame(update), { passive: true });
        update();
    }

    addEventListener("keydown", event => {
        if (event.target.closest("input, textarea, select") || event.ctrlKey || event.metaKey || event.altKey) return;
        if (event.key === "h") hide.click();
        else if (event.key === "o" && original && isWide.matches) beside.click();
        else if (event.key === "o" && original && !tabs.hidden) prefer(!prefersOriginal);
        else if (event.key === "n" || event.key === "N") goTo(next(event.key === "n" ? 1 : -1));
        else if (event.key === "p") setPinned(!isPinned);
        else if (event.key === "c") {
            if (notes.contains(document.activeElement)) return (current ?? code).focus();
            notes.classList.add("open");
            toCard();
            event.preventDefault();
        } else if (event.key === "Escape") {
            const wasIn = notes.contains(document.activeElement);
            setPinned(false);
            notes.classList.remove("open");
            openRail(false);
            if (wasIn) (current ?? code).focus();
        }
    });

    arrange();
    await edition.search.prepare();
    for (const element of code.querySelectorAll(".f")) observer.observe(element);
    document.body.dataset.ready = "true";
});
