
"use strict";

// Column heads become buttons that sort; without this script they are plain text over the same table.
for (const table of document.querySelectorAll("table")) {
  for (const head of table.querySelectorAll("th[data-column]")) {
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = head.textContent;
    button.setAttribute("aria-label", head.dataset.label + ": sort");
    button.addEventListener("click", () => sort(table, head));
    head.replaceChildren(button);
  }
}

function sort(table, head) {
  const up = head.getAttribute("aria-sort") !== "ascending";
  for (const other of table.querySelectorAll("th[aria-sort]")) other.removeAttribute("aria-sort");
  head.setAttribute("aria-sort", up ? "ascending" : "descending");
  const body = table.tBodies[0];
  const value = (row) => row.cells[Number(head.dataset.column)].dataset.value;
  body.append(...[...body.rows].sort((a, b) => compare(value(a), value(b), up)));
}

// Numbers as numbers, the rest as text; what has no value comes last either way.
function compare(a, b, up) {
  if (a === "" || b === "") return (a === "") - (b === "");
  const numeric = !isNaN(a) && !isNaN(b);
  const order = numeric ? a - b : a.localeCompare(b);
  return up ? order : -order;
}

// A box that scrolls sideways can be reached and scrolled by keyboard.
function reach() {
  for (const box of document.querySelectorAll(".scroll")) {
    if (box.scrollWidth > box.clientWidth) box.tabIndex = 0;
    else box.removeAttribute("tabindex");
  }
}
addEventListener("load", reach);
addEventListener("resize", reach);

// Paper has no fold: everything is printed open.
addEventListener("beforeprint", () => {
  for (const fold of document.querySelectorAll("details")) fold.open = true;
});
