// Points taken from the maps: counted by class, listed, and saved as CSV.
const MOST_LISTED = 200;
const selection = $("selection");

const exact = (label) => (!isLabel(label) ? "" : continuous ? String(Number(label.toPrecision(7))) : data.classes[label].name);
const suggestionOf = (point) => (suggested ? exact(suggested[point]) : "");
const csvLine = (point) => [rows[point], ...(data.ids ? [data.ids[point]] : []), exact(labels[point]), suggestionOf(point)];
const savePoints = (name, points) => saveCsv(name, [csvHeader(Boolean(data.ids)), ...points.map(csvLine)]);

// Fill a box with what is known of some points, and with buttons to take them along.
function listPoints(box, words, points, name, extraButtons = []) {
  box.replaceChildren();
  element("strong", words, element("p", undefined, box));
  $("announcer").textContent = words; // the table would be too long to be read aloud
  if (!points.length) return;
  if (!continuous) {
    const counts = new Map();
    for (const point of points) counts.set(labelOf(point), (counts.get(labelOf(point)) ?? 0) + 1);
    const list = element("ul", undefined, box);
    list.className = "counts";
    for (const [label, count] of [...counts].sort((a, b) => b[1] - a[1])) {
      const item = element("li", label, list);
      element("span", ` ${count.toLocaleString("en")}`, item).className = "soft";
    }
  }
  const buttons = element("p", undefined, box);
  buttons.className = "buttons";
  makeButton("Save as CSV", buttons, () => savePoints(name, points)).className = "save";
  for (const [text, action] of extraButtons) makeButton(text, buttons, action);
  box.append(tableOf(points));
  if (points.length > MOST_LISTED) element("p", `The first ${MOST_LISTED} are listed; the file contains all.`, box).className = "soft small";
}
function tableOf(points) {
  const frame = element("div");
  frame.className = "scroll tall";
  frame.tabIndex = 0;
  frame.setAttribute("role", "region");
  frame.setAttribute("aria-label", "Selected points");
  const table = element("table", undefined, frame);
  const heads = ["row", ...(data.ids ? [data.idName || "id"] : []), "label", ...(suggested ? ["suggested"] : []), "part"];
  const top = element("tr", undefined, element("thead", undefined, table));
  heads.forEach((words, i) => { const head = element("th", words, top); head.scope = "col"; if (i) head.className = "text"; });
  const body = element("tbody", undefined, table);
  for (const point of points.slice(0, MOST_LISTED)) {
    const line = element("tr", undefined, body);
    line.dataset.row = rows[point];
    const button = makeButton(rows[point], element("td", undefined, line), () => showInMap(point));
    button.className = "show";
    button.setAttribute("aria-label", `Show row ${rows[point]} in the map`);
    const cells = [...(data.ids ? [data.ids[point]] : []), labelOf(point), ...(suggested ? [suggestionOf(point)] : []), whatOf(point)];
    for (const words of cells) element("td", words, line).className = "text wrap";
  }
  return frame;
}

const ADVICE = selection.textContent;
function select(points, words) {
  state.selected = new Set(points);
  const sorted = [...state.selected].sort((a, b) => rows[a] - rows[b]);
  if (sorted.length) listPoints(selection, `${words ?? counted(sorted.length, "point")} selected`, sorted, "selection", [["Clear", () => select([])]]);
  else {
    selection.replaceChildren();
    element("span", ADVICE, selection).className = "soft";
    $("announcer").textContent = ADVICE;
  }
  return draw();
}
let gesture = null; // the drag that may end with a selection; with Shift it adds to what is selected
addEventListener("pointerdown", (event) => { gesture = { addsToSelection: event.shiftKey }; }, true);
const isTakeable = (point) => isVisible(groupOf(point));
function takeFromMap(points, addsToSelection) {
  select([...(addsToSelection ? state.selected : []), ...points.filter(isTakeable)]);
}
function takeOrLeave(point) {
  const points = new Set(state.selected);
  if (!points.delete(point)) points.add(point);
  select(points);
}
// The same as dragging a box, for the keyboard: what the window shows, after zooming and moving.
$("take-view").addEventListener("click", () => {
  const { xaxis, yaxis } = parts[0].div.layout;
  const inside = (value, [a, b]) => value >= Math.min(a, b) && value <= Math.max(a, b);
  const points = Array.from(rows.keys()).filter((p) => isPlaced(p) && isTakeable(p) && inside(coordinate(p, "x"), xaxis.range) && inside(coordinate(p, "y"), yaxis.range));
  select(points);
});
