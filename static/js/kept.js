/* The voting room keeps an answer on this device before it is sent and until it is answered: vote.js sends it again while
   the page is open, offline.js on whatever page comes after it. One answer has one id, a changed one another. */

import { drop, held, keep, newId, stored } from "./offline.js";

const PLAIN = ["csrfmiddlewaretoken", "assignment", "client_id"];
let last = null; // { id, said } of the card that is shown

const isSending = (path) => path === document.querySelector("#card form.vote")?.getAttribute("action");

function idOf(form, said) {
  if (last && form.elements.client_id?.value === last.id) {
    if (last.said === said) return last.id;
    held.delete(last.id);
    drop(last.id);
  }
  const field = form.elements.client_id || form.appendChild(Object.assign(document.createElement("input"), { type: "hidden", name: "client_id" }));
  field.value = newId();
  last = { id: field.value, said };
  return last.id;
}

document.body.addEventListener("htmx:confirm", async (event) => {
  const { elt: form, path, issueRequest, triggeringEvent } = event.detail;
  if (!form.matches("#card form.vote") || !isSending(path) || !form.checkValidity()) return;
  const by = triggeringEvent?.submitter;
  if (by?.hasAttribute("formaction")) return;
  event.preventDefault();
  const same = [...form.querySelectorAll("textarea[data-as-shown]")].filter((field) => field.value === field.defaultValue).map((field) => field.name);
  const fields = [...new FormData(form)].filter(([name]) => !PLAIN.includes(name) && !same.includes(name));
  const id = idOf(form, JSON.stringify(fields));
  held.add(id);
  await keep({ id, url: path, token: form.elements.assignment.value, fields });
  issueRequest(true);
});

document.body.addEventListener("htmx:afterRequest", (event) => {
  const { xhr, requestConfig } = event.detail;
  const id = requestConfig.parameters.client_id;
  // Whoever is signed out is led to another page: that is no answer to a vote.
  const here = !xhr.responseURL || new URL(xhr.responseURL).pathname === new URL(event.detail.pathInfo.requestPath, location).pathname;
  const answered = here && xhr.status && (xhr.status < 300 || xhr.status === 409 || xhr.status === 422);
  if (id && answered) drop(id).then(() => held.delete(id));
});

// What an earlier page kept for the card that stands here is stored now: the next one is asked for.
function goOn() {
  if (stored.has(document.getElementById("card")?.dataset.token)) location.reload();
}

document.addEventListener("outbox:stored", goOn);
goOn();
