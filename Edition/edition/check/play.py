"""play.html in Chromium and, if it is installed, in Firefox: the log of each example in the page is the one that the native tests have for it; the loop
view has each line of that log as an event with a sentence, and plays in time; each broken loop has the native log, and a right step for the game in each program; stepping back visits the same states as stepping forward; links, errors, programs without an end, guesses, breakpoints; the page's size."""

import functools
import html
import re
import shutil
import subprocess
import tempfile
import time
import urllib.parse
from pathlib import Path

from facts import ROOT, book, breaks

from .. import play, renew
from ..pages import play as page_of_play
from ..pages.play import LIMIT, missing
from ..play import examples
from ..site import script
from .browser import READY, Browser

# Arguments: the programs with their logs, and how many moments lie between two that are compared.
CHECK = """
const [programs, stride, done] = arguments;
const page = edition.play, misses = [], $ = id => document.getElementById(id);
const enter = text => { $('program').value = text; page.perform(); };
const press = key => document.body.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true }));
const predict = isOn => { $('predict').checked = isOn; $('predict').dispatchEvent(new Event('change', { bubbles: true })); };
const state = moment => JSON.stringify([...page.stateAt(moment).fields]) + JSON.stringify(page.stateAt(moment).threads);
let moments = 0;
const check = () => {
    page.setView('code');
    for (const { title, text, log } of programs) {
        $('seed').value = 0;
        enter(text);
        if (page.run.error) { misses.push(`${title}: ${page.run.error}`); continue; }
        const shown = [...$('log').querySelectorAll('button')].map(line => line.textContent + '\\n').join('');
        if (page.run.log !== log || shown !== log) misses.push(`${title}: the log in the page differs: ${page.run.log}`);
        const forward = new Map();
        page.forget();
        for (let moment = 0; moment < page.run.count; moment += stride) { forward.set(moment, state(moment)); moments++; }
        page.forget();
        for (const [moment, seen] of [...forward].reverse()) if (state(moment) !== seen) { misses.push(`${title}: moment ${moment} differs on the way back`); break; }
        const last = page.stateAt(page.run.count - 1);
        for (const key of ['s', 'c', 'z', 'l', 'p', 't']) {
            press('Home');
            let forth = 0, back = 0, before = -1;
            const stays = () => { const isThere = page.at === before; before = page.at; return isThere; };
            for (; !stays() && forth < 999; press(key)) forth++;
            press('End');
            for (before = -1; !stays() && back < 999; press(key.toUpperCase())) back++;
            if (forth !== back && Math.abs(forth - back) > 1) misses.push(`${title}: the key ${key} stops ${forth} times on the way to the end, and ${back} on the way back`);
        }
    }
    press('Home'); press('ArrowRight');
    if (page.at !== 1) misses.push(`the key → leads to moment ${page.at}`);
    press('ArrowLeft');
    if (page.at !== 0) misses.push(`the key ← leads to moment ${page.at}`);

    enter('source S in default\\nsignal X\\nrun default for 1s\\n');
    if (!/^line 2, column 8: expected a source from a line above, found "X"/.test($('verdict').textContent)) misses.push(`an error reads: ${$('verdict').textContent}`);
    if ($('gutter').querySelector('.bad')?.textContent !== '2') misses.push('the line of an error is not marked');

    enter('timer T every 1s in default\\nrun default\\n');
    if (page.run.end !== 'stopped' || !$('verdict').textContent.includes(`is longer than ${page.run.count.toLocaleString('en')} statements`)) misses.push(`a program without an end: ${page.run.end}, ${$('verdict').textContent}`);
    enter('timer T every 1s in default\\nwhen T fires: run default for 5s\\nrun default for 9999999s\\n');
    if (!['deep', 'stopped'].includes(page.run.end) || !$('verdict').textContent) misses.push(`a nest without an end: ${page.run.end}`);

    enter('timer T every 1s in default\\nrun default for 10000s\\n');
    if (page.run.lines.length !== 10001 || page.run.end !== 'ended') misses.push(`ten thousand passes: ${page.run.lines.length} lines, ${page.run.end}`);
    const seconds = Math.min(...[1, 2, 3].map(() => { page.perform(); return page.run.seconds; })); // the best of three: the machine does other work, too
    if (seconds > 1) misses.push(`ten thousand passes take ${seconds} s`);
    const started = performance.now();
    press('End');
    const jump = (performance.now() - started) / 1000;

    enter(programs[2].text);
    predict(true);
    press('l');
    const choices = [...$('question').querySelectorAll('button')];
    if ($('question').hidden || !choices.some(choice => choice.textContent.trim() === 'main O Entry')) misses.push(`predict first asks: ${$('question').textContent}`);
    else {
        choices.find(choice => choice.textContent.trim() === 'main O Entry').click();
        if (page.at !== page.momentOfLine(1)) misses.push('a right guess does not lead to its line');
    }
    predict(false);

    // A guess comes before the callout is entered, by whichever way the reader goes there.
    for (const key of ['c', 'ArrowRight', 's', 'z', 'p', 'l', 'End']) {
        enter('timer T every 1s in default\\nrun default for 3s\\n');
        predict(true);
        for (let count = 0; $('question').hidden && page.at < page.momentOfLine(1) - 1 && count < 9999; count++) press(key);
        const where = `${$('stack').textContent} ${$('picture').textContent}`;
        if ($('question').hidden || /CALLING_OUT/.test(where) || /T fires/.test(where)) misses.push(`predict first, with the key ${key}, asks at ${where}`);
        const asked = page.at, choice = [...$('question').querySelectorAll('button')].find(choice => choice.textContent.trim() === 'main T fires');
        press(key);
        if (page.at !== asked) misses.push(`the key ${key} leaves a question without an answer`);
        choice?.click();
        if (key === 'ArrowRight' ? page.at !== asked + 1 : page.at < asked || page.at > page.momentOfLine(1)) misses.push(`after an answer, the key ${key} leads from ${asked} to ${page.at}`);
        for (let count = 0; key === 'ArrowRight' && page.at < page.momentOfLine(1) && count < 9999; count++) press(key);
        if (key === 'ArrowRight' && page.at !== page.momentOfLine(1)) misses.push('after an answer, → does not lead to its line');
    }
    predict(false);

    // A thread that has ended has no bar.
    const busy = name => page.lanes?.find(lane => lane.name === name)?.spans.filter(span => span[2] === 'busy').map(([from, to]) => `${from}-${to}`).join(' ');
    for (const index of [3, 16]) {
        enter(programs[index].text);
        if (busy('main') !== '') misses.push(`${programs[index].title}: main, which has ended at once, is busy: ${busy('main')}`);
    }
    enter('thread B:\\n    spend 5s\\nspend 3s\\n');
    if (busy('main') !== '0-3' || busy('B') !== '0-5') misses.push(`threads that are busy for 3 and 5 s are so in the picture for ${busy('main')} and ${busy('B')}`);
    enter(programs[20].text);
    const spans = page.lanes.find(lane => lane.name === 'main').spans.map(String).join(' ');
    if (spans !== '0,1,sleeps') misses.push(`${programs[20].title}: the picture has main ${spans}`);
    enter(programs[3].text);
    press('Home'); press('z');
    if (!$('caption').textContent.includes('Thread B sleeps until 1 s.')) misses.push(`the caption of a sleep: ${$('caption').textContent}`);

    // A program is opened where its loop begins, and long lines are not cut.
    enter(programs[6].text);
    if (document.querySelector('#rail [aria-current]')?.dataset.step !== '1') misses.push(`a program opens at moment ${page.at}: ${$('caption').textContent}`);
    enter(programs[16].text);
    for (const row of [$('program'), ...$('log').querySelectorAll('button')]) if (row.scrollWidth > row.clientWidth) misses.push(`a line is cut: ${row.textContent}`);
    if (getComputedStyle($('program')).whiteSpace !== 'pre-wrap') misses.push('the lines of the editor are cut');
    const rows = [...$('gutter').children].reduce((sum, row) => sum + row.offsetHeight, 0), padding = 2 * parseFloat(getComputedStyle($('program')).paddingTop);
    $('program').rows = 1;
    if (Math.abs($('program').scrollHeight - padding - rows) > 2) misses.push(`the numbers of the editor's lines are ${rows} pixels high, and the lines ${$('program').scrollHeight - padding}`);
    $('program').rows = 8;

    // What matters is held long enough to read its caption, and the speed is the reader's.
    enter(programs[2].text);
    press('Home');
    const plain = page.hold();
    press('l');
    const held = page.hold(), letters = $('caption').firstChild.textContent.length;
    if (plain > 300 || held < 1500 || held < 50 * letters) misses.push(`a moment is held for ${plain} ms, and one that matters for ${held} ms, with a caption of ${letters} letters`);
    const chosen = $('speed').value;
    press('+');
    if (!(Number($('speed').value) > Number(chosen))) misses.push('the key + does not make the page faster');
    press('-');
    enter(programs[6].text);
    let whole = 0;
    for (let moment = page.run.opening; moment < page.run.count; moment++) { page.go(moment); whole += page.hold(); }
    if (whole > 180000) misses.push(`the code of example 7 plays for ${whole / 1000} s`);
    if ($('speed').value !== chosen) misses.push('the key - does not make the page slower');

    // The run's record, and the printed loop.
    enter('timer T at 1s in default\\nwhen T fires: run other for 1s\\nblock K in other\\ntimer U at 5s in other\\nrun default for 3s\\n'.replace('block K in other\\n', ''));
    page.go(page.run.count - 1);
    for (let moment = 0; moment < page.run.count; moment++) if (page.stateAt(moment).loops[0]?.records?.length === 3 && page.stateAt(moment).loops[0].records[0].mode) { page.go(moment); break; }
    const records = [...($('records')?.querySelectorAll('tr') ?? [])].map(row => [...row.children].map(cell => cell.textContent).join(' '));
    if (records.length !== 4 || !/^other (0|STOP) (0|WAKE) false$/.test(records[1]) || !/^default 0 (0|WAKE) false$/.test(records[2]) || !/^no run/.test(records[3])) misses.push(`the records of nested runs: ${records}`);
    $('printed').open = true;
    $('printed').dispatchEvent(new Event('toggle'));
    if (!/callout = performTimer \\(/.test($('printed').textContent) || /\\?\\?\\?/.test($('printed').textContent)) misses.push(`the printed loop names no function: ${$('printed').textContent.match(/callout = .{30}/)}`);
    $('printed').open = false;

    // Where nothing comes any more, the page stays, and says so. Another thread's step is shown where the thread has none.
    enter(programs[20].text);
    press('Home');
    for (const key of ['b', 'Z']) {
        press(key);
        if (page.at !== 0 || !/No (breakpoint|earlier sleep)/.test($('caption').textContent)) misses.push(`the key ${key} leads to moment ${page.at}, without a word`);
    }
    for (let count = 0; $('thread').textContent !== 'B' && count < 999; count++) press('t');
    if (!/Thread B: line 3 .*The main thread is before step 7/.test($('caption').textContent) || $('rail').querySelector('[aria-current]')?.dataset.step !== '6') misses.push(`where B begins, the caption is: ${$('caption').textContent}`);
    press('End');
    if (!$('caption').textContent.includes(`The program has ended: ${page.run.lines.at(-1)}`)) misses.push(`the caption of the end: ${$('caption').textContent}`);

    enter(programs[2].text);
    press('Home'); press('p'); press('X'); press('Home'); press('b');
    if (edition.play.at === 0 || document.querySelector('#rail [aria-current]')?.dataset.step !== '2') misses.push('the breakpoint on step 2 is not reached');
    press('X');
    return [misses, moments, seconds, jump];
};
try { done(check()); } catch (error) { done([[String(error.stack ?? error)], 0, 0, 0]); }
"""
# The loop view. Arguments: the programs with their logs, and whether the page is in Chinese.
LOOP = """
const [programs, chinese, done] = arguments;
const page = edition.play, misses = [], $ = id => document.getElementById(id), all = selector => [...document.querySelectorAll(selector)];
const enter = text => { $('program').value = text; page.perform(); };
const press = key => document.body.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true }));
const show = fits => { const index = page.run.events.findIndex(fits); if (index >= 0) page.go(page.run.events[index].at, index); return page.run.events[index]; };
const told = () => $('caption').textContent;
let longest = 0, events = 0;
const check = () => {
    page.setView('loop');
    for (const { title, text, log } of programs) {
        enter(text);
        // Each line of the log is an event, and each event has a sentence, a step or an act, and a place in the band.
        const lines = page.run.events.filter(event => event.line !== undefined).map(event => event.line);
        if (String(lines) !== String(log.trimEnd().split('\\n').map((_, index) => index))) misses.push(`${title}: events have the lines ${lines}`);
        let whole = 0, last = -1;
        page.run.events.forEach((event, index) => {
            page.go(event.at, index);
            events++;
            if (!told() || /undefined|NaN|\\{|(^| )loop\\.\\w/.test(told())) misses.push(`${title}: event ${index}, ${event.kind}, is told as: ${told()}`);
            if (chinese && !/[\u4e00-\u9fff]/.test(told()) && event.kind !== 'note') misses.push(`${title}: event ${index} is told in English: ${told()}`);
            if (index >= page.run.firstEvent) whole += page.hold();
            if (event.kind === 'callout' && ![...document.querySelectorAll('.bubble b')].some(said => said.textContent === event.text)) misses.push(`${title}: no bubble says ${event.text}`);
            if (event.kind === 'sleep' && (!document.querySelector('#picture .loop.asleep') || !$('figure').classList.contains('asleep'))) misses.push(`${title}: asleep at ${event.time} s, and not dark`);
            if (event.kind === 'step' && document.querySelector('#rail [aria-current]')?.dataset.step !== String(event.step)) misses.push(`${title}: event ${index} is step ${event.step}, and another one is lit`);
            const place = Number($('scrubber').value);
            if (place < last) misses.push(`${title}: the mark goes back at event ${index}`);
            last = place;
        });
        longest = Math.max(longest, whole);
        if (whole > 20500) misses.push(`${title}: plays for ${Math.round(whole / 100) / 10} s`);
        // The band is the slider: the place of each event leads to it.
        for (const index of [page.run.firstEvent, page.run.events.length - 1]) {
            page.go(page.run.events[index].at, index);
            const value = $('scrubber').value;
            page.go(page.run.events[page.run.firstEvent].at, page.run.firstEvent);
            $('scrubber').value = value;
            $('scrubber').dispatchEvent(new Event('input', { bubbles: true }));
            if (page.current !== index) misses.push(`${title}: the place of event ${index} leads to event ${page.current}`);
        }
    }
    // The other view is a key away, at the same moment; the arrows go by events.
    enter(programs[8].text);
    show(event => event.kind === 'callout');
    const at = page.at;
    press('v');
    if (page.at !== at || !$('code').offsetHeight || $('player').dataset.view !== 'code') misses.push('the key v does not lead to the code of the same moment');
    press('v');
    if (page.at !== at || $('code').offsetHeight || !$('rail').offsetHeight) misses.push('the key v does not lead back');
    const before = page.current;
    press('ArrowRight');
    if (page.current !== before + 1) misses.push(`the key → leads from event ${before} to ${page.current}`);
    press('ArrowLeft');
    if (page.current !== before) misses.push(`the key ← leads back to event ${page.current}`);
    // From callout to callout: the sentence says what is called, wherever in its code the program stands.
    press('Home');
    for (let count = 0; count < 9; count++) {
        const from = page.current;
        press('c');
        const event = page.run.events[page.current];
        if (page.current === from) break;
        if (event.kind !== 'callout' || !told().includes(event.item) || !document.querySelector('.bubble')) misses.push(`the key c leads to event ${page.current}, ${event.kind}: ${told()}`);
        page.go(event.from);
        if (!told().includes(event.item) || /^Step|^第/.test(told())) misses.push(`where ${event.item} is called: ${told()}`);
        page.go(event.at, page.run.events.indexOf(event));
        if (count > 0) { press('C'); if (page.current !== from) misses.push(`the key C leads from event ${page.run.events.indexOf(event)} to ${page.current}, and not to ${from}`); press('c'); }
    }
    show(event => event.kind === 'step' && event.reason === 3);
    if (!/: T is due\.|T 到期了。/.test(told())) misses.push(`step 9 of a timer is told as ${told()}`);
    // What has to wait, and fires late, is held until it is read.
    for (const fits of [event => event.kind === 'missed', event => event.kind === 'callout' && event.time === 3.5]) {
        show(fits);
        if (page.hold() < 3500) misses.push(`it is held for ${page.hold()} ms: ${told()}`);
    }
    // While it plays, the sentence stays until another one comes that can be read; who stops it reads the step.
    press('Home');
    show(event => event.kind === 'callout');
    const sentence = told(), after = page.run.events.findIndex((event, index) => index > page.current && event.kind === 'step');
    press(' ');
    page.go(page.run.events[after].at, after);
    if (told() !== sentence) misses.push(`while it plays, a step is told as ${told()}`);
    press(' ');
    if (!/^Step|^第/.test(told())) misses.push(`whoever stops it at a step reads ${told()}`);
    if (![...$('homes').children].some(link => /chapter|The book: 1|第 1 章/.test(link.textContent))) misses.push(`example 9 belongs to ${$('homes').textContent}`);
    // A very long run leaves events out while it plays, but none that is held until it is read, and no callout at which the reader wants to pause.
    enter('timer T every 1s in default\\nsource touches in tracking\\nrun default for 400s\\nrun tracking for 2.5s\\nrun default for 400s\\n');
    const later = setTimeout, decisive = [...page.run.decisive].map(event => page.run.events.indexOf(event)), ticks = [];
    window.setTimeout = action => ticks.push(action);
    const plays = from => { page.go(page.run.events[from].at, from); press(' '); ticks.pop()(); const at = page.current; ticks.length = 0; press(' '); return at; };
    const plain = page.run.events.findIndex(event => event.kind === 'callout') - 1;
    if (page.run.stride < 2 || plays(plain) !== plain + page.run.stride) misses.push(`a very long run is played in strides of ${page.run.stride}`);
    for (const index of decisive) if (plays(index - 1) !== index) misses.push(`the decisive event ${index} of a very long run is left out`);
    $('pauses').click();
    if (decisive.length !== 2 || plays(plain) !== plain + 1) misses.push('a very long run does not pause at a callout');
    $('pauses').click();
    window.setTimeout = later;
    enter(programs[8].text);
    // While the list is dragged: the timer is due in a room that is closed.
    show(event => event.kind === 'missed');
    const room = all('#picture .mode').find(room => room.querySelector('.door b').textContent === 'default');
    if (room.classList.contains('current') || !room.querySelector('.chip.due[data-item=T]') || !document.querySelector('#picture .mode.current .chip[data-item=touches]')) misses.push(`while the list is dragged: ${$('picture').textContent}`);
    // Why: the results, and a timer that is late.
    const why = [[0, event => event.kind === 'result' && event.result === 'Finished', /empty|是空的/], [1, event => event.kind === 'result', /only observers|只有 Observer/],
        [4, event => event.kind === 'result', /began at 0 s for 5 s, so it ended at 5 s|从 0 秒开始，最多运行 5 秒，所以在 5 秒结束/], [5, event => event.kind === 'result', /has served S|处理了 S/], [15, event => event.kind === 'result' && event.result === 'Stopped', /line 7|第 7 行/],
        [6, event => event.kind === 'callout' && event.item === 'T', /due at 1 s: .*callback of work.*fires once|1 秒就到期了：.*work 的回调.*只触发一次/], [8, event => event.kind === 'callout' && event.time === 3.5, /due at 2 s: .*mode tracking|2 秒就到期了：.* tracking mode/]];
    for (const [index, fits, wanted] of why) {
        enter(programs[index].text);
        if (!show(fits) || !wanted.test(told())) misses.push(`${programs[index].title}: it is told as ${told()}`);
    }
    // Another thread's act: an arrow from its lane to the chip.
    enter(programs[16].text);
    show(event => event.kind === 'act' && event.action.verb === 'signal');
    if (!document.querySelector('.lane.acts') || $('arrow').querySelectorAll('g path').length !== 1 || !document.querySelector('.chip.signaled[data-item=wantTodo]')) misses.push(`where touch signals: ${$('stage').textContent}`);
    // A refused word: what its writer may have meant.
    for (const [text, wanted] of [['spend 1 second\\n', 'spend 1s'], ['say “tick”\\n', 'say "tick"'], ['run default for 2\\n', 'run default for 2s'], ['timer T every 500 ms in default\\nrun defualt for 1s\\n', 'timer T every 500ms in default'],
        ['source S in default\\nsignl S\\n', 'signal S'], ['observer O of beforewaiting in default\\n', 'observer O of BeforeWaiting in default'], ['源 S\\n', undefined]]) {
        enter(text);
        const button = $('suggestion').querySelector('button');
        if (button?.textContent !== wanted) misses.push(`for ${text} the page suggests ${button?.textContent}`);
        button?.click();
        if (wanted && (!$('program').value.includes(wanted) || /^line 1|^第 1 /.test(page.run.error ?? ''))) misses.push(`its button writes ${$('program').value}`);
    }
    // A wrong guess: the line that has decided.
    enter(programs[6].text);
    $('predict').click();
    for (let count = 0; $('question').hidden && count < 99; count++) press('ArrowRight');
    [...$('question').querySelectorAll('button')].at(-1).click();
    const shows = $('question').querySelector('button');
    if (!shows || !/CFRunLoop\\.c:\\d+/.test(shows.textContent) || !$('question').textContent.includes('work')) misses.push(`a wrong guess is answered with ${$('question').textContent}`);
    shows?.click();
    if ($('player').dataset.view !== 'code' || !$('place').textContent.includes('__CFRunLoopRun')) misses.push(`its button shows ${$('place').textContent}`);
    $('predict').click();
    page.setView('loop');
    return [misses, events, longest];
};
try { done(check()); } catch (error) { done([[String(error.stack ?? error)], 0, 0]); }
"""
# The broken loop. Arguments: a log of the program of each break, on the broken loop, by Scripts/broken-loop; the programs with their logs; is the page in Chinese.
BREAKS = """
const [natives, programs, chinese, done] = arguments;
const page = edition.play, { breaks } = page, misses = [], $ = id => document.getElementById(id), all = selector => [...document.querySelectorAll(selector)];
const press = (key, where = document.body) => where.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true }));
const choose = number => { $('broken').value = number; $('broken').dispatchEvent(new Event('change')); };
const enter = text => { $('program').value = text; page.perform(); };
const { statements, files } = edition.data.play;
/** The steps that a run shows to be wrong: those around the first event that differs, of its thread, and those in which the broken line is performed. */
const stepsAround = (its, healthy, broken) => {
    const sign = event => [event.kind, event.thread, event.step, event.item, event.text, event.time.toFixed(6), event.reason].join('|');
    const first = healthy.events.findIndex((event, index) => !broken.events[index] || sign(event) !== sign(broken.events[index])), found = new Set();
    for (const { events } of [healthy, broken]) {
        const event = events[first] ?? events.at(-1);
        found.add(event.step).add(events.slice(0, first).findLast(other => other.thread === event.thread && other.step)?.step);
    }
    for (let moment = 0; moment < broken.count; moment++) {
        const [file, begin, end] = statements[broken.halves[moment * 8]] ?? [];
        if (files[file] === its.path && begin <= its.line && its.line <= end) found.add(broken.bytes[moment * 16 + 6] ? broken.bytes[moment * 16 + 5] & 15 : 0);
    }
    return found;
};
let events = 0;
const check = () => {
    page.setView('loop');
    if ($('broken').options.length !== breaks.breaks.size + 2) misses.push(`the menu has ${$('broken').options.length} entries`);
    for (const [number, its] of breaks.breaks) {
        choose(0);
        enter(its.program);
        const healthy = page.run.log;
        for (const text of [its.program, ...programs.map(({ text }) => text)]) {
            choose(0);
            enter(text);
            const asItIs = page.run;
            breaks.choose(number);
            page.perform();
            const around = String(page.run.lines) === String(asItIs.lines) ? its.steps : [...stepsAround(its, asItIs, page.run)];
            if (!its.steps.some(step => around.includes(step))) misses.push(`broken ${number}: this program shows the steps ${around}, and right are ${its.steps}: ${text}`);
        }
        choose(0);
        enter(its.program);
        choose(number);
        if (page.run.log !== natives[number - 1]) misses.push(`broken ${number}: the page's log is ${page.run.log}`);
        const first = all('#logs .first'), [left, right] = first.length ? [...first[0].children].map(cell => cell.textContent) : [];
        if (page.run.log === healthy || first.length !== 1 || left === right) misses.push(`broken ${number}: the first difference is ${left} and ${right}`);
        const line = $('line').textContent;
        if ($('compare').hidden || !line.includes(its.old) || its.text && !line.includes(its.text) || !$('line').querySelector('a').href.includes(`${its.path}.html#L${its.line}`)) misses.push(`broken ${number}: the page shows ${line}`);
        if (chinese && !/[\u4e00-\u9fff]/.test($('h-compare').textContent)) misses.push(`broken ${number} is in English: ${$('h-compare').textContent}`);
        if (breaks.differs < page.run.lines.length && !$('log').children[breaks.differs].classList.contains('differs')) misses.push(`broken ${number}: the log does not mark the line ${breaks.differs}`);
        page.run.events.forEach((event, index) => {
            page.go(event.at, index);
            events++;
            if (!$('caption').textContent || /undefined|NaN|\\{|(^| )loop\\.\\w/.test($('caption').textContent)) misses.push(`broken ${number}: event ${index}, ${event.kind}, is told as: ${$('caption').textContent}`);
        });
        const fields = new URLSearchParams((page.name(), location.hash.slice(1)));
        if (fields.get('broken') !== String(number)) misses.push(`broken ${number}: the address is ${location.hash}`);
    }
    $('line').querySelector('button').click();
    if (breaks.number !== 0 || !$('compare').hidden) misses.push('the loop is not mended');
    // A program that does not show a break: the page says so, after the reader has chosen it, and in the beginning shows one that does.
    enter(programs[0].text);
    choose(14);
    if ($('program').value === programs[0].text || !document.querySelector('#logs .first')) misses.push('a break that a program does not show is shown with it');
    enter(programs[0].text);
    if (document.querySelector('#logs .first') || !$('logs').textContent) misses.push(`a program that does not show the break has ${$('logs').textContent}`);
    $('show-break').click();
    if ($('program').value !== breaks.breaks.get(14).program || !document.querySelector('#logs .first') || breaks.number !== 14) misses.push('the button does not bring a program that shows the break');
    choose(0);

    // The game: many riddles, each with a program that shows its line; the same seed is the same riddle.
    const lines = new Set();
    for (let seed = 1; seed <= 60; seed++) {
        const program = breaks.riddle(seed);
        if (breaks.riddle(seed) !== program) misses.push(`the riddle ${seed} has two programs`);
        lines.add(breaks.number);
        enter(program);
        if (!document.querySelector('#logs .first')) misses.push(`the program of the riddle ${seed} does not show its line: ${program}`);
        if ($('line').textContent || document.querySelector('#code .broken') || $('accuse').offsetHeight || $('hint').offsetHeight || $('which-step').querySelectorAll('button').length !== 11) misses.push(`the riddle ${seed} gives its line away`);
    }
    if (lines.size < 12) misses.push(`60 riddles are about ${lines.size} lines`);
    const seen = new Set();
    for (let count = 0; count < 3; count++) { $('game').click(); seen.add(breaks.game); }
    if (seen.size !== 3 || $('player').dataset.view !== 'loop') misses.push('the button does not make new riddles');
    page.name();
    const { game } = breaks, program = $('program').value;
    if (new URLSearchParams(location.hash.slice(1)).get('game') !== String(game)) misses.push(`the address of a riddle is ${location.hash}`);
    const its = breaks.breaks.get(breaks.number);
    // First the step: the focus is at the question, a wrong step is told, a right one leads to the code.
    if (document.activeElement.id !== 'riddle' || !$('riddle-asks').textContent.includes('!')) misses.push(`a riddle begins at ${document.activeElement.id} with ${$('riddle-asks').textContent}`);
    const asked = $('riddle-asks').textContent, step = wanted => [...$('which-step').querySelectorAll('button')][(wanted + 10) % 11].click();
    step([...Array(11).keys()].find(one => !its.steps.includes(one)));
    if (breaks.stepFound || !$('answer').textContent) misses.push(`a wrong step is answered with ${$('answer').textContent}`);
    const lit = page.run.events.find(event => event.kind === 'step');
    page.go(lit.at);
    press('!');
    if (breaks.stepFound !== its.steps.includes(lit.step) || !$('answer').textContent.includes(lit.step)) misses.push(`! at step ${lit.step} is answered with ${$('answer').textContent}`);
    if (!breaks.stepFound) {
        step(its.steps[0]);
        const isThere = page.run.events.some(event => event.step === its.steps[0]); // a step may be what no longer comes
        if (isThere && document.querySelector('#rail [aria-current]')?.dataset.step !== String(its.steps[0])) misses.push(`the right step, ${its.steps[0]}, leads to step ${document.querySelector('#rail [aria-current]')?.dataset.step}`);
    }
    if (!breaks.stepFound || breaks.found || $('riddle-asks').textContent === asked || $('which-step').offsetHeight || !$('accuse').offsetHeight || $('player').dataset.view !== 'code' || document.activeElement.id !== 'riddle') misses.push(`a right step, ${its.steps}, is answered with ${$('answer').textContent}`);
    for (let moment = page.run.opening; moment < page.run.count && !(page.go(moment), breaks.suspect); moment++); // it may begin with the program's own lines
    press('!');
    if (breaks.found || !$('answer').textContent.includes(':')) misses.push(`a wrong line is answered with ${$('answer').textContent}`);
    $('hint').click();
    if (!/\\w+\\(?|__CF/.test($('answer').textContent)) misses.push(`the hint is ${$('answer').textContent}`);
    return its;
};
(async () => {
    const its = check();
    // By the keyboard: ↑ and ↓ from wherever the code is, then !.
    const until = async fits => { for (let tries = 0; tries < 200 && !fits(); tries++) await new Promise(after => setTimeout(after, 10)); };
    for (let count = 0; count < 3000 && breaks.suspect?.path !== its.path; count++) page.go(page.at + 1);
    await until(() => document.querySelector('#code .suspect'));
    for (let count = 0; count < 900 && breaks.suspect.line !== its.line; count++) press(breaks.suspect.line < its.line ? 'ArrowDown' : 'ArrowUp');
    press('!');
    if (!breaks.found || !$('answer').textContent.includes(its.words) || !$('line').textContent.includes(its.old)) misses.push(`the right line, ${its.path}:${its.line}, is answered with ${$('answer').textContent}`);
    done([misses, breaks.breaks.size, events]);
})().catch(error => done([[String(error.stack ?? error)], 0, 0]));
"""
OPENED = "[$('program').value, document.querySelector('#log .now')?.textContent, $('log').textContent, $('seed').value]"
SHOWN = "[edition.play.run.log, all('#homes a').map(link => link.href), edition.play.thread]"
YOURS = "[$('yours').textContent, all('#code .yours').map(row => row.textContent.trim())]"
FRAMED = "[document.documentElement.classList.contains('framed'), edition.play.run.log]"
ERROR = """
const errors = { 'source S in default\\nsignal X\\nrun default for 1s\\n': '第 2 行第 8 列，应为：上面某一行里的 source；实际："X"', 'run default for': '第 1 行第 16 列，应为：时间，例如 2.5s 或 300ms；实际：行尾' };
return Object.entries(errors).map(([text, wanted]) => {
    document.getElementById('program').value = text;
    edition.play.perform();
    return [document.getElementById('verdict').textContent, wanted];
});
"""
# The line that the page marks, at the first moments of a run: its place, and the code that is shown.
MARKED = """
const [count, done] = arguments, page = edition.play, found = [];
(async () => {
    page.setView('code');
    for (let moment = page.run.opening; moment < page.run.opening + count; moment++) {
        page.go(moment);
        const place = () => document.getElementById('place'), row = () => document.querySelector('#code .on0, #code .on1');
        const line = () => row()?.querySelector('.n').textContent;
        for (let tries = 0; tries < 100 && !place().textContent.includes(`:${line()} `); tries++) await new Promise(after => setTimeout(after, 10));
        found.push([place().href, line() ?? '', row()?.textContent.slice(line().length).replace(/\\n$/, '') ?? '']);
    }
    done(found);
})();
"""
# Waits for the frame of a chapter, which is loaded when a reader comes to it.
LOAD_FRAME = """
const frame = document.querySelector('.book iframe'), done = arguments[0];
frame.loading = 'eager';
(function look() { frame.contentDocument?.body?.dataset.ready ? done() : setTimeout(look, 50); })();
"""
# Which parts of a view are not whole on a phone's first screen; of the log, three lines, and of the code, six.
LOW = """(edition.play.go(900), [...['play', 'band', 'caption', 'rail'], $('player').dataset.view === 'loop' ? 'picture' : 'code']).map($).filter(part => part.getBoundingClientRect().bottom > innerHeight || part.getBoundingClientRect().right > innerWidth + 1).map(part => part.id)
    .concat($('player').dataset.view === 'code' || [...all('#rail [aria-hidden] span'), $('speed')].every(part => part.offsetHeight > 8) ? [] : ['words at the arrows, or the speed'])
    .concat($('log').children[2].getBoundingClientRect().bottom > innerHeight ? ['log'] : [])"""
