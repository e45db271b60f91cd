// paste.js: what is pasted into the box and is no name: a stack (stack.js), a printed loop (print.js) or code (listing.js). Each of them
// reads the text and returns HTML, or null if the text is something else. What they know is in data/frames.js and data/listings.js.
"use strict";

(() => {
    const escape = text => String(text).replace(/[&<>"]/g, letter => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" })[letter]);
    const say = (key, values = {}) => edition.data.text[key].replace(/\{(\w+)\}/g, (_, name) => values[name]);
    const code = text => `<code>${escape(text)}</code>`;

    /** Sentences one after another; the Chinese point needs no space after it. */
    const joined = sentences => sentences.join(" ").replaceAll("。 ", "。");

    /** A name as code, with a link to its card if it has one: main is the program's function, not the Swift layer's property. `shown` is its part of the text. */
    const name = (name, shown = name) => edition.search.entry(name)?.isSwift === false ? `<a class="name" href="${edition.address(name)}">${code(shown)}</a>` : code(shown);

    /** The link to a step's lines. */
    const step = number => number ? `<a class="stepmark" href="${edition.base}${edition.data.frames.places[number]}">${say("stack.step", { number })}</a>` : "";

    /** Whether a line is more than a name: an address, a library, a statement, names with arrows between them. */
    const isPaste = text => text.includes("\n") || /(?:\s(?:-+>|→)\s.*){2}|0x[0-9a-f]{4,}|^\W*frame #\d|^\s*#\d+\s|\w`|\(in \S+\)|\s\+\s\d+\s*$|[\w)\]}>];|^[\s*]*\d+\s+[-+\w?<[@]|\w\s*[>=]?\s*\{/i.test(text);

    /** HTML that explains what was pasted; null if it is a name, or nothing that is known here. */
    async function read(text) {
        await Promise.all([edition.load("frames"), edition.load("listings"), edition.load("text"), edition.search.prepare(), edition.script("stack.js"), edition.script("print.js"), edition.script("diagnosis.js"),
            edition.script("listing.js")]);
        if (!isPaste(text.trim()) && !edition.paste.isFrame(text.trim())) return null;
        return edition.paste.print(text) ?? edition.paste.stack(text) ?? edition.paste.listing(text);
    }

    edition.paste = { escape, say, code, joined, name, step, read };
})();
