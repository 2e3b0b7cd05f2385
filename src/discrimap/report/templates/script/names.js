// Names of the classes at their centres, above the map, as text of the page.
const namesSwitch = $("names");
for (const part of parts) {
  part.layer = element("div", undefined, part.div.parentElement);
  part.layer.className = "class-names";
  part.layer.setAttribute("aria-hidden", "true"); // the legend names the classes
}

const median = (numbers) => {
  const sorted = Float32Array.from(numbers).sort();
  return sorted[sorted.length >> 1];
};
// Where a class is, by the medians of its points, which no outlier moves.
function centreOf(part, group) {
  const points = part.drawn[group];
  return points && points.length ? [median(points.map((p) => coordinate(p, "x"))), median(points.map((p) => coordinate(p, "y")))] : null;
}

// Names that would lie upon each other are left out, those of small classes first; closer up there is room.
function placeNames() {
  for (const part of parts) {
    part.layer.replaceChildren();
    if (!namesSwitch?.checked || has3d() || continuous) continue;
    part.centres = bySize.filter((group) => group < data.classes.length).map((group) => [group, centreOf(part, group)]);
    moveNames(part, part.div.layout.xaxis.range, part.div.layout.yaxis.range);
  }
}
function moveNames(part, [left, right], [bottom, top]) {
  const width = part.div.clientWidth - MARGIN.l - MARGIN.r, height = part.div.clientHeight - MARGIN.t - MARGIN.b;
  part.layer.replaceChildren();
  const taken = [];
  const first = ([group]) => (group === state.highlight ? 0 : 1);
  for (const [group, centre] of [...part.centres].sort((a, b) => first(a) - first(b))) {
    if (!centre || !isVisible(group)) continue;
    const x = ((centre[0] - left) / (right - left)) * width, y = ((top - centre[1]) / (top - bottom)) * height;
    if (x < 0 || x > width || y < 0 || y > height) continue;
    const name = element("span", data.classes[group].name, part.layer);
    const half = Math.min(name.offsetWidth, width) / 2, tall = name.offsetHeight / 2;
    const middle = Math.max(half, Math.min(width - half, x)), level = Math.max(tall, Math.min(height - tall, y));
    const box = [middle - half, middle + half, level - tall, level + tall];
    if (taken.some((other) => box[0] < other[1] && other[0] < box[1] && box[2] < other[3] && other[2] < box[3])) { name.remove(); continue; }
    taken.push(box);
    name.style.left = `${MARGIN.l + box[0]}px`;
    name.style.top = `${MARGIN.t + box[2]}px`;
  }
}
// Names follow the window while it is dragged; plotly tells its ends in one of two forms.
function followWindow(part, change) {
  if (!namesSwitch?.checked || has3d() || continuous || !part.centres) return;
  const range = (axis) => change[`${axis}.range`] ?? [0, 1].map((end) => change[`${axis}.range[${end}]`] ?? part.div.layout[axis].range[end]);
  moveNames(part, range("xaxis"), range("yaxis"));
}
namesSwitch?.addEventListener("change", placeNames);
addEventListener("resize", () => setTimeout(placeNames, 150)); // after plotly, which waits too