# The program, a moment, and what the page offers for other pages in a language.
SNIPPET = """
const $ = id => document.getElementById(id), page = edition.play;
page.setView('code');
page.go(page.run.opening + 40);
$('embed-language').value = arguments[0];
$('embed').open = true;
page.name();
return [$('program').value, page.at, $('snippet').value];
"""
LOADED = "return [...document.querySelectorAll('script[src], link[rel=stylesheet]')].map(element => element.src || element.href)"


def linked(page):
    """The programs that links of a page lead to, each with the link."""
    found = re.findall(rf'<a [^>]*href="([^"]*{re.escape(play.PAGE)}#[^"]*)"', page.read_text(encoding="utf-8"))
    fields = [(html.unescape(link), urllib.parse.parse_qs(html.unescape(link).partition("#")[2])) for link in found]
    return {its.get("program", [""])[0]: link for link, its in fields if "broken" not in its}


def loop_view(browser):
    """The loop view, in both languages; on a phone the controls, the sentence, the steps, the rooms and the log are on one screen."""
    said = []
    for language in ("en", "zh"):
        browser.open(f"{language}/{play.PAGE}")
        browser.ready("0")
        misses, events, longest = browser.wait_for(LOOP, examples(language), language == "zh")
        for miss in misses:
            browser.miss(miss)
        said = [f"the loop view: {events} events, the longest example plays for {longest / 1000:.1f} s"]
    browser.look(390, 844)
    for language in ("en", "zh"):
        browser.open(f"{language}/{play.PAGE}")
        for view in ("loop", "code"):
            browser.script("edition.play.setView(arguments[0])", view)
            browser.until("edition.play.run && (document.getElementById('player').dataset.view === 'loop' || document.querySelector('#code pre'))")
            low = browser.ready(LOW)
            browser.expect(not low, f"on a phone, these are not on the first screen of the view {view}: {low}")
        browser.expect(browser.script("return document.getElementById('code').clientHeight > 6 * document.querySelector('#code .l').offsetHeight"), "on a phone, the code has not six lines")
        kept = browser.script("const code = document.getElementById('code'); code.scrollLeft = 300; const row = document.querySelector('#code .on0 .n, #code .on1 .n') ?? document.querySelector('#code .n'); return code.scrollLeft > 0 && Math.abs(row.getBoundingClientRect().left - code.getBoundingClientRect().left) < 8")
        browser.expect(kept, "on a phone, a line that is scrolled loses its number")
        menu = browser.script("document.getElementById('menu').click(); return [...document.querySelectorAll('header nav a')].filter(link => link.getBoundingClientRect().right > innerWidth || !link.offsetHeight).map(link => link.textContent)")
        browser.expect(not menu, f"on a phone, the menu does not show {menu}")
    browser.look()
    return said[0]


