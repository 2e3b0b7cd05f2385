// One cell of the confusions: its samples, and, of many classes, a picture of all cells.
const heatmaps = [...document.querySelectorAll("canvas.heatmap")];
const classNames = $("map-data") ? data.classes.map((one) => one.name) : JSON.parse(heatmaps[0]?.dataset.names ?? "[]");
const inPanel = (node) => node.closest("[data-of-method]").dataset.ofMethod;

const cellWords = (i, j, count) => (i === j ? `${counted(count, "sample")} of ${classNames[i]} predicted correctly` : `${counted(count, "sample")} of ${classNames[i]} predicted as ${classNames[j]}`);
function listCell(methodName, i, j) {
  if (!$("map-data")) return;
  const box = $("cell-points");
  const method = methods.find((one) => one.name === methodName);
  if (!method || !method.judged) {
    box.replaceChildren();
    element("p", "The samples of this method are not in the page, which would be too large.", box);
    return;
  }
  method.judgedAs ??= unpack(method.judged, data.classes.length < 2 ** 15 ? Int16Array : Int32Array);
  const points = Array.from(rows.keys()).filter((p) => labels[p] === i && method.judgedAs[p] === j).sort((a, b) => rows[a] - rows[b]);
  listPoints(box, `${method.label}: ${cellWords(i, j, points.length)}`, points, "confusion", [
    ["Select in the maps", () => { chooseMethod(methodName); select(points); selection.scrollIntoView({ block: "center" }); selection.focus({ preventScroll: true }); }],
  ]);
}
for (const button of document.querySelectorAll("button[data-cell]")) {
  const [i, j] = button.dataset.cell.split(",").map(Number);
  button.title = cellWords(i, j, Number(button.textContent.replaceAll(",", "")));
  button.setAttribute("aria-label", button.title);
  button.addEventListener("click", () => listCell(inPanel(button), i, j));
}

for (const canvas of heatmaps) {
  const numbers = canvas.dataset.cells.split(",").map(Number);
  const nClasses = classNames.length;
  const counts = Array.from({ length: nClasses }, () => new Float64Array(nClasses));
  for (let k = 0; k < numbers.length; k += 3) counts[numbers[k]][numbers[k + 1]] = numbers[k + 2];
  const totals = counts.map((row) => row.reduce((sum, count) => sum + count, 0));
  const words = canvas.parentElement.querySelector(".heat-words");
  let side = 0, chosen = null;

  const paint = () => {
    const width = canvas.parentElement.clientWidth;
    if (!width) return; // its method is not chosen
    side = Math.max(3, Math.min(18, Math.floor(Math.min(width, 640) / nClasses)));
    const scale = devicePixelRatio || 1;
    canvas.width = canvas.height = scale * side * nClasses;
    canvas.style.width = canvas.style.height = `${side * nClasses}px`;
    const context = canvas.getContext("2d");
    const style = getComputedStyle(root), color = (name) => style.getPropertyValue(name).trim();
    context.scale(scale, scale);
    context.fillStyle = color("--wash");
    context.fillRect(0, 0, side * nClasses, side * nClasses);
    for (let i = 0; i < nClasses; i++) for (let j = 0; j < nClasses; j++) {
      if (!counts[i][j]) continue;
      context.globalAlpha = 0.4 + 0.6 * (counts[i][j] / totals[i]); // a single sample is still seen
      context.fillStyle = color(i === j ? "--accent" : "--control");
      context.fillRect(j * side, i * side, side - (side > 4 ? 1 : 0), side - (side > 4 ? 1 : 0));
    }
    context.globalAlpha = 1;
    if (!chosen) return;
    context.strokeStyle = color("--ring");
    context.lineWidth = 2;
    context.strokeRect(chosen[1] * side, chosen[0] * side, side, side);
  };
  const point = (i, j) => {
    if (chosen && chosen[0] === i && chosen[1] === j) return;
    chosen = [i, j];
    words.textContent = `${cellWords(i, j, counts[i][j])} (${totals[i] ? ((100 * counts[i][j]) / totals[i]).toFixed(1) : 0} %)`;
    paint();
  };
  const within = (place) => Math.max(0, Math.min(nClasses - 1, place));
  const cellAt = (event) => { const box = canvas.getBoundingClientRect(); return [event.clientY - box.top, event.clientX - box.left].map((x) => within(Math.floor(x / side))); };
  canvas.addEventListener("pointermove", (event) => point(...cellAt(event)));
  canvas.addEventListener("click", (event) => { point(...cellAt(event)); listCell(inPanel(canvas), ...chosen); });
  canvas.addEventListener("keydown", (event) => {
    const step = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] }[event.key];
    if (event.key === "Enter" && chosen) listCell(inPanel(canvas), ...chosen);
    if (!step) return;
    event.preventDefault();
    point(...(chosen ? chosen.map((place, axis) => within(place + step[axis])) : [0, 0]));
  });
  paint();
  addEventListener("theme", paint);
  addEventListener("resize", paint);
  methodListeners.push(paint);
}
