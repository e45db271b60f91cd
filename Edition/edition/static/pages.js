// pages.js: the filter of pages with rows, by words and by choices. The address keeps both, so that you can send it.
"use strict";

addEventListener("DOMContentLoaded", () => {
    const form = document.querySelector("[data-filter]");
    if (!form) return;
    const rows = [...document.querySelectorAll("[data-row]")], groups = [...document.querySelectorAll("[data-group]")];
    const texts = new Map(rows.map((row) => [row, row.textContent.toLowerCase()]));
    const words = form.elements.words, choices = [...form.querySelectorAll("[name=choice]")], output = form.querySelector("output");

    function show() {
        const wanted = words.value.toLowerCase().split(/\s+/).filter(Boolean), chosen = choices.filter((box) => box.checked).map((box) => box.value);
        let count = 0;
        for (const row of rows) {
            const own = (row.dataset.choices ?? "").split("|");
            const shows = wanted.every((word) => texts.get(row).includes(word)) && (!chosen.length || chosen.some((choice) => own.includes(choice)));
            row.hidden = !shows;
            if (shows) count += 1;
        }
        for (const group of groups) group.hidden = ![...group.querySelectorAll("[data-row]")].some((row) => !row.hidden);
        output.value = wanted.length || chosen.length ? (count ? `${count} / ${rows.length}` : output.dataset.none) : "";
    }

    function keep() {
        const state = new URLSearchParams();
        if (words.value) state.set("words", words.value);
        for (const box of choices) if (box.checked) state.append("choice", box.value);
        history.replaceState(null, "", `${location.pathname}${state.size ? `?${state}` : ""}${location.hash}`);
        show();
    }

    const state = new URLSearchParams(location.search);
    words.value = state.get("words") ?? "";
    for (const box of choices) box.checked = state.getAll("choice").includes(box.value);
    form.addEventListener("input", keep);
    form.addEventListener("submit", (event) => event.preventDefault());
    // A link to a row that the filter hides shows all rows.
    addEventListener("hashchange", () => {
        const row = document.getElementById(decodeURIComponent(location.hash.slice(1)));
        if (!row?.hidden) return;
        words.value = "";
        for (const box of choices) box.checked = false;
        keep();
        row.scrollIntoView();
    });
    show();
});
