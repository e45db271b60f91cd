// find.js: the search box of every page: results and the card while you type; arrows choose, Enter opens our line, or the page of an item or a claim, Escape clears, / goes to the box.
// On the front page the box is open, and the address names the card. On other pages what is found lies over the page.
"use strict";

addEventListener("DOMContentLoaded", async () => {
    const $ = id => document.getElementById(id);
    const box = $("query"), found = $("found"), list = $("results"), place = $("card"), status = $("status"), welcome = $("welcome");
    const isFront = document.body.classList.contains("front");
    let results = [], chosen = -1, turn = 0;

    const ready = () => Promise.all([edition.search.prepare(), edition.load("text"), edition.script("paste.js")]);
    const text = key => edition.data.text[key];
    const close = () => { if (!isFront) found.hidden = true; };

    async function search() {
        const query = box.value.trim(), mine = ++turn;
        box.style.height = "auto";
        box.style.height = `${Math.min(box.scrollHeight + 2, 220)}px`;
        if (isFront) welcome.hidden = query !== "";
        else found.hidden = query === "";
        if (!query) {
            results = [];
            list.replaceChildren();
            place.replaceChildren();
            status.textContent = "";
            if (isFront) history.replaceState(null, "", location.pathname);
            return;
        }
        await ready();
        if (mine !== turn) return;
        list.replaceChildren();
        results = [];
        if (await explain(mine)) return;
        if (mine !== turn) return;
        const answer = edition.search.find(query.split("\n")[0]);
        results = answer.results;
        const unknown = answer.unknown.map(word => text("find.unknown").replace("{word}", word)).join("");
        status.textContent = unknown + (results.length ? text(answer.isClose ? "find.close" : answer.isSure || unknown ? "find.found" : "find.partly").replace("{count}", results.length) : text("find.none"));
        list.append(...results.map((entry, index) => {
            const item = document.createElement("li"), link = document.createElement("a");
            link.href = entry.address ? edition.base + entry.address : isFront ? `#${encodeURIComponent(entry.name)}` : edition.address(entry.name);
            link.innerHTML = entry.address ? "<span></span> <small></small>" : "<code></code> <small></small>";
            link.firstChild.append(...edition.pieces(entry.name));
            link.lastChild.textContent = entry.line;
            link.addEventListener("click", event => {
                if (entry.address || event.ctrlKey || event.metaKey || event.shiftKey) return;
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

    /** Explains a stack, a printed loop or code. False if the box has none of these. */
    async function explain(mine) {
        const reading = await edition.paste.read(box.value);
        if (mine !== turn) return true;
        if (!reading) return false;
        place.innerHTML = reading;
        status.textContent = "";
        return true;
    }

    async function choose(index) {
        const mine = ++turn;
        chosen = (index + results.length) % results.length;
        [...list.children].forEach((item, number) => { item.firstChild.ariaCurrent = number === chosen ? "true" : null; });
        list.children[chosen].scrollIntoView({ block: "nearest" });
        const entry = results[chosen];
        if (!entry.address) return show(entry.name, mine);
        place.replaceChildren(ownCard(entry, list.children[chosen].firstChild.href));
    }

    /** The card of what is no name: what it is called, which leads to its place, and what it says. */
    function ownCard(entry, address) {
        const card = document.createElement("article"), heading = document.createElement("h2"), link = document.createElement("a");
        card.className = "card";
        link.href = address;
        link.append(...edition.pieces(entry.name));
        heading.append(link);
        card.append(heading, ...[entry.line, entry.more].filter(Boolean).map(said => {
            const part = document.createElement("p");
            part.textContent = said;
            return part;
        }));
        return card;
    }

    async function show(name, mine = ++turn) {
        const card = await edition.search.card(name);
        if (mine !== turn || card === null) return;
        place.innerHTML = card;
        if (isFront) history.replaceState(null, "", `#${encodeURIComponent(name)}`);
    }

    function ask(query) {
        clearTimeout(pending);
        box.value = query;
        if (isFront) scrollTo(0, 0);
        search();
    }

    // Keys that come quickly, one after the other, make one search.
    let pending = 0;
    box.addEventListener("input", () => {
        clearTimeout(pending);
        pending = setTimeout(search, 40);
    });
    box.addEventListener("focus", () => {
        ready();
        if (!isFront && box.value.trim()) found.hidden = false;
    });
    box.addEventListener("keydown", event => {
        if (event.isComposing) return;
        const isOneLine = !box.value.includes("\n");
        if (event.key === "ArrowDown" && isOneLine && results.length) choose(chosen + 1);
        else if (event.key === "ArrowUp" && isOneLine && results.length) choose(chosen - 1);
        else if (event.key === "Escape") {
            if (!box.value) box.blur();
            ask("");
        } else if (event.key === "Enter" && !event.shiftKey && isOneLine && results.length) {
            const here = results[chosen].address ? list.children[chosen].firstChild : place.querySelector("a.place") ?? place.querySelector("h2 a");
            const own = edition.search.page(results[chosen].name), address = own ? edition.base + own : here?.href;
            if (address) location.href = address;
            close();
        } else return;
        event.preventDefault();
        event.stopPropagation();
    });
    addEventListener("keydown", event => {
        if (event.key === "Escape" && !found.hidden) {
            if (found.contains(document.activeElement)) box.focus();
            close();
        }
        if (event.key !== "/" || event.target.closest("input, textarea, select") || event.ctrlKey || event.metaKey || event.altKey) return;
        event.preventDefault();
        box.focus();
        box.select();
    });
    if (!isFront) {
        document.addEventListener("pointerdown", event => { if (!event.target.closest(".panel, .box")) close(); });
        found.addEventListener("click", event => { if (event.target.closest("a[href]") && !event.defaultPrevented && !event.target.closest("#results")) close(); });
        return;
    }

    await ready();
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
