/* Questions of a card, one after the other: the keys answer the one that is lit, and the next is lit once it is
   answered. The keys themselves are those of keys.js, which presses what carries data-key: here only what belongs to
   the lit question does. And passages: words selected in a text become a row of the question that asks for them. */

import { between } from "./drafts.js";

const questions = () => [...document.querySelectorAll("#card [data-question]")];
const answered = (question) => question.querySelector(":checked") !== null;
// Where a question takes one answer, the next is lit after it.
const ONE = "input[type=radio][data-answer]";

function light(question) {
  for (const one of questions()) {
    const lit = one === question;
    one.classList.toggle("question--now", lit && questions().length > 1);
    for (const answer of one.querySelectorAll("[data-answer]")) {
      if (lit && answer.dataset.answer) answer.dataset.key = answer.dataset.answer;
      else delete answer.dataset.key;
    }
  }
}

function begin() {
  const all = questions();
  if (!all.length) return;
  litBefore = pressed = null;
  warned = "";
  light(all.find((one) => one.matches("[aria-invalid]")) || all.find((one) => !answered(one)) || all[0]);
  document.querySelectorAll("#card .spans__mark").forEach((buttons) => {
    buttons.hidden = false;
  });
  highlight();
}

document.addEventListener("change", (event) => {
  const question = event.target.matches(ONE) && event.target.closest("#card [data-question]");
  if (!question) return;
  const all = questions();
  const following = all[all.indexOf(question) + 1];
  if (!following) return;
  relight(following);
  following.scrollIntoView({ block: "nearest" });
});

document.addEventListener("focusin", (event) => {
  const question = event.target.closest("#card [data-question]");
  if (question) relight(question);
});

/* --- passages --- */

const spansOf = (element) => element.closest("[data-spans]");
const spanQuestions = () => questions().filter((question) => question.matches("[data-spans]"));
const textOf = (key) => document.querySelector(`#card [data-text="${CSS.escape(key)}"] .text`);
// Offsets count code points of the stored text, every CR and every decomposed letter of it, and not the units of a
// script's strings.
const points = (text) => [...text].length;

/* The texts in which a question asks for passages. */
function textKeys(question) {
  const of = question.querySelector(`[name="${CSS.escape(`${question.dataset.spans}-of`)}"]`);
  return (of.options ? [...of.options].map((option) => option.value) : [of.value]).filter(Boolean);
}

/* What a range has in common with a text, or null: a drag may end outside of it, and a triple click ends behind it. */
function clip(range, text) {
  if (!range.intersectsNode(text)) return null;
  const part = document.createRange();
  part.selectNodeContents(text);
  if (part.compareBoundaryPoints(Range.START_TO_START, range) < 0) part.setStart(range.startContainer, range.startOffset);
  if (part.compareBoundaryPoints(Range.END_TO_END, range) > 0) part.setEnd(range.endContainer, range.endOffset);
  return part.toString().trim() ? part : null;
}

/* What is selected for a question, on one line, as its field holds it: in the text where the selection began, else where it ended, else in the first. */
function selected(question) {
  const selection = window.getSelection();
  if (!selection.rangeCount || selection.isCollapsed) return null;
  const range = selection.getRangeAt(0);
  const parts = [];
  for (const of of textKeys(question)) {
    const text = textOf(of);
    const part = text && clip(range, text);
    if (part) parts.push({ of, text, part });
  }
  const within = (node) => parts.find(({ text }) => text.contains(node));
  const found = within(selection.anchorNode) || within(selection.focusNode) || parts[0];
  if (!found) return null;
  const before = document.createRange();
  before.selectNodeContents(found.text);
  before.setEnd(found.part.startContainer, found.part.startOffset);
  const words = found.part.toString();
  const lead = words.length - words.trimStart().length;
  const start = points(before.toString() + words.slice(0, lead));
  const text = words.trim().replace(/\s*[\r\n]+\s*/g, " ");
  return { of: found.of, start, end: start + points(words.trim()), text };
}

/* Words that are selected and not marked: the question that would take them, the lit one first. */
function unmarked() {
  const lit = (question) => question.classList.contains("question--now");
  const all = spanQuestions().sort((one, other) => lit(other) - lit(one));
  for (const question of all) {
    const passage = selected(question);
    if (passage && !isMarked(question, passage)) return { question, passage };
  }
  return null;
}

function isMarked(question, passage) {
  return [...question.querySelectorAll(".spans__row")].some((row) =>
    field(row, "of", question).value === passage.of && field(row, "text", question).value === passage.text
    && ["", String(passage.start)].includes(field(row, "start", question).value));
}

function tell(question, words) {
  question.querySelector(".spans__state").textContent = words;
}

function field(row, name, question) {
  return row.querySelector(`[name="${CSS.escape(`${question.dataset.spans}-${name}`)}"]`);
}

function freeRow(question) {
  const rows = [...question.querySelectorAll(".spans__row")];
  return rows.find((row) => !field(row, "text", question).value.trim()) || newRow(question);
}

