/* The slots of a form in which people write: what stands in each, what the checks say of it, and how one moves from
   field to field. A slot has a main text (but for translations) and, where its kind asks for more, further fields
   (data-more). */

import { between } from "./drafts.js";
import { showSizes, showWhys } from "./sides.js";

export function slotsIn(form) {
  return [...form.querySelectorAll(".slot")].map((element) => {
    const key = element.dataset.slot;
    return {
      key,
      element,
      field: element.querySelector(".slot__main"),
      version: element.querySelector(`[name=version_${key}]`),
      one: element.querySelector(`[name=one_${key}]`),
      tags: [...element.querySelectorAll(`[name=tags_${key}]`)],
      get more() { return [...element.querySelectorAll("[data-more]")]; },
      get first() { return this.field ?? this.more[0]; },
      counter: element.querySelector(".counter"),
      dirty: false,
      conflict: false,
      timer: 0,
    };
  });
}

/* The further fields by name; of radios of one name the chosen one. */
function moreOf(slot) {
  const more = {};
  for (const input of slot.more) {
    const name = input.dataset.more;
    if (input.type !== "radio") more[name] = input.value;
    else if (input.checked || !(name in more)) more[name] = input.checked ? input.value : "";
  }
  return more;
}

export function contentOf(slot) {
  const tags = slot.tags.filter((tag) => tag.checked).map((tag) => tag.value);
  return { text: slot.field?.value ?? "", one: slot.one?.checked ?? false, tags, more: moreOf(slot), version: slot.version.value };
}

/* Whether two contents say the same, whatever their versions. */
export function isSame(one, other) {
  const said = ({ text, one: single, tags, more }) => JSON.stringify([text, single, tags, Object.entries(more || {}).sort()]);
  return said(one) === said(other);
}

export function fill(slot, content) {
  if (slot.field) slot.field.value = content.text;
  if (slot.one) slot.one.checked = content.one;
  slot.tags.forEach((tag) => { tag.checked = content.tags.includes(tag.value); });
  const more = content.more || {};
  for (const input of slot.more) {
    const value = more[input.dataset.more] ?? "";
    if (input.type === "radio") input.checked = input.value === value;
    else input.value = value;
  }
}

/* As the server reads them: `text_e1`, `more_q_option-A`. */
export function fieldsOf(slot, content) {
  const body = new URLSearchParams({ [`text_${slot.key}`]: content.text });
  if (content.one) body.set(`one_${slot.key}`, "on");
  content.tags.forEach((tag) => body.append(`tags_${slot.key}`, tag));
  for (const [name, value] of Object.entries(content.more)) body.set(`more_${slot.key}_${name}`, value);
  return body;
}

/* How many of the fields that have to be filled in hold something. */
export function filledIn(slot) {
  const needed = new Set(slot.more.filter((input) => "needed" in input.dataset).map((input) => input.dataset.more));
  const more = moreOf(slot);
  return [slot.field?.value ?? "", ...[...needed].map((name) => more[name])].filter((value) => value.trim()).length;
}

/* --- what stands on the page besides what is typed --- */

export function show(slot, characters) {
  if (characters && slot.field) {
    const n = [...slot.field.value].length;
    slot.counter.hidden = n === 0;
    slot.counter.textContent = between(characters, { n });
  }
  if (slot.one) slot.one.closest("label").hidden = !slot.one.checked && !slot.element.querySelector("[data-check=several_sentences]");
  showWhole(slot);
  showSizes(slot.element);
  const chips = slot.element.querySelector("[data-chosen]");
  if (chips) chips.replaceChildren(...contentOf(slot).tags.map((code) => Object.assign(document.createElement("span"), { className: "tag", textContent: code })));
}

/* The whole text that is made of several fields, each on a line of its own; what holds nothing has no line. */
function showWhole(slot) {
  const whole = slot.element.querySelector("[data-joined]");
  if (!whole) return;
  const more = moreOf(slot);
  const lines = whole.dataset.joined.split(",").map((name) => (name ? more[name] : slot.field.value) ?? "");
  whole.textContent = lines.filter((line) => line.trim()).join("\n");
}

export function list(into, lines) {
  const same = [...into.children].map((line) => line.textContent).join("\n") === lines.map((line) => line.words).join("\n");
  if (same) return;
  into.replaceChildren(...lines.map((line) => {
    const element = Object.assign(document.createElement("li"), { className: `check-line check-line--${line.level}`, textContent: line.words });
    element.dataset.check = line.check;
    return element;
  }));
}

/* Each line goes under the field that it is about; a field that a line blocks says so. */
export function showLines(slot, lines) {
  for (const into of slot.element.querySelectorAll("[data-lines]")) {
    const name = into.dataset.lines;
    const mine = lines.filter((line) => line.field === name);
    list(into, mine);
    const fields = name ? slot.more.filter((input) => input.dataset.more === name && input.type !== "radio") : [slot.field];
    for (const field of fields.filter(Boolean)) {
      if (mine.some((line) => line.level === "block")) field.setAttribute("aria-invalid", "true");
      else field.removeAttribute("aria-invalid");
    }
  }
  showWhys(slot, lines);
}

/* What each text changes of the prompt that this is a variation of. */
export function showChanges(slot, changes) {
  for (const into of slot.element.querySelectorAll("[data-changes]")) {
    const parts = changes[into.dataset.changes] || [];
    const names = { insert: "ins", delete: "del", equal: "span" };
    into.hidden = parts.length === 0;
    into.replaceChildren(...parts.map(([op, textContent]) => Object.assign(document.createElement(names[op]), { textContent })));
  }
}

/* --- from field to field: the texts in their order, then what is chosen --- */

function stopsOf(slot) {
  const inputs = [...slot.element.querySelectorAll(".slot__main, [data-more]")].filter((one) => !one.closest("[hidden]"));
  const groups = new Map();
  for (const input of inputs.filter((one) => one.type === "radio")) {
    groups.set(input.name, [...(groups.get(input.name) || []), input]);
  }
  return [
    ...inputs.filter((one) => one.type !== "radio").map((one) => [one]),
    ...groups.values(),
  ];
}

export function firstEmpty(slots) {
  const texts = slots.flatMap(stopsOf).map(([first]) => first).filter((first) => first.type !== "radio" && !first.closest(".why"));
  return texts.find((field) => !field.value) ?? slots[0].first;
}

export function moveWithKeys(form, slots) {
  form.addEventListener("keydown", (event) => {
    if (!event.altKey || event.shiftKey || event.isComposing || !["ArrowUp", "ArrowDown"].includes(event.key)) return;
    const stops = slots.flatMap(stopsOf);
    const place = stops.findIndex((stop) => stop.includes(document.activeElement));
    const next = stops[place + (event.key === "ArrowDown" ? 1 : -1)] ?? (place < 0 ? stops[0] : null);
    event.preventDefault();
    if (next) (next.find((one) => one.checked) ?? next[0]).focus();
  });
}
