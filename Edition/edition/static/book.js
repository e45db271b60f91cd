// book.js: the questions of a chapter. In the page a question is a list of answers and a <details>, whose first bold number is the right one. Each
// answer becomes a button; the right one opens the <details>. The link that breaks a line puts the player with the broken loop below it. Without this script the reader opens it.
"use strict";

addEventListener("DOMContentLoaded", async () => {
    for (const link of document.querySelectorAll(".book a.break")) {
        link.setAttribute("role", "button");
        link.addEventListener("click", event => {
            if (event.ctrlKey || event.metaKey) return;
            event.preventDefault();
            const shown = link.parentElement.nextElementSibling;
            if (shown?.matches("iframe")) return shown.focus();
            const frame = document.createElement("iframe");
            Object.assign(frame, { src: link.href, title: link.textContent, className: "broken" });
            link.parentElement.after(frame);
        });
    }
    const questions = [...document.querySelectorAll(".book details")].filter((details) => details.previousElementSibling?.matches("ol"));
    if (!questions.length) return;
    await edition.load("text");
    const text = (key, values = {}) => edition.data.text[`book.${key}`].replace(/\{(\w+)\}/g, (_, name) => values[name]);
    const score = document.createElement("p");
    score.className = "score quiet";
    score.setAttribute("role", "status");
    questions.at(-1).after(score);
    const first = new Map(); // the question: whether the first choice was right

    for (const details of questions) {
        const list = details.previousElementSibling, right = Number(details.querySelector("strong").textContent.replace(".", ""));
        const said = document.createElement("p");
        said.className = "said";
        said.setAttribute("role", "status");
        list.classList.add("choices");
        list.after(said);
        [...list.children].forEach((item, index) => {
            const button = document.createElement("button"), isRight = index + 1 === right;
            button.type = "button";
            for (const link of item.querySelectorAll("a")) link.replaceWith(...link.childNodes); // a button has no links
            button.append(...item.childNodes);
            button.addEventListener("click", () => {
                if (!first.has(details)) first.set(details, isRight);
                button.dataset.is = isRight ? "right" : "wrong";
                said.textContent = text(isRight ? "right" : "wrong");
                if (isRight) {
                    details.open = true;
                    if (details.nextElementSibling?.matches(".log")) details.nextElementSibling.open = true; // what was to be predicted
                }
                score.textContent = text("score", { right: [...first.values()].filter(Boolean).length, all: questions.length });
            });
            item.append(button);
        });
    }
});
