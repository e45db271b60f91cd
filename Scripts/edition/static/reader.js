// reader.js: the notes beside the code: the card of the identifier that the pointer or the keyboard is on, otherwise that of the function in view.
"use strict";

addEventListener("DOMContentLoaded", async () => {
    const code = document.querySelector(".code"), notes = document.getElementById("notes"), body = notes.querySelector(".body");
    const isNarrow = matchMedia("(max-width: 60rem)");
    let inView = "", shown = "", timer = 0;

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
    if (target && !target.getClientRects().length) {
        setHidden(false);
        target.scrollIntoView();
    }

    async function show(name) {
        if (!name || name === shown) return;
        shown = name;
        const card = await edition.search.card(name);
        if (shown !== name) return;
        if (card === null) {
            shown = "";
            return;
        }
        body.innerHTML = card;
        notes.scrollTop = 0;
    }

    // The original's numbered statements: a column beside the code if there is room for 100 columns of code, otherwise a tab of the notes
    const reader = document.querySelector(".reader"), original = document.getElementById("original"), items = [...original?.querySelectorAll("li") ?? []];
    const tabs = document.getElementById("tabs"), beside = document.getElementById("beside"), isWide = matchMedia("(min-width: 89rem)");
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
            while (row && !row.getClientRects().length) row = document.getElementById(`L${Number(row.id.slice(1)) - 1}`);
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
    const firstLine = () => [...code.querySelectorAll(".l")].find(row => row.getClientRects().length && row.getBoundingClientRect().top > 60);

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
    code.addEventListener("pointerdown", () => openRail(false));

    // The identifier under the pointer, or with the focus
    const soon = (name, delay) => {
        clearTimeout(timer);
        timer = setTimeout(() => show(name), delay);
    };
    code.addEventListener("pointerover", event => {
        if (event.pointerType === "touch") return;
        const row = event.target.closest(".l");
        if (row) {
            line = Number(row.id.slice(1));
            mark();
        }
        const name = event.target.closest("a[data-n]")?.dataset.n;
        if (original && !original.hidden && !isColumn()) return; // the statements stay beside their function
        if (name) soon(name, 90);
        else clearTimeout(timer);
    });
    code.addEventListener("pointerleave", () => {
        line = 0;
        if (isColumn()) mark();
        soon(inView, 600);
    });
    code.addEventListener("focusin", event => {
        const name = event.target.closest("a[data-n]")?.dataset.n;
        if (name) soon(name, 0);
    });
    // A tap shows the card, which has the link; on a wide page a click follows the link.
    let lastPointer = "";
    code.addEventListener("pointerdown", event => { lastPointer = event.pointerType; });
    code.addEventListener("click", event => {
        const link = event.target.closest("a[data-n]");
        if (!link || (lastPointer !== "touch" && !isNarrow.matches)) return;
        if (!edition.search.entry(link.dataset.n)) return;
        event.preventDefault();
        show(link.dataset.n);
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
        soon(inView, 150);
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
        if (event.target.closest("input, textarea") || event.ctrlKey || event.metaKey || event.altKey) return;
        if (event.key === "h") hide.click();
        else if (event.key === "o" && original && isWide.matches) beside.click();
        else if (event.key === "o" && original && !tabs.hidden) prefer(!prefersOriginal);
        else if (event.key === "Escape") {
            notes.classList.remove("open");
            openRail(false);
        }
        else if (event.key === "/") {
            event.preventDefault();
            location.href = `${edition.base}index.html`;
        }
    });

    arrange();
    await edition.search.prepare();
    for (const element of code.querySelectorAll(".f")) observer.observe(element);
    document.body.dataset.ready = "true";
});
