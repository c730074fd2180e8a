/* Criteria row by row: `y` and `n` answer the row that is lit and light the next, a digit goes to its row. The keys
   themselves are those of keys.js, which presses what carries data-key: here only the lit row's answers do. */

const rows = () => [...document.querySelectorAll("#card .criterion")];
const answered = (row) => row.querySelector(":checked") !== null;

function light(row) {
  for (const one of rows()) {
    const lit = one === row;
    one.classList.toggle("criterion--now", lit);
    for (const answer of one.querySelectorAll("[data-answer]")) {
      if (lit) answer.dataset.key = answer.dataset.answer;
      else delete answer.dataset.key;
    }
  }
}

function begin() {
  const all = rows();
  const first = all.find((row) => row.matches(".criterion--missing")) || all.find((row) => !answered(row)) || all[0];
  if (first) light(first);
}

document.addEventListener("change", (event) => {
  const row = event.target.matches("[data-answer]") && event.target.closest("#card .criterion");
  if (!row) return;
  row.classList.remove("criterion--missing");
  const all = rows();
  const following = all[all.indexOf(row) + 1] || row;
  light(following);
  following.scrollIntoView({ block: "nearest" });
});

document.addEventListener("click", (event) => {
  // The row itself is pressed by its digit alone; a pointer finds what is in it.
  if (event.target.matches("#card .criterion") && event.detail === 0) event.target.querySelector("[data-answer]").focus();
});

document.addEventListener("focusin", (event) => {
  const row = event.target.closest("#card .criterion");
  if (row) light(row);
});

document.body.addEventListener("htmx:load", (event) => {
  if (event.detail.elt.id === "card") begin();
});

begin();