@functools.cache
def natives(language):
    """The native log of the program of each break, on the broken loop."""
    return [subprocess.run([ROOT / "Scripts/broken-loop", str(each.number)], input=page_of_play.program_of(each, language), capture_output=True, text=True).stdout for each in breaks.breaks()]


def broken_loop(browser):
    """Each line that the page can break: its log is the native one, its first difference is marked; the game; a shared riddle is the same riddle."""
    for language in ("en", "zh"):
        browser.open(f"{language}/{play.PAGE}")
        browser.ready("0")
        misses, count, events = browser.wait_for(BREAKS, natives(language), examples(language), language == "zh")
        for miss in misses:
            browser.miss(miss)
        browser.go(f"{(browser.site / language / play.PAGE).as_uri()}#game=7", f"{language}/{play.PAGE}#game=7")
        riddle = browser.ready("[edition.play.breaks.number, edition.play.breaks.game, $('program').value, !!all('#logs .first').length]")
        browser.expect(riddle[1] == 7 and riddle[3] and riddle[:3] == (browser.ready("[edition.play.breaks.number, 7, edition.play.breaks.riddle(7)]")), f"the link of the riddle 7 opens {riddle}")
    return f"{count} broken lines, {events} events of theirs, the game"


def opens(browser, programs):
    """A link opens a program where it says, and errors are in Chinese in the Chinese page."""
    program, log = programs[6]["text"], programs[6]["log"]
    for language, line, seed in [("en", 2, None), ("zh", 4, 7)]:
        browser.go(f"{(browser.site / language).as_uri()}/{play.address(program, line=line, seed=seed)}", f"{language}/{play.PAGE}")
        text, now, shown, number = browser.ready(OPENED)
        browser.expect((text, now, shown, number) == (program, log.splitlines()[line - 1], log.replace("\n", ""), str(seed or 0)), f"a link opens {now!r} of {text!r}")
    for found, wanted in browser.script(ERROR):
        browser.expect(found == wanted, f"an error reads {found!r}, not {wanted!r}")


