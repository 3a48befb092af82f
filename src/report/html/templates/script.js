"use strict";
// Adds what needs a script to a page that can be read without: tables are sorted by
// their heads and searched.
(() => {
  const collator = new Intl.Collator("en", { numeric: true });

  // What a cell is sorted by: a number, or its text. Absent is null.
  const value = (cell, isFigure) =>
    !isFigure ? cell.textContent : cell.dataset.v === undefined ? null : Number(cell.dataset.v);

  // Absent figures stay last in both directions.
  const compare = (a, b, sign) => {
    if (a === null || b === null) return (a === null) - (b === null);
    return sign * (typeof a === "number" ? a - b : collator.compare(a, b));
  };

  const sort = (table, head) => {
    const isFigure = head.classList.contains("n");
    const now = head.getAttribute("aria-sort");
    // Figures are asked for from the largest down, names from A on.
    const first = isFigure ? "descending" : "ascending";
    const other = isFigure ? "ascending" : "descending";
    const order = now === first ? other : first;
    for (const each of head.parentElement.cells) each.removeAttribute("aria-sort");
    head.setAttribute("aria-sort", order);
    const sign = order === "ascending" ? 1 : -1;
    const body = table.tBodies[0];
    const keyed = [...body.rows].map((row) => [value(row.cells[head.cellIndex], isFigure), row]);
    keyed.sort((a, b) => compare(a[0], b[0], sign));
    body.append(...keyed.map(([, row]) => row));
  };

  const makeSortable = (table) => {
    for (const head of table.tHead.rows[0].cells) {
      const button = document.createElement("button");
      button.type = "button";
      button.append(...head.childNodes);
      button.addEventListener("click", () => sort(table, head));
      head.append(button);
    }
  };

  const makeSearchable = (input) => {
    const rows = document.getElementById(input.dataset.filters).tBodies[0].rows;
    const told = input.parentElement.querySelector("output");
    const search = () => {
      const words = input.value.toLowerCase().split(/\s+/).filter(Boolean);
      let shown = 0;
      for (const row of rows) {
        const text = row.textContent.toLowerCase();
        row.hidden = !words.every((word) => text.includes(word));
        shown += !row.hidden;
      }
      told.textContent = `${shown} of ${rows.length} rows`;
    };
    input.addEventListener("input", search);
    input.parentElement.hidden = false;
    search();
    return () => {
      input.value = "";
      search();
    };
  };

  document.querySelectorAll("table[data-sortable]").forEach(makeSortable);
  const resets = [...document.querySelectorAll("input[data-filters]")].map(makeSearchable);

  // What is linked to must not be filtered away or folded in.
  const reveal = () => {
    const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
    if (!target) return;
    if (target.closest("tr[hidden]")) resets.forEach((reset) => reset());
    for (const inside of target.querySelectorAll(":scope > details")) inside.open = true;
    target.scrollIntoView();
  };
  addEventListener("hashchange", reveal);
  if (location.hash) reveal();

  // Paper cannot be opened: browsers that do not know ::details-content get it so.
  addEventListener("beforeprint", () => {
    document.querySelectorAll("details").forEach((each) => { each.open = true; });
  });
})();
