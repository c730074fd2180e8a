/* How a text comes to be, in sums: characters typed, pasted and inserted, the longest insertion, edits, pauses in classes.
   No key and no character is kept. Loaded where the writer agreed, and nowhere else; without it nothing is measured.

   What comes in is told apart by InputEvent.inputType. Keyboards that compose, correct or suggest words, dictation and
   screen readers send insertText, insertCompositionText, insertReplacementText and their like: typing. */

const PASTED = new Set(["insertFromPaste", "insertFromPasteAsQuotation", "insertFromDrop", "insertFromYank"]);
const TYPED = new Set([
  "insertText", "insertCompositionText", "insertFromComposition", "insertReplacementText", "insertDictationResult",
  "insertLineBreak", "insertParagraph", "insertTranspose",
]);
const NAMES = ["typed", "pasted", "inserted", "longest", "edits", "pauses_short", "pauses_middle", "pauses_long"];
const PAUSES = [[60_000, "pauses_long"], [10_000, "pauses_middle"], [2_000, "pauses_short"]];

const form = document.querySelector("form.write");
const prefix = "mufakat-typing:";
const mine = `${prefix}${form.dataset.allocation}:`;

/* Storage may be full or switched off: then a text that is written in two sittings is measured in part. */
function attempt(use) {
  try {
    return use();
  } catch {
    return null;
  }
}

function readCounts(slot) {
  const kept = attempt(() => JSON.parse(localStorage.getItem(mine + slot)));
  return Object.fromEntries(NAMES.map((name) => [name, Number.isInteger(kept?.[name]) ? kept[name] : 0]));
}

/* What other sets left on this device is of no use any more. */
attempt(() => Object.keys(localStorage).filter((key) => key.startsWith(prefix) && !key.startsWith(mine)).forEach((key) => localStorage.removeItem(key)));

for (const into of form.querySelectorAll("[data-typing]")) {
  const slot = into.dataset.typing;
  const element = form.querySelector(`.slot[data-slot="${CSS.escape(slot)}"]`);
  const counts = readCounts(slot);
  let before = null; // of the field, before what is coming changes it
  let last = 0;
  let deleting = false;
  if (NAMES.some((name) => counts[name])) into.value = JSON.stringify(counts);

  const isText = (field) => field instanceof HTMLTextAreaElement || (field instanceof HTMLInputElement && field.type === "text");

  element.addEventListener("beforeinput", ({ target }) => {
    if (isText(target)) before = { target, length: target.value.length, selected: target.selectionEnd - target.selectionStart };
  }, true);

  element.addEventListener("input", ({ target, inputType = "", timeStamp }) => {
    if (!isText(target)) return;
    const known = before?.target === target ? before : null;
    before = null;
    count(target, inputType, known, timeStamp);
    into.value = JSON.stringify(counts);
    attempt(() => localStorage.setItem(mine + slot, into.value));
  }, true);

  const lengths = new Map([...element.querySelectorAll("textarea, input[type=text]")].map((field) => [field, field.value.length]));

  function count(field, inputType, known, now) {
    const length = known?.length ?? lengths.get(field) ?? 0;
    lengths.set(field, field.value.length);
    const pause = last ? PAUSES.find(([least]) => now - last >= least) : null;
    last = now;
    if (pause) counts[pause[1]] += 1;
    if (inputType.startsWith("delete") || inputType.startsWith("history")) {
      if (!deleting) counts.edits += 1;
      deleting = true;
      return;
    }
    deleting = false;
    /* Composing replaces what it composed before: only what it adds counts, whatever is selected meanwhile. */
    const replaced = inputType.includes("Composition") ? 0 : known?.selected ?? 0;
    const added = Math.max(0, field.value.length - length + replaced);
    if (TYPED.has(inputType)) {
      counts.typed += added;
      return;
    }
    counts[PASTED.has(inputType) ? "pasted" : "inserted"] += added;
    counts.longest = Math.max(counts.longest, added);
  }
}