def ways(browser):
    """The page of an item and the chapter of the book that have a program lead to it here, and it leads back to them."""
    count = 0
    for language in ("en", "zh"):
        site = browser.site / language
        known = {example["text"] for example in examples(language)}
        for page in sorted(site.glob("items/*.html")):
            browser.page = f"{language}/items/{page.name}"
            strange = [program for program in linked(page) if program and program not in known]
            browser.expect(not strange, f"leads to programs that are no examples: {strange}")
        pages = [(f"items/{example['item']}.html", example) for example in examples(language)]
        pages += [(f"book/{chapter.path.rpartition('/')[2].partition('.')[0]}.html", {"text": chapter.program, "log": chapter.log}) for chapter in book.chapters(language)]
        for page, example in pages:
            browser.page = f"{language}/{page}"
            if browser.expect(link := linked(site / page).get(example["text"]), "no link leads to its program"):
                browser.go(urllib.parse.urljoin((site / page).as_uri(), link), f"{language}/{page}")
                shown, back, _ = browser.ready(SHOWN)
                browser.expect(shown == example["log"], f"the log of its program is {shown}")
                browser.expect((site / page).as_uri() in back, f"its program leads back to {back}")
                count += 1
        story = site / "doc/Documentation/Explanation/a-wake-up.html"
        moments = linked(story)
        for program, link in moments.items():
            browser.go(urllib.parse.urljoin(story.as_uri(), link), f"{language}/{story.name}")
            log, _, thread = browser.ready(SHOWN)
            browser.expect(thread == "B", f"a link does not lead to where B begins:\n{program}")
            browser.expect(log.endswith(" S performs\n" + log.splitlines()[-1] + "\n") and log.endswith("HandledSource\n"), f"a wake-up is lost:\n{program}{log}")
        browser.expect(len(moments) == 5, f"links lead to {len(moments)} moments of a wake-up")
    return f"{count} pages lead to their program, and it back to them"


