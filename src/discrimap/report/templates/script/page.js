// Theme, tables, files to save, and the choice of a method. Text from the data reaches the page by
// textContent only. The files of this folder are joined to one script.
const $ = (id) => document.getElementById(id);
const root = document.documentElement;
const element = (tag, text, parent) => {
  const made = document.createElement(tag);
  if (text !== undefined) made.textContent = text;
  if (parent) parent.append(made);
  return made;
};
const makeButton = (words, parent, action) => {
  const button = element("button", words, parent);
  button.type = "button";
  button.addEventListener("click", action);
  return button;
};
const counted = (number, noun) => `${number.toLocaleString("en")} ${noun}${number === 1 ? "" : "s"}`;

// ---- theme -------------------------------------------------------------------------------------
const themeButton = $("theme");
const nameTheme = () => {
  const other = root.dataset.theme === "dark" ? "light" : "dark";
  themeButton.textContent = other === "dark" ? "Dark" : "Light";
  themeButton.setAttribute("aria-label", `Change to ${other} colours`);
};
if (themeButton) {
  themeButton.addEventListener("click", () => {
    root.dataset.theme = root.dataset.theme === "dark" ? "light" : "dark";
    root.dataset.chosen = "yes";
    dispatchEvent(new Event("theme"));
  });
  addEventListener("theme", nameTheme);
  nameTheme();
}

// ---- tables that sort --------------------------------------------------------------------------
for (const table of document.querySelectorAll("table.sortable")) {
  const heads = [...table.tHead.rows[0].cells];
  heads.forEach((head, column) => {
    const button = head.querySelector("button");
    if (!button) return;
    button.addEventListener("click", () => {
      const down = head.getAttribute("aria-sort") === "ascending";
      heads.forEach((other) => other.removeAttribute("aria-sort"));
      head.setAttribute("aria-sort", down ? "descending" : "ascending");
      const body = table.tBodies[0];
      const key = (row) => (row.cells[column] ? row.cells[column].dataset.sort ?? row.cells[column].textContent.trim() : "");
      const rows = [...body.rows].map((row) => [key(row), row]);
      const numbers = rows.every(([k]) => k === "" || !Number.isNaN(Number(k)));
      rows.sort(([a], [b]) => {
        if (a === "" || b === "") return (a === "") - (b === ""); // what has no value comes last
        const order = numbers ? Number(a) - Number(b) : a.localeCompare(b);
        return down ? -order : order;
      });
      body.append(...rows.map(([, row]) => row));
    });
  });
}

// ---- files to save -----------------------------------------------------------------------------
const csvCell = (value) => {
  const text = String(value);
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
};
function saveCsv(name, lines) {
  const text = lines.map((cells) => `${cells.map(csvCell).join(",")}\n`).join("");
  const link = element("a");
  link.href = URL.createObjectURL(new Blob([text], { type: "text/csv;charset=utf-8" }));
  const title = document.title.split(" · ")[0].replace(/[^\p{L}\p{N}_]+/gu, "-").slice(0, 40);
  link.download = `${title}-${name}.csv`.replace(/-{2,}/g, "-");
  link.click();
  // The browser needs the address until it has begun to save.
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
}
const csvHeader = (hasIds) => (hasIds ? ["row", "id", "label", "suggested"] : ["row", "label", "suggested"]);
for (const button of document.querySelectorAll("button.save-table")) {
  button.addEventListener("click", () => {
    const table = $(button.dataset.table);
    const nCells = table.dataset.hasIds ? 4 : 3; // the shares or scores behind them are not saved
    const lines = [...table.tBodies[0].rows].map((row) => [...row.cells].slice(0, nCells).map((cell) => cell.dataset.value ?? cell.textContent));
    saveCsv("suspects", [csvHeader(Boolean(table.dataset.hasIds)), ...lines]);
  });
}

// ---- one method in every section ---------------------------------------------------------------
const methodListeners = [];
const methodSelects = [...document.querySelectorAll("select.method-choice")];
function chooseMethod(name) {
  for (const select of methodSelects) if ([...select.options].some((option) => option.value === name)) select.value = name;
  for (const panel of document.querySelectorAll("[data-of-method]")) {
    const isOffered = [...panel.parentElement.querySelectorAll(":scope > [data-of-method]")].some((one) => one.dataset.ofMethod === name);
    if (isOffered) panel.hidden = panel.dataset.ofMethod !== name;
  }
  for (const listener of methodListeners) listener(name);
}
for (const select of methodSelects) select.addEventListener("change", () => chooseMethod(select.value));
