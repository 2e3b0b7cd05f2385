// The points of the page and the maps that show them.
const data = JSON.parse($("map-data").textContent);
const unpack = (text, Type) => {
  const bytes = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
  return new Type(bytes.buffer); // little-endian, as every browser's machine is
};
const continuous = data.classes.length === 0;
const rows = unpack(data.rows, Uint32Array);
const LabelArray = continuous ? Float32Array : Int32Array;
const labels = unpack(data.labels, LabelArray);
const suggested = data.suggested ? unpack(data.suggested, LabelArray) : null;
const values = unpack(data.values, Float32Array);
const n = rows.length, nTraining = data.nTraining;
const methods = data.methods.map((method) => ({ ...method, where: unpack(method.coordinates, Float32Array) }));
const pointOfRow = new Map(Array.from(rows, (row, point) => [row, point]));
const isLabel = (label) => (continuous ? !Number.isNaN(label) : label >= 0);
const isLabelled = (point) => isLabel(labels[point]);
const digits = new Intl.NumberFormat("en", { maximumSignificantDigits: 4 });
const nameOfLabel = (label) => (continuous ? digits.format(label) : data.classes[label].name);
const labelOf = (point) => (isLabelled(point) ? nameOfLabel(labels[point]) : "unlabelled");
const whatOf = (point) => (point < nTraining ? "training" : "held out");

const parts = [
  { id: "map-training", from: 0, to: nTraining },
  { id: "map-held-out", from: nTraining, to: n },
].filter((part) => $(part.id));
// One group per class, and one for what has no label; a continuous target has one group.
const nGroups = (continuous ? 1 : data.classes.length) + 1;
const groupOf = (point) => (isLabelled(point) ? (continuous ? 0 : labels[point]) : nGroups - 1);
for (const part of parts) {
  part.div = $(part.id);
  part.groups = Array.from({ length: nGroups }, () => []);
  for (let point = part.from; point < part.to; point++) part.groups[groupOf(point)].push(point);
}
const shown = new Array(nGroups).fill(true);
// Large classes are drawn first, so that small ones lie above them; points without a label lie below all.
const sizeOf = (group) => (group === nGroups - 1 ? Infinity : parts.reduce((sum, part) => sum + part.groups[group].length, 0));
const bySize = [...shown.keys()].sort((a, b) => sizeOf(b) - sizeOf(a) || a - b);
let drawOrder = bySize; // as it was drawn last: a class that is highlighted lies above all

const state = {
  method: methods[0], x: 0, y: 0, z: 0, space: false, drag: "pan", pinned: -1,
  window: null, // ranges of both axes, where they are not those of the whole map
  highlight: -1, // a group, or -1
  selected: new Set(), // points
};
const has3d = () => state.space && state.method.nComponents >= 3;
const canDrawFast = (() => {
  try { return Boolean(document.createElement("canvas").getContext("webgl")); } catch { return false; }
})();
// Few points are sharper as vectors; many need the graphics card.
const flatType = n > 3000 && canDrawFast ? "scattergl" : "scatter";
const size = n > 50000 ? 3 : n > 5000 ? 4 : n > 800 ? 6 : 8;
const FAINT = 0.12; // opacity of points that are neither selected nor of the class that is highlighted

const at = (point, component) => state.method.where[point * state.method.nComponents + component];
// One component has no second axis: classes get a row each, and points some height to be told apart.
const scatterHeight = (point) => {
  const noise = ((rows[point] * 2654435761) >>> 0) / 4294967296 - 0.5;
  return (continuous ? 0 : groupOf(point)) + 0.6 * noise;
};
const coordinate = (point, axis) => (axis === "y" && state.method.nComponents === 1 ? scatterHeight(point) : at(point, state[axis]));
const isPlaced = (point) => !Number.isNaN(at(point, 0)); // some methods are fitted to fewer rows
const isVisible = (group) => shown[group] && (state.highlight < 0 || state.highlight === group);

const css = (name) => getComputedStyle(root).getPropertyValue(name).trim();
const colorOf = (style) => (root.dataset.theme === "dark" ? style.dark : style.color);

// The dark end of Cividis is hardly visible on a dark page.
const ON_DARK = [[0, "#4a86d8"], [0.25, "#7f97b8"], [0.5, "#a3a196"], [0.75, "#cab969"], [1, "#ffe945"]];
function markerOf(group, points) {
  const space = has3d();
  const style = group < data.classes.length ? data.classes[group] : null;
  const usual = n > 20000 ? 0.55 : 0.85;
  const marker = {
    size: space ? Math.max(2, size * 0.6) : size,
    opacity: state.highlight >= 0 && state.highlight !== group ? FAINT : usual,
    symbol: style ? (space ? style.symbol3d : style.symbol) : "circle",
  };
  if (style) marker.color = colorOf(style);
  else if (continuous && group === 0) Object.assign(marker, { color: Float32Array.from(points, (p) => labels[p]), colorscale: root.dataset.theme === "dark" ? ON_DARK : "Cividis", cmin: data.range[0], cmax: data.range[1], showscale: false });
  else marker.color = data.unlabelled;
  if (!space && n <= 5000) marker.line = { width: 0.6, color: css("--paper") };
  return marker;
}
function tracesOf(part) {
  const space = has3d();
  drawOrder = state.highlight < 0 ? bySize : [...bySize.filter((group) => group !== state.highlight), state.highlight];
  const traces = drawOrder.map((group) => {
    const points = (part.drawn[group] = part.groups[group].filter(isPlaced));
    const trace = {
      type: space ? "scatter3d" : flatType, mode: "markers", hoverinfo: "none", showlegend: false,
      name: group < data.classes.length ? `class ${group}` : "unlabelled", visible: shown[group],
      x: Float32Array.from(points, (p) => coordinate(p, "x")),
      y: Float32Array.from(points, (p) => coordinate(p, "y")),
      ...(space ? { z: Float32Array.from(points, (p) => coordinate(p, "z")) } : {}),
      marker: markerOf(group, points),
    };
    if (!space && state.selected.size) {
      trace.selectedpoints = points.flatMap((p, place) => (state.selected.has(p) ? [place] : []));
      trace.selected = { marker: { opacity: 1 } };
      trace.unselected = { marker: { opacity: FAINT } };
    }
    return trace;
  });
  traces.push(ringOf(part, neighborsToRing(part), 1.5, size + 7, css("--soft")));
  traces.push(ringOf(part, inPart(part, state.pinned) ? [state.pinned] : [], 3, size + 12, css("--ring")));
  return traces;
}
const inPart = (part, point) => point >= part.from && point < part.to && isPlaced(point);
const neighborsToRing = (part) => (state.pinned < 0 ? [] : nearest(state.pinned).filter((p) => inPart(part, p)));
function ringOf(part, points, width, ringSize, color) {
  const space = has3d();
  return {
    type: space ? "scatter3d" : "scatter", mode: "markers", hoverinfo: "skip", showlegend: false, name: "ring",
    x: points.map((p) => coordinate(p, "x")), y: points.map((p) => coordinate(p, "y")),
    ...(space ? { z: points.map((p) => coordinate(p, "z")) } : {}),
    marker: { symbol: "circle-open", size: ringSize, color, line: { width, color } },
  };
}

