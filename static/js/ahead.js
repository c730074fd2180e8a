/* Cards taken along: one is shown, an answer is kept on this device and the next is shown at once; offline.js sends what
   is kept. The scripts of the voting room do the rest: to them each card is the answer to the one before. */

import { keep, kept, newId, stored } from "./offline.js";

const page = document.getElementById("ahead");
const cards = [...page.querySelectorAll("template[data-card]")];

const count = () => page.querySelector("[data-left]");
const refuse = (words) => {
  const place = document.getElementById("status");
  place.textContent = words;
  place.classList.add("status--said");
};

/* The cards that nothing is kept for. */
async function left() {
  const answered = new Set((await kept()).map((entry) => entry.token));
  return cards.filter((card) => !card.dataset.answered && !stored.has(card.dataset.card) && !answered.has(card.dataset.card));
}

async function showNext() {
  const there = await left();
  count().textContent = there.length;
  const fragment = (there[0] || page.querySelector("template[data-none]")).content.cloneNode(true);
  page.querySelector("#card")?.remove();
  page.append(fragment);
  const card = page.querySelector("#card");
  card.dispatchEvent(new CustomEvent("htmx:load", { bubbles: true, detail: { elt: card } }));
}

function about(form) {
  const chosen = form.querySelector("[name=label]:checked");
  const named = chosen && (chosen.closest("label") || form.querySelector(`label[for="${chosen.id}"]`));
  const texts = [...form.querySelectorAll(".vote__hypothesis .text, .vote__texts .text")];
  return [texts[texts.length - 1]?.textContent.trim().slice(0, 120), named?.textContent.trim().replace(/\s+/g, " ")].filter(Boolean).join(" → ");
}

let busy = false;
page.addEventListener("submit", async (event) => {
  if (!event.target.matches("form.vote")) return;
  event.preventDefault();
  event.stopPropagation();
  if (busy) return;
  busy = true;
  const form = event.target;
  const fields = [...new FormData(form)].filter(([name]) => !["csrfmiddlewaretoken", "assignment"].includes(name));
  for (const shown of form.querySelectorAll("textarea[data-as-shown]")) {
    const at = fields.findIndex(([name]) => name === shown.name);
    if (shown.value === shown.defaultValue && at >= 0) fields.splice(at, 1);
  }
  const passing = event.submitter?.hasAttribute("formaction");
  if (passing && !form.elements.reason.value) {
    form.elements.reason.focus();
    busy = false;
    return;
  }
  const token = form.elements.assignment.value;
  const url = passing ? event.submitter.getAttribute("formaction") : form.getAttribute("action");
  const done = await keep({ id: newId(), url, token, fields, about: about(form) });
  busy = false;
  if (!done) return refuse(page.dataset.notKept);
  cards.find((card) => card.dataset.card === token).dataset.answered = "1";
  await showNext();
  document.dispatchEvent(new CustomEvent("outbox:send"));
}, true);

// Another tab has these cards too: what is answered there is not left here.
document.addEventListener("outbox:changed", async () => { count().textContent = (await left()).length; });

// What an earlier page kept for the card that stands here.
document.addEventListener("outbox:stored", (event) => {
  if (page.querySelector("#card")?.dataset.token === event.detail.token) showNext();
});

showNext();