def todays_code(browser):
    """At each moment the page marks the line of today's source that it names."""
    browser.open(f"en/{play.address(examples('en')[4]['text'])}")
    browser.ready(SHOWN)
    found = browser.wait_for(MARKED, 150)
    for address, line, text in found:
        path = re.search(r"/src/(.*)\.html#L(\d+)", address)
        browser.expect(path and path[2] == line and (ROOT / path[1]).read_text(encoding="utf-8").splitlines()[int(line) - 1] == text, f"at {address} the page marks line {line}: {text!r}")
    return f"{len({(address, line) for address, line, _ in found})} lines are today's"


def embedded(browser):
    """What the page offers for other pages shows the same program, moment and view there, in either language; and the page in one file needs no other."""
    with tempfile.TemporaryDirectory() as folder:
        for language in ("en", "zh"):
            browser.open(f"en/{play.PAGE}")
            browser.ready("0")
            text, moment, snippet = browser.script(SNIPPET, language)
            page = Path(folder) / f"{language}.html"
            page.write_text(f"<!DOCTYPE html><title>A blog</title><p>{snippet}</p>", encoding="utf-8")
            browser.go(page.as_uri(), f"a page with the snippet for {language}")
            browser.driver.switch_to.frame(browser.driver.find_element("tag name", "iframe"))
            shown = browser.ready("[$('program').value, edition.play.at, $('player').dataset.view, edition.language, $('program').offsetHeight > 0 && $('log').offsetHeight > 0, document.scrollingElement.scrollWidth <= innerWidth]")
            browser.driver.switch_to.default_content()
            browser.expect(shown == [text, moment, "code", language, True, True], f"the snippet shows {shown}, not the moment {moment} of {text!r}")
            alone = Path(folder) / f"alone-{language}.html"
            shutil.copy(browser.site / language / play.ALONE, alone)
            browser.go(f"{alone.as_uri()}#{play.address(examples(language)[8]['text'], line=2, broken=13).partition('#')[2]}&view=code", f"{play.ALONE} by itself")
            browser.until("document.body.dataset.ready && document.querySelector('#code pre')")
            log, line, links, files = browser.ready("[edition.play.run.log, $('log').querySelector('.now')?.textContent, all('a[href]').filter(link => !/#/.test(link.getAttribute('href'))).map(link => link.outerHTML), performance.getEntriesByType('resource').map(each => each.name)]")
            browser.expect(log != examples(language)[8]["log"] and line == log.splitlines()[1], f"it shows {line!r} of {log}")
            browser.expect(not links and not files, f"it leads to {links}, and loads {files}")
            for example in examples(language):
                log = browser.script("document.getElementById('broken').value = 0; document.getElementById('broken').dispatchEvent(new Event('change')); document.getElementById('program').value = arguments[0]; edition.play.perform(); return edition.play.run.log", example["text"])
                browser.expect(log == example["log"], f"{example['title']} has the log {log}")
        size = alone.stat().st_size
        browser.expect(size <= LIMIT, f"it has {size:,} bytes")
    return f"a snippet for other pages, and {size:,} bytes in one file"


