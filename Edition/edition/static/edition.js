// edition.js: what every page has: the switches for language and light, and data that arrives by script elements.
// Pages work from file://, so nothing here uses fetch or modules.
"use strict";

const edition = window.edition = {
    data: {},
    language: document.documentElement.dataset.language,
    base: document.documentElement.dataset.base ?? "",
    static: document.currentScript.src.replace(/[^/]*$/, ""),
    arrivals: new Map(),

    /** Loads data/NAME.js once. The promise is kept when its data is in edition.data. */
    load(name) {
        let arrival = edition.arrivals.get(name);
        if (!arrival) {
            arrival = {};
            arrival.promise = new Promise((resolve, reject) => Object.assign(arrival, { resolve, reject }));
            edition.arrivals.set(name, arrival);
            const script = document.createElement("script");
            script.src = `${edition.base}data/${name}.js`;
            script.onerror = () => arrival.reject(new Error(`cannot load ${script.src}`));
            document.head.append(script);
        }
        return arrival.promise;
    },

    /** Loads a script of the edition once: script("stack.js"). */
    script(name) {
        const key = `static/${name}`;
        if (!edition.arrivals.has(key)) {
            const script = document.createElement("script");
            edition.arrivals.set(key, { promise: new Promise((resolve, reject) => Object.assign(script, { onload: resolve, onerror: () => reject(new Error(`cannot load ${name}`)) })) });
            script.src = edition.static + name;
            document.head.append(script);
        }
        return edition.arrivals.get(key).promise;
    },

    /** The address of a name's card, and the name in such an address: name.html#runMode~3a~beforeDate~3a~. */
    address: name => `${edition.base}name.html#${name.replace(/[^A-Za-z0-9_.+-]/gu, letter => `~${letter.codePointAt(0).toString(16)}~`)}`,
    unslug: slug => decodeURIComponent(slug).replace(/~([0-9a-f]+)~/g, (_, number) => String.fromCodePoint(parseInt(number, 16))),

    /** A data script calls this in its last line. */
    arrived(name) {
        edition.arrivals.get(name)?.resolve?.();
    },

    /** The lines of a file's data as HTML. A tag of one letter says what a token is: comment, string, keyword, number, preprocessor, definition. */
    lines(text) {
        return text.replace(/<([cskmp])>/g, '<span class="$1">').replace(/<\/[cskmp]>/g, "</span>").replace(/<(\/?)d>/g, (_, end) => end ? "</a>" : '<a class="d">').split("\n");
    },

    /** Makes the lines of a source page, a span for each function around a span for each line, and the list of its functions. The data is here already. */
    fill() {
        const code = document.querySelector(".code"), { lines, ours, functions, outline } = edition.data[`code:${code.dataset.path}`];
        const isOurs = new Set(ours), begins = new Map(functions.map(([first, , name]) => [first, name])), ends = new Set(functions.map(([, last]) => last));
        code.innerHTML = edition.lines(lines).map((line, index) => {
            const number = index + 1, row = `<span class="${isOurs.has(number) ? "l o" : "l"}" id="L${number}">${line}\n</span>`;
            return (begins.has(number) ? `<span class="f" data-f="${begins.get(number)}">` : "") + row + (ends.has(number) ? "</span>" : "");
        }).join("");
        document.querySelector(".functions")?.append(...outline.map(([line, name]) => {
            const item = document.createElement("li"), link = document.createElement("a");
            Object.assign(link, { href: `#L${line}`, title: name, textContent: name.replace(/^_*CFRunLoop(?=[A-Z]\w)/, "…") });
            link.dataset.f = name;
            item.append(link);
            return item;
        }));
    },

    /** Fills the parts of a source file that an item's page shows. A line's number leads to the line. The data is here already. */
    excerpts() {
        for (const code of document.querySelectorAll(".code[data-first]")) {
            const { path, first, last, href } = code.dataset;
            code.innerHTML = edition.lines(edition.data[`code:${path}`].lines).slice(first - 1, last)
                .map((line, index) => `<span class="l"><a class="n" href="${href}#L${+first + index}" tabindex="-1">${+first + index}</a>${line}\n</span>`).join("");
        }
    },

    /** HTML from a data script, with its addresses as seen from this page. */
    html(text) {
        return text.replaceAll('="site:', `="${edition.base}`);
    },

    /** An element with a class and a text, both of which may be left out. */
    make(tag, className, text) {
        const element = document.createElement(tag);
        if (className) element.className = className;
        if (text !== undefined) element.append(...edition.pieces(String(text)));
        return element;
    },

    /** A name's parts for append(): a long one may break after an underscore, or before a capital letter of a part that is still long. */
    pieces(name) {
        if (name.length < 32) return [name];
        const parts = name.split(/(?<=[^_]_{1,2})(?=[^_])/).flatMap(part => part.length > 31 ? part.split(/(?<=[a-z0-9])(?=[A-Z])/) : [part]);
        return parts.flatMap((part, index) => index ? [document.createElement("wbr"), part] : [part]);
    },

    /** What local storage has, if this browser allows it for this page. Other sites of the same host share that storage. */
    kept(key) {
        try { return localStorage.getItem(`edition.${key}`); } catch { return null; }
    },

    keep(key, value) {
        try { localStorage.setItem(`edition.${key}`, value); } catch { /* the choice lasts as long as the page */ }
    },
};

