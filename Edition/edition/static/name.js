// name.js: name.html shows the card of the name in its address: name.html#CFRunLoopWakeUp.
"use strict";

addEventListener("DOMContentLoaded", () => {
    const place = document.getElementById("name"), first = document.title;

    async function show() {
        const name = edition.unslug(location.hash.slice(1));
        const card = name ? await edition.search.card(name) : null;
        if (name !== edition.unslug(location.hash.slice(1))) return;
        document.title = card === null ? first : `${name} · ${first}`;
        document.getElementById("title").textContent = name || first;
        if (card !== null) place.innerHTML = card;
        else {
            await edition.load("text");
            place.textContent = edition.data.text["find.none"];
        }
        document.body.dataset.ready = "true";
    }

    addEventListener("hashchange", () => {
        show();
        scrollTo(0, 0);
    });
    show();
});