def loaded(browser):
    """The page and all that it has loaded are small."""
    site = str(browser.site)
    files = {urllib.parse.unquote(urllib.parse.urlsplit(name).path) for name in browser.script(LOADED)}
    size = sum(Path(name).stat().st_size for name in files if name.startswith(site)) + (browser.site / "zh" / play.PAGE).stat().st_size
    browser.expect(size <= LIMIT, f"loads {size:,} bytes, more than {LIMIT:,}: {', '.join(sorted(files))}")
    return f"{size:,} bytes with all that it loads"


def readers_code(browser):
    """The page after Scripts/reading-edition play says which lines are the reader's, and shows them. (Scripts/check-book --page tries that command.)"""
    site = browser.site
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder)
        for part in ("static", "code", "en/data"):
            shutil.copytree(site / part, copy / part)
        for part in ("en/play.html", renew.SCRIPT):
            shutil.copy(site / part, copy / part)
        table = renew.read(copy / renew.SCRIPT)["play"]
        table["code"] = {table["files"][0]: {"lines": "\n".join(f"<c>// line {number}</c>" for number in range(1, 700)), "changed": [1, 183], "paths": [], "names": {}}}
        (copy / renew.SCRIPT).write_text(script("../../play", {"play": table}), encoding="utf-8")
        browser.go(f"{(copy / 'en/play.html').as_uri()}#view=code", "a page with the reader's code")
        browser.until("document.querySelector('#code pre')")
        said, marked = browser.ready(YOURS)
        name = Path(table["files"][0]).name
        browser.expect(f"{name}:1, {name}:183" in said and marked == ["1// line 1", "183// line 183"], f"it says {said!r}, and marks {marked}")
        browser.driver.get("about:blank")


