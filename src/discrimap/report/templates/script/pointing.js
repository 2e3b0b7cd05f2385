// What is told of a point, and how a point is pointed at: mouse, finger or keyboard.
const pictures = data.pictures ? { ...data.pictures, place: unpack(data.pictures.place, Int32Array) } : null;
// One picture is a window on a sheet of many, which the browser decodes when it is first shown.
function pictureOf(point) {
  const place = pictures ? pictures.place[point] : -1;
  if (place < 0) return null;
  const { columns, perSheet, side } = pictures;
  const sheet = Math.floor(place / perSheet), within = place % perSheet;
  const nRows = Math.ceil(Math.min(perSheet, pictures.n - sheet * perSheet) / columns);
  const shownSide = side * Math.max(1, Math.floor(128 / side));
  const box = element("div");
  box.className = "picture";
  box.setAttribute("role", "img");
  box.setAttribute("aria-label", `picture of row ${rows[point]}`);
  Object.assign(box.style, {
    width: `${shownSide}px`, height: `${shownSide}px`,
    backgroundImage: `url("data:image/jpeg;base64,${pictures.sheets[sheet]}")`,
    backgroundSize: `${columns * shownSide}px ${nRows * shownSide}px`,
    backgroundPosition: `${-shownSide * (within % columns)}px ${-shownSide * Math.floor(within / columns)}px`,
  });
  return box;
}
const nameOf = (point) => (data.ids ? `Row ${rows[point]} · ${data.ids[point]}` : `Row ${rows[point]}`);
function describe(point) {
  const box = element("div");
  box.className = "point";
  element("h4", `${nameOf(point)} · ${labelOf(point)}${parts.length > 1 ? ` · ${whatOf(point)}` : ""}`, box);
  const picture = pictureOf(point);
  if (picture) box.append(picture);
  if (data.texts && data.texts[point]) element("p", data.texts[point], box).className = "words";
  const list = element("dl", undefined, box);
  const m = data.valueNames.length;
  data.valueNames.forEach((name, i) => {
    element("dt", name, list).title = name;
    const value = values[point * m + i];
    element("dd", Number.isNaN(value) ? "missing" : digits.format(value), list);
  });
  const around = element("div", undefined, box);
  const near = nearest(point);
  element("p", near.length ? "Nearest training points:" : "No training point is near.", around).className = "soft";
  const order = element("ol", undefined, around);
  for (const other of near) element("li", `row ${rows[other]} · ${labelOf(other)}`, order);
  return box;
}

const tip = $("tip"), pinned = $("pinned");
function placeTip(point, x, y) {
  tip.replaceChildren(describe(point));
  tip.dataset.row = rows[point];
  tip.hidden = false;
  const box = tip.getBoundingClientRect();
  tip.style.left = `${Math.max(8, x + 16 + box.width > innerWidth ? x - 16 - box.width : x + 16)}px`;
  tip.style.top = `${Math.max(8, Math.min(y + 12, innerHeight - box.height - 8))}px`;
}
function pin(point) {
  state.pinned = point;
  pinned.replaceChildren(describe(point));
  pinned.dataset.row = rows[point];
  const group = groupOf(point);
  if (!shown[group]) toggle(group, true);
  drawRings();
  for (const row of document.querySelectorAll("tr[data-row]")) row.classList.toggle("chosen", Number(row.dataset.row) === rows[point]);
}
function showInMap(point) {
  pin(point);
  $("maps").scrollIntoView({ block: "start" });
  pinned.focus({ preventScroll: true });
}

function listen(part) {
  const pointOf = (hit) => (hit && hit.curveNumber < nGroups ? part.drawn[drawOrder[hit.curveNumber]][hit.pointNumber] : undefined);
  part.div.on("plotly_hover", (event) => {
    const point = pointOf(event.points?.[0]);
    if (point === undefined) return;
    const mouse = event.event || {};
    const box = part.div.getBoundingClientRect();
    placeTip(point, mouse.clientX ?? box.left + box.width / 2, mouse.clientY ?? box.top + box.height / 2);
  });
  part.div.on("plotly_doubleclick", showAll);
  part.div.on("plotly_unhover", () => { tip.hidden = true; });
  part.div.on("plotly_click", (event) => { const point = pointOf(event.points?.[0]); if (point !== undefined) pin(point); });
  part.div.on("plotly_selected", (event) => {
    if (!event || !gesture) return; // plotly answers each of its own redrawings in the same way
    const { addsToSelection } = gesture;
    gesture = null;
    tip.hidden = true;
    const points = event.points.map(pointOf).filter((point) => point !== undefined);
    setTimeout(() => takeFromMap(points, addsToSelection)); // after plotly has drawn its outline
  });
  part.div.on("plotly_relayouting", (change) => followWindow(part, change));
  // The two maps are one window: what moves one moves the other.
  part.div.on("plotly_relayout", (change) => {
    const keys = Object.keys(change).filter((key) => /^(xaxis|yaxis)\.|^scene\.camera/.test(key));
    if (!keys.length) return;
    if (!has3d()) state.window = { x: [...part.div.layout.xaxis.range], y: [...part.div.layout.yaxis.range] };
    followWindow(part, {});
    const other = parts.find((one) => one !== part)?.div;
    const sameAlready = !other || keys.every((key) => {
      const value = key.replace(/\[(\d)\]/g, ".$1").split(".").reduce((inner, name) => (inner === undefined ? inner : inner[name]), other.layout);
      return JSON.stringify(value) === JSON.stringify(change[key]);
    });
    if (!sameAlready) Plotly.relayout(other, Object.fromEntries(keys.map((key) => [key, change[key]])));
  });
}
// Arrow keys walk from point to point, the same as hover and click; the space bar selects the point.
function listenToKeys(part) {
  part.div.addEventListener("keydown", (event) => {
    if (event.key === " " && inPart(part, state.pinned)) {
      event.preventDefault();
      takeOrLeave(state.pinned);
      return;
    }
    const step = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] }[event.key];
    if (!step || has3d()) return;
    event.preventDefault();
    const visible = part.drawn.flatMap((points, group) => (isVisible(group) ? points : []));
    if (!visible.length) return;
    let next = inPart(part, state.pinned) ? -1 : visible[0];
    if (next < 0) {
      const [xr, yr] = [part.div.layout.xaxis.range, part.div.layout.yaxis.range];
      let least = Infinity;
      for (const other of visible) {
        const dx = (coordinate(other, "x") - coordinate(state.pinned, "x")) / (xr[1] - xr[0]);
        const dy = (coordinate(other, "y") - coordinate(state.pinned, "y")) / (yr[1] - yr[0]);
        const along = dx * step[0] + dy * step[1], aside = Math.abs(dx * step[1]) + Math.abs(dy * step[0]);
        if (along > 0 && aside <= along && along + aside < least) { least = along + aside; next = other; }
      }
    }
    if (next >= 0) pin(next);
  });
}
