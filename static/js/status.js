/* What happened to a Send, said beside Send and read out from the page's own line, which stays when cards change.
   Kinds: busy, offline, signed-out, failed, sent, and "" for nothing to say. */

const told = document.getElementById("status");

export function status(kind, words = "") {
  const text = kind ? words : "";
  told.textContent = text;
  told.classList.toggle("status--said", text !== "");
  const beside = document.querySelector("#card [data-state]");
  if (!beside) return;
  beside.hidden = text === "";
  beside.dataset.state = kind;
  beside.querySelector("[data-words]").textContent = text;
  const signIn = beside.querySelector("[data-sign-in]");
  signIn.hidden = kind !== "signed-out";
  signIn.search = new URLSearchParams({ next: location.pathname });
}
