// front.js: the search box: results and the card while you type; arrows choose, Enter opens our line, Escape clears, / goes to the box.
"use strict";

addEventListener("DOMContentLoaded", async () => {
    const box = document.getElementById("query"), list = document.getElementById("results"), place = document.getElementById("card"), status = document.getElementById("status"),
        welcome = document.getElementById("welcome");
    let results = [], chosen = -1, turn = 0;

    await Promise.all([edition.search.prepare(), edition.load("text")]);
    const text = edition.data.text;

    async function search() {
        const query = box.value.trim(), mine = ++turn;
        box.style.height = "auto";
        box.style.height = `${Math.min(box.scrollHeight + 2, 220)}px`;
        welcome.hidden = query !== "";
        list.replaceChildren();
        results = [];
        if (!query) {
            place.replaceChildren();
            status.textContent = "";
            history.replaceState(null, "", location.pathname);
            return;
        }
        if (query.includes("\n") || /^\s*(\*?\s*frame\s+)?#\d+|0x[0-9a-f]{6,}/i.test(query)) {
            const reading = await edition.read(box.value);
            if (mine !== turn) return;
            if (reading) {
                place.innerHTML = reading;
                status.textContent = "";
                return;
            }
        }
        const found = edition.search.find(query.split("\n")[0]);
        results = found.results;
        status.textContent = results.length ? text[found.isClose ? "search.close" : "search.found"].replace("{count}", results.length) : text["search.none"];
        list.append(...results.map((entry, index) => {
            const item = document.createElement("li"), link = document.createElement("a");
            link.href = `#${encodeURIComponent(entry.name)}`;
            link.innerHTML = "<code></code> <small></small>";
            link.firstChild.append(...edition.pieces(entry.name));
            link.lastChild.textContent = entry.line;
            link.addEventListener("click", event => {
                event.preventDefault();
                choose(index);
            });
            item.append(link);
            return item;
        }));
        chosen = -1;
        if (results.length) await choose(0);
        else place.replaceChildren();
    }

    async function choose(index) {
        const mine = ++turn;
        chosen = (index + results.length) % results.length;
        [...list.children].forEach((item, number) => {
            if (number === chosen) item.firstChild.setAttribute("aria-current", "true");
            else item.firstChild.removeAttribute("aria-current");
        });
        list.children[chosen].scrollIntoView({ block: "nearest" });
        await show(results[chosen].name, mine);
    }

    async function show(name, mine = ++turn) {
        const card = await edition.search.card(name);
        if (mine !== turn || card === null) return;
        place.innerHTML = card;
        history.replaceState(null, "", `#${encodeURIComponent(name)}`);
    }

    function ask(query) {
        clearTimeout(pending);
        box.value = query;
        scrollTo(0, 0);
        search();
    }

    // Keys that come quickly, one after the other, make one search.
    let pending = 0;
    box.addEventListener("input", () => {
        clearTimeout(pending);
        pending = setTimeout(search, 40);
    });
    box.addEventListener("keydown", event => {
        if (event.isComposing) return;
        const isOneLine = !box.value.includes("\n");
        if (event.key === "ArrowDown" && isOneLine && results.length) choose(chosen + 1);
        else if (event.key === "ArrowUp" && isOneLine && results.length) choose(chosen - 1);
        else if (event.key === "Escape") ask("");
        else if (event.key === "Enter" && !event.shiftKey && isOneLine && results.length) {
            const here = place.querySelector("a.place") ?? place.querySelector("h2 a");
            if (here) location.href = here.href;
        } else return;
        event.preventDefault();
    });
    addEventListener("keydown", event => {
        if (event.key === "/" && document.activeElement !== box && !event.ctrlKey && !event.metaKey) {
            event.preventDefault();
            box.focus();
            box.select();
        }
    });
    addEventListener("hashchange", () => ask(decodeURIComponent(location.hash.slice(1))));
    document.querySelectorAll("[data-example]").forEach(button => button.addEventListener("click", () => {
        ask(button.dataset.example);
        box.focus();
    }));

    if (edition.place?.query) box.value = edition.place.query; // a stack, when the reader has changed the language
    else if (location.hash.length > 1) box.value = decodeURIComponent(location.hash.slice(1));
    if (box.value) search();
    document.body.dataset.ready = "true";
});
