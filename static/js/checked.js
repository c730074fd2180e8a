/* A submitted item that is written anew: the server checks while one types, and stores nothing before it is sent. */

import { ask, jsonOf } from "./offline.js";
import { contentOf, fieldsOf, isSame, moveWithKeys, show, showLines, slotsIn } from "./slots.js";

const form = document.querySelector("form[data-check]");
const slots = form ? slotsIn(form) : [];
const PAUSE = 800;

async function check(slot) {
  const typed = contentOf(slot);
  const body = fieldsOf(slot, typed);
  body.set("check", "1");
  const headers = { "X-CSRFToken": form.elements.csrfmiddlewaretoken.value, Accept: "application/json" };
  const checks = jsonOf(await ask(location.href, { method: "POST", body, headers }));
  // Where none came: what is sent is checked again.
  if (!checks?.lines || !isSame(typed, contentOf(slot))) return;
  showLines(slot, checks.lines[slot.key] || []);
  show(slot);
}

for (const slot of slots) {
  show(slot);
  slot.element.addEventListener("input", () => {
    show(slot);
    clearTimeout(slot.timer);
    slot.timer = setTimeout(() => check(slot), PAUSE);
  });
}

if (form) {
  moveWithKeys(form, slots);
  form.addEventListener("submit", (event) => {
    if (event.submitter?.name !== "check") return;
    event.preventDefault();
    slots.forEach(check);
  });
}