def check(site):
    if missing():
        return f"the edition was built without it: {missing()}", []
    programs = examples("en")
    with Browser(site) as browser:
        browser.look()
        browser.open("en/play.html")
        browser.ready("0")
        misses, moments, seconds, jump = browser.wait_for(CHECK, programs, 10)
        said = [f"Chromium: {len(programs)} examples, {moments} moments there and back; ten thousand passes in {seconds:.2f} s, their last moment in {jump:.2f} s"]
        said.append(loop_view(browser))
        said.append(broken_loop(browser))
        opens(browser, programs)
        said += [ways(browser), todays_code(browser), loaded(browser), embedded(browser)]
        readers_code(browser)
        browser.collect()
        misses += browser.misses
    if not shutil.which("firefox"):
        return "; ".join([*said, "Firefox: SKIPPED, because it is not installed: apt-get install firefox-esr"]), misses
    from .firefox import Firefox
    start = time.monotonic()
    with Firefox() as firefox:
        firefox.open((site / "en" / play.PAGE).as_uri())
        firefox.wait_for(READY % "0")
        found, moments, seconds, jump = firefox.wait_for(CHECK, programs, 50)
        misses += [f"Firefox: {miss}" for miss in found]
        for script, arguments in ((LOOP, (examples("zh"), True)), (BREAKS, (natives("zh"), examples("zh"), True))):
            firefox.open((site / "zh" / play.PAGE).as_uri())
            firefox.wait_for(READY % "0")
            misses += [f"Firefox: {miss}" for miss in firefox.wait_for(script, *arguments)[0]]
        firefox.open((site / "zh/book/5-a-wake-up-that-is-lost.html").as_uri())
        firefox.wait_for(LOAD_FRAME)
        firefox.enter_frame(0)
        if (shown := firefox.wait_for(READY % FRAMED)) != [True, book.chapters("zh")[4].log]:
            misses.append(f"Firefox: the frame of a chapter has {shown}")
        said.append(f"Firefox: {moments} moments, the loop view and the broken lines; ten thousand passes in {seconds:.2f} s ({time.monotonic() - start:.0f} s)")
    return "; ".join(said), misses
