// The legend and the controls above the maps.
const legend = [...document.querySelectorAll("#legend button[data-group]")];
function toggle(group, on) {
  shown[group] = on;
  const button = legend.find((one) => Number(one.dataset.group) === group);
  if (button) button.setAttribute("aria-pressed", String(on));
  for (const part of parts) Plotly.restyle(part.div, { visible: on }, [drawOrder.indexOf(group)]);
  placeNames();
}
function showOnly(test) {
  for (let group = 0; group < nGroups; group++) shown[group] = test(group);
  legend.forEach((one) => one.setAttribute("aria-pressed", String(shown[one.dataset.group])));
  for (const part of parts) Plotly.restyle(part.div, { visible: drawOrder.map((group) => shown[group]) }, [...shown.keys()]);
  placeNames();
}
for (const button of legend) {
  const group = Number(button.dataset.group);
  button.addEventListener("click", (event) => (event.shiftKey ? showOnly((other) => other === group) : toggle(group, !shown[group])));
}
$("show-all")?.addEventListener("click", () => showOnly(() => true));
$("show-none")?.addEventListener("click", () => showOnly(() => false));

// The search box leaves the classes in the legend whose names hold its text, and highlights the only one.
const search = $("find-class"), found = $("found-classes");
function highlight(group) {
  if (group === state.highlight) return;
  state.highlight = group;
  if (group >= 0) shown[group] = true;
  legend.forEach((one) => {
    const isIt = Number(one.dataset.group) === group;
    one.classList.toggle("highlighted", isIt);
    if (isIt) one.setAttribute("aria-pressed", "true");
  });
  draw();
}
search?.addEventListener("input", () => {
  const wanted = search.value.trim().toLowerCase();
  const name = (button) => data.classes[button.dataset.group]?.name.toLowerCase() ?? "without a label";
  const matches = legend.filter((button) => name(button).includes(wanted));
  legend.forEach((button) => { button.hidden = !matches.includes(button); });
  const exactly = legend.filter((button) => name(button) === wanted);
  const one = wanted && (exactly.length === 1 ? exactly[0] : matches.length === 1 ? matches[0] : null);
  highlight(one ? Number(one.dataset.group) : -1);
  found.textContent = !wanted ? "" : one ? "highlighted" : counted(matches.length, "match").replace("matchs", "matches");
});

const selects = { x: $("axis-x"), y: $("axis-y"), z: $("axis-z") };
function offerComponents() {
  const d = state.method.nComponents;
  for (const [key, select] of Object.entries(selects)) {
    select.replaceChildren(...Array.from({ length: d }, (_, i) => new Option(`component ${i + 1}`, i)));
    state[key] = Math.min(state[key], d - 1);
    select.value = state[key];
    select.disabled = d === 1;
  }
  $("axis-y-label").hidden = d === 1;
  $("one-component").hidden = d > 1;
  $("space").disabled = d < 3;
  $("space-label").hidden = d < 3;
  $("axis-z-label").hidden = !has3d();
  $("drag").disabled = $("take-view").disabled = has3d();
}
for (const [key, select] of Object.entries(selects)) select.addEventListener("change", () => { state[key] = Number(select.value); state.window = null; draw(); });
function setMethod(method) {
  state.method = method;
  state.window = null;
  state.x = 0; state.y = Math.min(1, method.nComponents - 1); state.z = Math.min(2, method.nComponents - 1);
  offerComponents();
}
methodListeners.push((name) => {
  const method = methods.find((one) => one.name === name);
  if (!method || method === state.method) return;
  const had3d = has3d();
  setMethod(method);
  (had3d === has3d() ? draw() : redrawFromNothing()).then(() => { if (state.pinned >= 0) pin(state.pinned); });
});
$("space").addEventListener("change", (event) => { state.space = event.target.checked; offerComponents(); redrawFromNothing(); });
$("drag").addEventListener("change", (event) => { state.drag = event.target.value; for (const part of parts) Plotly.relayout(part.div, { dragmode: state.drag }); });
function showAll() {
  if (has3d()) return redrawFromNothing();
  const change = { "xaxis.range": rangeOf("x"), "yaxis.range": rangeOf("y") };
  return Promise.all(parts.map((part) => Plotly.relayout(part.div, change)));
}
$("reset").addEventListener("click", showAll);
function zoom(factor) {
  const { xaxis, yaxis } = parts[0].div.layout;
  const grow = ([a, b]) => [(a + b) / 2 - (factor * (b - a)) / 2, (a + b) / 2 + (factor * (b - a)) / 2];
  if (!has3d()) Plotly.relayout(parts[0].div, { "xaxis.range": grow(xaxis.range), "yaxis.range": grow(yaxis.range) });
}
$("zoom-in").addEventListener("click", () => zoom(0.6));
$("zoom-out").addEventListener("click", () => zoom(1 / 0.6));
// From plane to space the layout changes its kind: start anew.
function redrawFromNothing() {
  parts.forEach((part) => Plotly.purge(part.div));
  return draw().then(() => parts.forEach(listen));
}

for (const button of document.querySelectorAll("td > button.show")) {
  const point = pointOfRow.get(Number(button.dataset.row));
  if (point === undefined) { button.disabled = true; button.title = "this point is not drawn"; continue; }
  button.addEventListener("click", () => showInMap(point));
}
for (const button of document.querySelectorAll("button.take-table")) {
  const points = () => [...$(button.dataset.table).tBodies[0].rows].map((row) => pointOfRow.get(Number(row.dataset.row))).filter((point) => point !== undefined);
  button.addEventListener("click", () => { select(points()); selection.scrollIntoView({ block: "center" }); selection.focus({ preventScroll: true }); });
}

addEventListener("theme", () => draw());
addEventListener("keydown", (event) => { if (event.key === "Escape") tip.hidden = true; });
setMethod(methods[0]);
draw().then(() => { parts.forEach(listen); parts.forEach(listenToKeys); root.dataset.ready = "yes"; });