function rangeOf(axis) {
  let low = Infinity, high = -Infinity;
  for (let p = 0; p < n; p++) {
    const value = coordinate(p, axis);
    if (value < low) low = value;
    if (value > high) high = value;
  }
  const room = 0.05 * (high - low || 1);
  return [low - room, high + room];
}
const MARGIN = { l: 48, r: 10, t: 10, b: 42 };
let nDrawings = 0;
function layoutOf() {
  const line = css("--line"), soft = css("--soft");
  const one = state.method.nComponents === 1;
  const axis = (component, key) => ({
    title: { text: one && key === "y" ? "" : `component ${component + 1}`, font: { size: 12 }, standoff: 6 },
    range: state.window?.[key] ?? rangeOf(key), gridcolor: line, zeroline: false, linecolor: line, tickfont: { size: 11 }, color: soft,
    ...(one && key === "y" ? { showticklabels: false, showgrid: false } : {}),
  });
  const common = {
    paper_bgcolor: "rgba(0,0,0,0)", plot_bgcolor: "rgba(0,0,0,0)", hovermode: "closest", hoverdistance: 14,
    font: { family: "system-ui, sans-serif", color: soft }, dragmode: state.drag, showlegend: false,
    uirevision: [state.method.name, state.x, state.y, state.z, state.space].join(), // keep the camera otherwise
    selectionrevision: nDrawings++, // what is selected is in the state, not in plotly
    newselection: { line: { color: css("--ring"), width: 1.5, dash: "dot" } },
  };
  if (has3d()) return { ...common, dragmode: "orbit", margin: { l: 0, r: 0, t: 0, b: 0 }, scene: { xaxis: axis(state.x, "x"), yaxis: axis(state.y, "y"), zaxis: axis(state.z, "z") } };
  return { ...common, margin: MARGIN, xaxis: axis(state.x, "x"), yaxis: axis(state.y, "y") };
}
const config = { displaylogo: false, responsive: true, scrollZoom: false, doubleClick: false, displayModeBar: false };

// plotly is packed in the page; the policy of the page allows its script by its hash.
async function unpackPlotly() {
  if (typeof DecompressionStream === "undefined") {
    for (const part of parts) element("p", "This browser cannot decompress the maps; use a browser from 2023 or later.", part.div).className = "nomap";
    throw new Error("no DecompressionStream");
  }
  const packed = unpack($("plotly").textContent, Uint8Array);
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"));
  const script = element("script");
  script.textContent = await new Response(stream).text();
  document.head.append(script);
}
let drawing = unpackPlotly();
function draw() {
  drawing = drawing.then(() => Promise.all(parts.map((part) => {
    part.drawn = [];
    const traces = tracesOf(part);
    // A method that had time for fewer rows places fewer points.
    $(`n-${part.id}`).textContent = part.drawn.reduce((sum, points) => sum + points.length, 0).toLocaleString("en");
    return Plotly.react(part.div, traces, layoutOf(), config);
  }))).then(placeNames);
  return drawing;
}
function drawRings() {
  for (const part of parts) {
    const traces = tracesOf(part).slice(-2);
    const update = { x: traces.map((t) => t.x), y: traces.map((t) => t.y) };
    if (has3d()) update.z = traces.map((t) => t.z);
    Plotly.restyle(part.div, update, [nGroups, nGroups + 1]);
  }
}

// The nearest training points in all components of the map: the ones that vote.
function nearest(point) {
  const d = state.method.nComponents, where = state.method.where, k = data.nNeighbors;
  const best = [], distance = [];
  for (let other = 0; other < nTraining; other++) {
    if (other === point || !isLabelled(other)) continue;
    let sum = 0;
    for (let c = 0; c < d; c++) { const gap = where[point * d + c] - where[other * d + c]; sum += gap * gap; }
    if (Number.isNaN(sum) || (best.length === k && sum >= distance[k - 1])) continue;
    let place = best.length;
    while (place > 0 && distance[place - 1] > sum) place--;
    best.splice(place, 0, other); distance.splice(place, 0, sum);
    if (best.length > k) { best.pop(); distance.pop(); }
  }
  return best;
}
