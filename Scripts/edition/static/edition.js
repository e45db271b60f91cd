// edition.js: what every page has: the switches for language and light, and data that arrives by script elements.
// Pages work from file://, so nothing here uses fetch or modules.
"use strict";

const edition = window.edition = {
    data: {},
    language: document.documentElement.dataset.language,
    base: document.documentElement.dataset.base ?? "",
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

    /** A data script calls this in its last line. */
    arrived(name) {
        edition.arrivals.get(name)?.resolve();
    },

    /** HTML from a data script, with its addresses as seen from this page. */
    html(text) {
        return text.replaceAll('="site:', `="${edition.base}`);
    },

    /** What local storage has, if this browser allows it for this page. */
    kept(key) {
        try { return localStorage.getItem(key); } catch { return null; }
    },

    keep(key, value) {
        try { localStorage.setItem(key, value); } catch { /* the choice lasts as long as the page */ }
    },
};

if (edition.kept("theme")) document.documentElement.dataset.theme = edition.kept("theme");

addEventListener("DOMContentLoaded", () => {
    document.getElementById("theme")?.addEventListener("click", () => {
        const root = document.documentElement;
        const isDark = root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
        root.dataset.theme = isDark ? "light" : "dark";
        edition.keep("theme", root.dataset.theme);
    });
    const language = document.getElementById("language");
    language?.addEventListener("click", () => {
        language.hash = location.hash;
        edition.keep("language", language.hreflang);
    });
});
