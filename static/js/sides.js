/* Translating: each text beside its source. Counts along, asks why a warning is wrong, takes an answer from the text in
   which it has to stand, fetches other targets when somebody asks for them. */

import { between } from "./drafts.js";
import { ask } from "./offline.js";

// As `annotation/text/tokens.py` cuts words: letters with their marks.
const WORD = /[\p{L}\p{N}_][\p{L}\p{M}\p{N}_\u200c\u200d]*/gu;
const NUMERAL = /\d+(?:[.,]\d+)*/g;

/* --- how long it is, and which numbers are not there yet --- */

export function showSizes(root) {
  for (const line of root.querySelectorAll("[data-size]")) {
    const field = line.parentElement.querySelector("textarea");
    const { size, figures, figuresWords, missingWords, words, characters } = line.dataset;
    const n = (field.value.match(WORD) || []).length;
    const counted = { n, of: words, characters: [...field.value].length, of_characters: characters };
    const asked = figures.split(" ").filter(Boolean);
    const there = field.value.match(NUMERAL) || [];
    const missing = asked.filter((number) => !there.includes(number));
    const said = [between(size, counted)];
    if (missing.length && n) said.push(between(missingWords, { missing: missing.join(", ") }));
    else if (asked.length) said.push(between(figuresWords, { there: asked.join(", ") }));
    line.textContent = said.join(" · ");
  }
}

/* --- a word to a check that warned, under the first field in which it did --- */

export function showWhys(slot, lines) {
  const form = slot.element.querySelector("[data-why-form]");
  if (!form) return;
  const asked = new Map();
  for (const line of lines.filter((each) => each.why)) if (!asked.has(line.check)) asked.set(line.check, line);
  for (const box of slot.element.querySelectorAll("[data-why]")) box.hidden = !asked.has(box.dataset.why);
  for (const [check, line] of asked) {
    const box = slot.element.querySelector(`[data-why="${check}"]`) ?? made(form, slot, check);
    box.querySelector("label").textContent = line.why;
    const under = slot.element.querySelector(`[data-lines="${line.field}"]`);
    // A box that somebody types into stays where it is.
    if (under.parentElement !== box.parentElement && !box.contains(document.activeElement)) lastUnder(under).after(box);
  }
}

function lastUnder(lines) {
  let last = lines;
  while (last.nextElementSibling?.matches("[data-why]")) last = last.nextElementSibling;
  return last;
}

function made(form, slot, check) {
  const box = form.content.firstElementChild.cloneNode(true);
  const [label, input] = [box.querySelector("label"), box.querySelector("input")];
  box.dataset.why = check;
  input.id = input.name = `more_${slot.key}_why-${check}`;
  input.dataset.more = `why-${check}`;
  label.htmlFor = input.id;
  return box;
}

/* --- an answer that stands in another text --- */

function take(tool) {
  const into = tool.parentElement.querySelector("textarea");
  const text = document.getElementById(tool.dataset.span);
  const says = tool.querySelector("[role=status]");
  const marked = text.value.slice(text.selectionStart, text.selectionEnd).trim();
  says.textContent = marked ? says.dataset.taken : says.dataset.none;
  if (!marked) {
    text.focus();
    return;
  }
  into.value = marked;
  into.dispatchEvent(new Event("input", { bubbles: true }));
}

/* In the answer: this one. In the text: the first answer of it that is empty, else the first. */
function toolFor(field) {
  const own = field.closest(".side")?.querySelector("[data-span]");
  if (own) return own;
  const tools = [...document.querySelectorAll("[data-span]")].filter((tool) => tool.dataset.span === field.id);
  return tools.find((tool) => !tool.parentElement.querySelector("textarea").value.trim()) ?? tools[0];
}

for (const tool of document.querySelectorAll("[data-span]")) {
  tool.hidden = false;
  tool.querySelector("button").addEventListener("click", () => take(tool));
}

document.addEventListener("keydown", (event) => {
  if (event.key === "Escape" && event.target.matches(".hint__word")) event.target.blur();
  if (!event.altKey || event.key !== "Enter" || event.isComposing || !event.target.matches("textarea")) return;
  const tool = toolFor(event.target);
  if (!tool) return;
  event.preventDefault();
  take(tool);
});

/* --- other targets, when somebody opens the box --- */

for (const box of document.querySelectorAll("[data-elsewhere]")) {
  const into = box.querySelector("[data-elsewhere-into]");
  const plain = into.innerHTML;
  let arrived = false;
  box.addEventListener("toggle", async () => {
    if (!box.open || arrived) return;
    into.textContent = into.dataset.loading;
    const answer = await ask(box.dataset.elsewhere, { headers: { "HX-Request": "true" } });
    arrived = Boolean(answer?.ok);
    into.innerHTML = arrived ? answer.text : plain;
    if (!arrived) into.prepend(Object.assign(document.createElement("p"), { textContent: into.dataset.failed }));
  });
}
