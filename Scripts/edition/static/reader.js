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

    // The original's numbered statements
    const statements = JSON.parse(document.getElementById("statements")?.textContent ?? "[]");
    const box = document.getElementById("original"), tabs = document.getElementById("tabs");
    let prefersOriginal = edition.kept("prefersOriginal") === "yes";
    /** Lists those of the function in view. */
    function showStatements() {
        if (!box) return;
        const own = statements.filter(statement => statement.here === inView);
        tabs.hidden = own.length === 0;
        box.hidden = tabs.hidden || !prefersOriginal;
        body.hidden = !box.hidden;
        document.getElementById("tab-card").setAttribute("aria-pressed", !prefersOriginal);
        document.getElementById("tab-original").setAttribute("aria-pressed", prefersOriginal);
        box.querySelector("ol").replaceChildren(...own.map(statement => {
            const item = document.createElement("li");
            item.innerHTML = statement.html.replaceAll('="site:', `="${edition.base}`);
            item.className = statement.verdict;
            item.dataset.line = statement.line;
            item.dataset.end = statement.end;
            return item;
        }));
        mark();
    }

    const prefer = isPreferred => {
        prefersOriginal = isPreferred;
        edition.keep("prefersOriginal", isPreferred ? "yes" : "no");
        showStatements();
    };
    document.getElementById("tab-card")?.addEventListener("click", () => prefer(false));
    document.getElementById("tab-original")?.addEventListener("click", () => prefer(true));

    /** Marks the statements whose lines have the pointer, and shows the first of them. */
    let line = 0;
    function mark() {
        let first = null;
        for (const item of document.querySelectorAll("#original li")) {
            const isHere = line >= Number(item.dataset.line) && line <= Number(item.dataset.end);
            item.classList.toggle("here", isHere);
            if (isHere) first ??= item;
        }
        if (first && box.offsetParent) notes.scrollTop = Math.max(0, first.offsetTop - notes.clientHeight / 3);
    }
    box?.addEventListener("pointerover", event => {
        const item = event.target.closest("li");
        for (const old of code.querySelectorAll(".l.matched")) old.classList.remove("matched");
        for (let number = Number(item?.dataset.line); item && number <= Number(item.dataset.end); number++) document.getElementById(`L${number}`)?.classList.add("matched");
    });

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
        if (box && !box.hidden) return; // the statements stay beside their function
        if (name) soon(name, 90);
        else clearTimeout(timer);
    });
    code.addEventListener("pointerleave", () => soon(inView, 600));
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
    const rail = document.querySelector(".rail .steps");
    if (rail) {
        const places = [...rail.querySelectorAll("a")].map(link => [link, document.getElementById(link.hash.slice(1))]).sort(([, one], [, other]) => one.offsetTop - other.offsetTop);
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
        else if (event.key === "o" && tabs && !tabs.hidden) prefer(!prefersOriginal);
        else if (event.key === "Escape") notes.classList.remove("open");
        else if (event.key === "/") {
            event.preventDefault();
            location.href = `${edition.base}index.html`;
        }
    });

    await edition.search.prepare();
    for (const element of code.querySelectorAll(".f")) observer.observe(element);
    document.body.dataset.ready = "true";
});