document.documentElement.classList.add("scripted");
if (edition.kept("theme")) document.documentElement.dataset.theme = edition.kept("theme");
addEventListener("storage", event => { if (event.key === "edition.theme") document.documentElement.dataset.theme = event.newValue; }); // a frame, and other windows

addEventListener("DOMContentLoaded", () => {
    document.getElementById("theme")?.addEventListener("click", () => {
        const root = document.documentElement;
        const isDark = root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
        root.dataset.theme = isDark ? "light" : "dark";
        edition.keep("theme", root.dataset.theme);
    });
    // On a narrow page, a button opens the list of pages.
    document.getElementById("menu")?.addEventListener("click", event => {
        event.target.ariaExpanded = String(document.getElementById("pages").classList.toggle("open"));
    });
    const language = document.getElementById("language");
    language?.addEventListener("click", () => {
        language.search = location.search;
        language.hash = location.hash;
        edition.keep("language", language.hreflang);
        const all = marks(), top = at => all[at].getBoundingClientRect().top, shown = all.map((_, index) => index).filter(index => all[index].offsetHeight);
        const last = shown.findLastIndex(index => top(index) < LINE), next = shown[last + 1];
        const place = { page: language.pathname, query: document.getElementById("query")?.value };
        if (scrollY > 0 && last >= 0) {
            const height = next === undefined ? 0 : top(next) - top(shown[last]);
            Object.assign(place, { count: all.length, mark: shown[last], next, part: height > 0 ? (LINE - top(shown[last])) / height : 0 });
        }
        try { sessionStorage.setItem("place", JSON.stringify(place)); } catch { /* the other language begins at its top */ }
    });
});

// The switch of the language keeps the place. The pages of both languages have the same headings, lines and rows: these are the marks.
const LINE = 70; // pixels from the top of the window: below the header
const marks = () => [...document.querySelectorAll("main :is(h1, h2, h3, h4, .l, .row, .item, .statement, .field)")].filter(mark => !mark.closest(".notes, #found, #player"));
edition.place = (() => {
    try {
        const place = JSON.parse(sessionStorage.getItem("place"));
        sessionStorage.removeItem("place");
        return place?.page === location.pathname ? place : null;
    } catch { return null; }
})();
addEventListener("load", () => requestAnimationFrame(() => {
    const place = edition.place, all = marks();
    if (place?.mark === undefined || all.length !== place.count) return;
    const top = at => all[at].getBoundingClientRect().top;
    scrollBy({ top: top(place.mark) + (place.next === undefined ? 0 : (top(place.next) - top(place.mark)) * place.part) - LINE, behavior: "instant" });
}));