function newRow(question) {
  const rows = [...question.querySelectorAll(".spans__row")];
  const made = rows[rows.length - 1].cloneNode(true);
  const n = rows.length + 1;
  for (const one of made.querySelectorAll("[id]")) one.id = one.id.replace(`-${rows.length}`, `-${n}`);
  for (const one of made.querySelectorAll("[for]")) one.htmlFor = one.htmlFor.replace(`-${rows.length}`, `-${n}`);
  const name = made.querySelector("label");
  name.textContent = name.textContent.replace(String(rows.length), String(n));
  for (const one of made.querySelectorAll("input")) one.value = "";
  rows[rows.length - 1].after(made);
  return made;
}

function mark(button) {
  const question = spansOf(button);
  const passage = selected(question) || (pressed && textKeys(question).includes(pressed.passage.of) && pressed.passage);
  pressed = null;
  if (!passage) {
    tell(question, question.querySelector(".spans__state").dataset.nothing);
    return;
  }
  const row = freeRow(question);
  for (const name of ["text", "start", "end", "of"]) field(row, name, question).value = passage[name];
  field(row, "label", question).value = button.dataset.mark;
  field(row, "nth", question).value = "";
  window.getSelection().removeAllRanges();
  tell(question, "");
  // Kept by vote.js. Not from the passage: what is typed there is looked for anew.
  field(row, "label", question).dispatchEvent(new Event("input", { bubbles: true }));
  highlight();
}

/* While words are selected in a text the keys mark them, whatever question they answered before. */
let litBefore = null;

function lightForSelection() {
  if (questions().length < 2) return;
  const now = questions().find((question) => question.classList.contains("question--now"));
  const found = unmarked();
  if (found && found.question !== now) {
    if (!now || !now.matches("[data-spans]")) litBefore = now;
    light(found.question);
  } else if (!found && litBefore) {
    if (litBefore.isConnected && now && now.matches("[data-spans]")) light(litBefore);
    litBefore = null;
  }
}

function relight(question) {
  litBefore = null;
  light(question);
  lightForSelection();
}

document.addEventListener("selectionchange", lightForSelection);
// A key may be pressed before the browser has told that the selection changed.
document.addEventListener("keydown", lightForSelection, true);

/* --- Send stops once where words are selected and not marked: a selection is never lost in silence --- */

let warned = "";
let pressed = null; // what was selected when a pointer went down on a button

function holdSend(event) {
  const found = unmarked() || pressed;
  pressed = null;
  const said = found ? JSON.stringify(found.passage) : "";
  if (!found || said === warned) return;
  warned = said;
  event.preventDefault();
  event.stopImmediatePropagation();
  const state = found.question.querySelector(".spans__state");
  tell(found.question, between(state.dataset.unmarked, { words: found.passage.text }));
  state.scrollIntoView({ block: "nearest" });
}

// A ballot that comes back had more rows than the card has.
document.addEventListener("row:missing", (event) => {
  const question = [...document.querySelectorAll("#card [data-spans]")].find((one) => event.detail === `${one.dataset.spans}-text`);
  if (question) newRow(question);
});

document.addEventListener("pointerdown", (event) => {
  const button = event.target.closest("#card button");
  // Pressing a button must not take the selection away; some browsers do all the same.
  pressed = button && unmarked();
  if (button && button.matches("[data-mark]")) event.preventDefault();
});

document.addEventListener("click", (event) => {
  if (event.target.closest("#card form.vote button[type=submit]:not([formaction])")) holdSend(event);
}, true);

document.addEventListener("click", (event) => {
  const button = event.target.closest("#card [data-mark]");
  if (button) mark(button);
});

document.addEventListener("input", (event) => {
  if (!event.target.matches("#card [data-passage]")) return;
  // What is typed is looked for anew: it stands no longer where the selection was.
  const question = spansOf(event.target);
  for (const name of ["start", "end"]) field(event.target.closest(".spans__row"), name, question).value = "";
  highlight();
});

function rangeIn(text, start, length) {
  const walker = document.createTreeWalker(text, NodeFilter.SHOW_TEXT);
  const node = walker.nextNode();
  if (!node) return null;
  const characters = [...node.data];
  const begin = characters.slice(0, start).join("").length;
  const range = document.createRange();
  range.setStart(node, begin);
  range.setEnd(node, Math.min(node.length, begin + characters.slice(start, start + length).join("").length));
  return range;
}

function highlight() {
  if (!window.CSS || !CSS.highlights) return;
  const ranges = [];
  for (const question of document.querySelectorAll("#card [data-spans]")) {
    for (const row of question.querySelectorAll(".spans__row")) {
      const passage = field(row, "text", question).value;
      const text = textOf(field(row, "of", question).value);
      if (!passage || !text) continue;
      const given = field(row, "start", question).value;
      const at = given === "" ? text.textContent.indexOf(passage) : Number(given);
      if (at < 0) continue;
      const start = given === "" ? points(text.textContent.slice(0, at)) : at;
      const end = Number(field(row, "end", question).value) || start + points(passage);
      const range = rangeIn(text, start, end - start);
      if (range) ranges.push(range);
    }
  }
  CSS.highlights.set("passage", new Highlight(...ranges));
}

document.body.addEventListener("htmx:load", (event) => {
  if (event.detail.elt.id === "card") begin();
});

document.addEventListener("ballot:back", begin);

begin();
