/* Questions of a card, one after the other: the keys answer the one that is lit, and the next is lit once it is
   answered. The keys themselves are those of keys.js, which presses what carries data-key: here only what belongs to
   the lit question does. And passages: words selected in a text become a row of the question that asks for them. */

const questions = () => [...document.querySelectorAll("#card [data-question]")];
const answered = (question) => question.querySelector(":checked") !== null;
// Where a question takes one answer, the next is lit after it.
const ONE = "input[type=radio][data-answer]";

function light(question) {
  for (const one of questions()) {
    const lit = one === question;
    one.classList.toggle("question--now", lit && questions().length > 1);
    for (const answer of one.querySelectorAll("[data-answer]")) {
      if (lit) answer.dataset.key = answer.dataset.answer;
      else delete answer.dataset.key;
    }
  }
}

function begin() {
  const all = questions();
  if (!all.length) return;
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
  light(following);
  following.scrollIntoView({ block: "nearest" });
});

document.addEventListener("focusin", (event) => {
  const question = event.target.closest("#card [data-question]");
  if (question) light(question);
});

/* --- passages --- */

const spansOf = (element) => element.closest("[data-spans]");
const textOf = (key) => document.querySelector(`#card [data-text="${CSS.escape(key)}"] .text bdi`);
// Offsets count code points, as they are stored, and not the units of a script's strings.
const points = (text) => [...text].length;

function selected() {
  const selection = window.getSelection();
  if (!selection.rangeCount || selection.isCollapsed) return null;
  const range = selection.getRangeAt(0);
  const section = range.startContainer.parentElement.closest("#card [data-text]");
  const text = section && textOf(section.dataset.text);
  if (!text || !text.contains(range.startContainer) || !text.contains(range.endContainer)) return null;
  const before = document.createRange();
  before.setStart(text, 0);
  before.setEnd(range.startContainer, range.startOffset);
  const words = range.toString();
  const lead = words.length - words.trimStart().length;
  return {
    of: section.dataset.text,
    start: points(before.toString() + words.slice(0, lead)),
    text: words.trim(),
  };
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
  const passage = selected();
  if (!passage || !passage.text) return;
  const row = freeRow(question);
  for (const name of ["text", "start", "of"]) {
    const into = field(row, name, question);
    if (into) into.value = passage[name];
  }
  field(row, "label", question).value = button.dataset.mark;
  field(row, "nth", question).value = "";
  window.getSelection().removeAllRanges();
  // Kept by vote.js. Not from the passage: what is typed there is looked for anew.
  field(row, "label", question).dispatchEvent(new Event("input", { bubbles: true }));
  highlight();
}

// A ballot that comes back had more rows than the card has.
document.addEventListener("row:missing", (event) => {
  const question = [...document.querySelectorAll("#card [data-spans]")].find((one) => event.detail === `${one.dataset.spans}-text`);
  if (question) newRow(question);
});

document.addEventListener("pointerdown", (event) => {
  // Pressing the button must not take the selection away.
  if (event.target.closest("#card [data-mark]")) event.preventDefault();
});

document.addEventListener("click", (event) => {
  const button = event.target.closest("#card [data-mark]");
  if (button) mark(button);
});

document.addEventListener("input", (event) => {
  if (!event.target.matches("#card [data-passage]")) return;
  // What is typed is looked for anew: it stands no longer where the selection was.
  const question = spansOf(event.target);
  field(event.target.closest(".spans__row"), "start", question).value = "";
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
      const range = rangeIn(text, start, points(passage));
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
