// book.js: what the reader does in a chapter. A prediction is a list of answers and a <details>, whose first bold number is the right one: each answer
// becomes a button, and the right one opens the <details>, which may have the log. A link to a program, or to a broken line, opens a player below it. The
// lines of a log with a wrong one become buttons, and a program that is to be cured becomes an editor whose player says what its log is. Without this
// script the reader opens the answers.
"use strict";

addEventListener("DOMContentLoaded", async () => {
    const book = document.querySelector(".book");
    const predictions = [...book.querySelectorAll("details")].filter(details => details.previousElementSibling?.matches("ol"));
    if (!predictions.length) return;
    await edition.load("text");
    const text = (key, ...values) => edition.data.text[`book.${key}`].replace(/\{(\w+)\}/g, (_, name) => values[0]?.[name] ?? values[name]);
    const make = (tag, className, words = "") => Object.assign(document.createElement(tag), { className, textContent: words });
    const makeStatus = className => {
        const status = make("p", className);
        status.setAttribute("role", "status");
        return status;
    };
    const logOf = details => details.querySelector("pre:last-of-type").textContent;
    const answerOf = block => {
        let next = block.nextElementSibling;
        while (next && !next.matches("details")) next = next.nextElementSibling;
        return next;
    };

    // Predictions

    const score = makeStatus("score quiet"), first = new Map(); // the prediction: whether the first choice was right
    predictions.at(-1).after(score);
    for (const details of predictions) {
        const list = details.previousElementSibling, right = Number(details.querySelector("strong").textContent.replace(".", "")), said = makeStatus("said");
        list.classList.add("choices");
        list.after(said);
        [...list.children].forEach((item, index) => {
            const button = make("button", ""), isRight = index + 1 === right;
            button.type = "button";
            for (const link of item.querySelectorAll("a")) link.replaceWith(...link.childNodes); // a button has no links
            button.append(...item.childNodes);
            button.addEventListener("click", () => {
                if (!first.has(details)) first.set(details, isRight);
                button.dataset.is = isRight ? "right" : "wrong";
                said.textContent = text(isRight ? "right" : "wrong");
                if (isRight) details.open = true;
                score.textContent = text("score", { right: [...first.values()].filter(Boolean).length, all: predictions.length });
            });
            item.append(button);
        });
    }

    // Players

    function makePlayer(address, title) {
        const frame = document.createElement("iframe");
        Object.assign(frame, { src: address, title });
        return frame;
    }

    for (const link of book.querySelectorAll("a.here-plays")) {
        link.addEventListener("click", event => {
            if (event.ctrlKey || event.metaKey || event.shiftKey || event.button) return;
            event.preventDefault();
            const row = link.closest("p"), open = row.nextElementSibling;
            if (open?.matches("iframe")) open.remove();
            else row.after(Object.assign(makePlayer(link.href, link.textContent), { className: link.matches(".break") ? "broken" : "" }));
        });
    }

    // A log with a wrong line

    for (const block of book.querySelectorAll("pre.wrong")) {
        const details = answerOf(block), shown = block.textContent.trimEnd().split("\n"), right = logOf(details).split("\n");
        const list = make("ol", "choices lines"), said = makeStatus("said");
        list.setAttribute("aria-label", text("line"));
        said.textContent = text("line");
        shown.forEach((line, index) => {
            const button = make("button", "", line), item = document.createElement("li"), isIt = line !== right[index];
            button.type = "button";
            button.addEventListener("click", () => {
                button.dataset.is = isIt ? "right" : "wrong";
                said.textContent = isIt ? text("it", [right[index]]) : text("not-it");
                if (isIt) details.open = true;
            });
            item.append(button);
            list.append(item);
        });
        block.replaceWith(list);
        list.after(said);
    }

    // A program to cure

    for (const goal of book.querySelectorAll("pre.goal")) {
        const details = answerOf(goal), lines = goal.textContent.trimEnd().split("\n"), before = book.querySelectorAll("pre.program");
        const program = [...before].filter(block => block.compareDocumentPosition(goal) & Node.DOCUMENT_POSITION_FOLLOWING).at(-1);
        const link = program.nextElementSibling?.querySelector("a.here-plays");
        if (!link) continue; // this edition has no player
        const cure = make("div", "cure"), label = make("label", "", text("yours")), editor = document.createElement("textarea"), button = make("button", "", text("judge")), said = makeStatus("said");
        Object.assign(editor, { value: program.textContent, rows: program.textContent.split("\n").length, spellcheck: false, autocapitalize: "off", autocomplete: "off" });
        button.type = "button";
        label.append(editor);
        cure.append(label, button, said);
        goal.after(cure);
        let frame = null;
        button.addEventListener("click", () => {
            frame?.remove();
            frame = makePlayer(`${link.href.split("#")[0]}#${new URLSearchParams({ program: editor.value })}`, text("yours"));
            cure.append(frame);
        });
        addEventListener("message", ({ source, data }) => {
            if (!frame || source !== frame.contentWindow || typeof data?.log !== "string") return;
            const log = data.log.split("\n");
            let at = 0;
            const lacking = lines.find(line => {
                const found = log.indexOf(line, at);
                at = found + 1;
                return found < 0;
            });
            said.textContent = data.error ? text("mistake", [data.error]) : lacking === undefined ? text("cured") : text("lacks", [lacking.trim()]);
            if (!data.error && lacking === undefined) details.open = true;
        });
    }
});
