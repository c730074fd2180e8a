/* Responses that change places: by the arrows beside them, or by Alt+Shift and an arrow key. What is picked goes along. */

const SPOT = "input, textarea";

function swap(option, way) {
  const row = [...option.parentElement.querySelectorAll(":scope > .option")];
  const other = row[row.indexOf(option) + (way === "down" ? 1 : -1)];
  if (!other) return null;
  const [mine, theirs] = [option.querySelector(SPOT), other.querySelector(SPOT)];
  [mine.value, theirs.value] = [theirs.value, mine.value];
  for (const picks of option.parentElement.querySelectorAll(":scope > .picks")) {
    const radios = [...picks.querySelectorAll("[type=radio]")];
    const [here, there] = [option, other].map((one) => radios[row.indexOf(one)]);
    if (here.checked) there.checked = true;
    else if (there.checked) here.checked = true;
  }
  mine.dispatchEvent(new Event("input", { bubbles: true }));
  return other;
}

export function moveOptions(form) {
  form.addEventListener("click", (event) => {
    const button = event.target.closest("[data-move]");
    if (!button) return;
    event.preventDefault();
    const to = swap(button.closest(".option"), button.dataset.move);
    const same = to?.querySelector(`[data-move=${button.dataset.move}]:enabled`);
    (same ?? to?.querySelector(SPOT))?.focus();
  });
  form.addEventListener("keydown", (event) => {
    if (!event.altKey || !event.shiftKey || event.isComposing || !["ArrowUp", "ArrowDown"].includes(event.key)) return;
    const option = event.target.closest(".option");
    if (!option?.querySelector("[data-move]")) return;
    event.preventDefault();
    const to = swap(option, event.key === "ArrowDown" ? "down" : "up");
    to?.querySelector(SPOT).focus();
  });
}
