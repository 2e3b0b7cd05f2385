"use strict";
// Maps, tables and theme of the report. Text from the data reaches the page by textContent only.
(() => {
  const $ = (id) => document.getElementById(id);
  const root = document.documentElement;

  // ---- theme ---------------------------------------------------------------------------------
  const themeButton = $("theme");
  const nameTheme = () => {
    const other = root.dataset.theme === "dark" ? "light" : "dark";
    themeButton.textContent = other === "dark" ? "Dark" : "Light";
    themeButton.setAttribute("aria-label", `Change to ${other} colours`);
  };
  themeButton.addEventListener("click", () => {
    root.dataset.theme = root.dataset.theme === "dark" ? "light" : "dark";
    root.dataset.chosen = "yes";
    dispatchEvent(new Event("theme"));
  });
  addEventListener("theme", nameTheme);
  nameTheme();

  // ---- tables that sort ----------------------------------------------------------------------
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

  for (const button of document.querySelectorAll("button.copy")) {
    button.addEventListener("click", async () => {
      await navigator.clipboard.writeText($(button.dataset.from).textContent);
      button.textContent = "Copied";
    });
  }

  // ---- maps ----------------------------------------------------------------------------------
  const source = $("map-data");
  if (!source) return;
  const data = JSON.parse(source.textContent);
  const unpack = (text, Type) => {
    const bytes = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
    return new Type(bytes.buffer); // little-endian, as every browser's machine is
  };
  const continuous = data.classes.length === 0;
  const rows = unpack(data.rows, Uint32Array);
  const labels = unpack(data.labels, continuous ? Float32Array : Int32Array);
  const values = unpack(data.values, Float32Array);
  const n = rows.length, nTraining = data.nTraining;
  const methods = data.methods.map((method) => ({ ...method, where: unpack(method.coordinates, Float32Array) }));
  const pointOfRow = new Map(Array.from(rows, (row, point) => [row, point]));
  const isLabelled = (point) => (continuous ? !Number.isNaN(labels[point]) : labels[point] >= 0);
  const digits = new Intl.NumberFormat("en", { maximumSignificantDigits: 4 });
  const labelOf = (point) => !isLabelled(point) ? "unlabelled" : continuous ? digits.format(labels[point]) : data.classes[labels[point]].name;

  const parts = [
    { id: "map-training", from: 0, to: nTraining, what: "training point" },
    { id: "map-held-out", from: nTraining, to: n, what: "held-out point" },
  ];
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
  const drawOrder = [...shown.keys()].sort((a, b) => sizeOf(b) - sizeOf(a) || a - b);

  const state = { method: methods[0], x: 0, y: methods[0].nComponents > 1 ? 1 : 0, z: Math.min(2, methods[0].nComponents - 1), space: false, drag: "pan", pinned: -1 };
  const has3d = () => state.space && state.method.nComponents >= 3;
  const canDrawFast = (() => {
    try { return Boolean(document.createElement("canvas").getContext("webgl")); } catch { return false; }
  })();
  // Few points are sharper as vectors; many need the graphics card.
  const flatType = n > 3000 && canDrawFast ? "scattergl" : "scatter";
  const size = n > 50000 ? 3 : n > 5000 ? 4 : n > 800 ? 6 : 8;

  const at = (point, component) => state.method.where[point * state.method.nComponents + component];
  // One component has no second axis: classes get a row each, and points some height to be told apart.
  const scatterHeight = (point) => {
    const noise = ((rows[point] * 2654435761) >>> 0) / 4294967296 - 0.5;
    return (continuous ? 0 : groupOf(point)) + 0.6 * noise;
  };
  const coordinate = (point, axis) => (axis === "y" && state.method.nComponents === 1 ? scatterHeight(point) : at(point, state[axis]));
  const isPlaced = (point) => !Number.isNaN(at(point, 0)); // some methods are fitted to fewer rows

  const css = (name) => getComputedStyle(root).getPropertyValue(name).trim();
  const colorOf = (style) => (root.dataset.theme === "dark" ? style.dark : style.color);

  function tracesOf(part) {
    const space = has3d();
    const traces = drawOrder.map((group) => {
      const points = (part.drawn[group] = part.groups[group].filter(isPlaced));
      const style = group < data.classes.length ? data.classes[group] : null;
      const marker = { size: space ? Math.max(2, size * 0.6) : size, opacity: n > 20000 ? 0.55 : 0.85, symbol: style ? (space ? style.symbol3d : style.symbol) : "circle" };
      if (style) marker.color = colorOf(style);
      else if (continuous && group === 0) Object.assign(marker, { color: Float32Array.from(points, (p) => labels[p]), colorscale: "Cividis", cmin: data.range[0], cmax: data.range[1], showscale: false });
      else marker.color = data.unlabelled;
      const outline = !space && n <= 5000;
      if (outline) marker.line = { width: 0.6, color: css("--paper") };
      return {
        type: space ? "scatter3d" : flatType, mode: "markers", hoverinfo: "none", showlegend: false,
        name: style ? `class ${group}` : "unlabelled", visible: shown[group],
        x: Float32Array.from(points, (p) => coordinate(p, "x")),
        y: Float32Array.from(points, (p) => coordinate(p, "y")),
        ...(space ? { z: Float32Array.from(points, (p) => coordinate(p, "z")) } : {}),
        marker,
      };
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
  function layoutOf() {
    const line = css("--line"), soft = css("--soft");
    const one = state.method.nComponents === 1;
    const axis = (component, key) => ({
      title: { text: one && key === "y" ? "" : `component ${component + 1}`, font: { size: 12 }, standoff: 6 },
      range: rangeOf(key), gridcolor: line, zeroline: false, linecolor: line, tickfont: { size: 11 }, color: soft,
      ...(one && key === "y" ? { showticklabels: false, showgrid: false } : {}),
    });
    const common = {
      paper_bgcolor: "rgba(0,0,0,0)", plot_bgcolor: "rgba(0,0,0,0)", hovermode: "closest", hoverdistance: 14,
      font: { family: "system-ui, sans-serif", color: soft }, dragmode: state.drag, showlegend: false,
      uirevision: [state.method.name, state.x, state.y, state.z, state.space].join(), // keep the view otherwise
    };
    if (has3d()) return { ...common, dragmode: "orbit", margin: { l: 0, r: 0, t: 0, b: 0 }, scene: { xaxis: axis(state.x, "x"), yaxis: axis(state.y, "y"), zaxis: axis(state.z, "z") } };
    return { ...common, margin: { l: 48, r: 10, t: 10, b: 42 }, xaxis: axis(state.x, "x"), yaxis: axis(state.y, "y") };
  }
  const config = { displaylogo: false, responsive: true, scrollZoom: false, doubleClick: "reset", displayModeBar: false };

  let drawing = Promise.resolve();
  function draw() {
    drawing = drawing.then(() => Promise.all(parts.map((part) => {
      part.drawn = [];
      const traces = tracesOf(part);
      // A method that had time for fewer rows places fewer points.
      $(`n-${part.id}`).textContent = part.drawn.reduce((sum, points) => sum + points.length, 0).toLocaleString("en");
      return Plotly.react(part.div, traces, layoutOf(), config);
    })));
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

  // ---- neighbours ----------------------------------------------------------------------------
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

  const element = (tag, text, parent) => {
    const made = document.createElement(tag);
    if (text !== undefined) made.textContent = text;
    if (parent) parent.append(made);
    return made;
  };
  function describe(point) {
    const box = element("div");
    box.className = "point";
    const what = point < nTraining ? "training" : "held out";
    element("h4", `Row ${rows[point]} · ${labelOf(point)} · ${what}`, box);
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

  // ---- pointing at points --------------------------------------------------------------------
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
  function listen(part) {
    const pointOf = (event) => {
      const hit = event.points && event.points[0];
      return hit && hit.curveNumber < nGroups ? part.drawn[drawOrder[hit.curveNumber]][hit.pointNumber] : undefined;
    };
    part.div.on("plotly_hover", (event) => {
      const point = pointOf(event);
      if (point === undefined) return;
      const mouse = event.event || {};
      const box = part.div.getBoundingClientRect();
      placeTip(point, mouse.clientX ?? box.left + box.width / 2, mouse.clientY ?? box.top + box.height / 2);
    });
    part.div.on("plotly_unhover", () => { tip.hidden = true; });
    part.div.on("plotly_click", (event) => { const point = pointOf(event); if (point !== undefined) pin(point); });
    // The two maps are one window: what moves one moves the other.
    part.div.on("plotly_relayout", (change) => {
      const keys = Object.keys(change).filter((key) => /^(xaxis|yaxis)\.|^scene\.camera/.test(key));
      if (!keys.length || change.fromOther) return;
      const other = parts.find((one) => one !== part).div;
      const sameAlready = keys.every((key) => {
        const value = key.replace(/\[(\d)\]/g, ".$1").split(".").reduce((inner, name) => (inner === undefined ? inner : inner[name]), other.layout);
        return JSON.stringify(value) === JSON.stringify(change[key]);
      });
      if (!sameAlready) Plotly.relayout(other, Object.fromEntries(keys.map((key) => [key, change[key]])));
    });
    // Arrow keys walk from point to point, Enter keeps the point: the same as hover and click.
    part.div.addEventListener("keydown", (event) => {
      const step = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] }[event.key];
      if (!step || has3d()) return;
      event.preventDefault();
      const visible = part.drawn.flatMap((points, group) => (shown[group] ? points : []));
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

  // ---- controls ------------------------------------------------------------------------------
  const legend = [...document.querySelectorAll("#legend button[data-group]")];
  function toggle(group, on) {
    shown[group] = on;
    const button = legend.find((one) => Number(one.dataset.group) === group);
    if (button) button.setAttribute("aria-pressed", String(on));
    for (const part of parts) Plotly.restyle(part.div, { visible: on }, [drawOrder.indexOf(group)]);
  }
  function showOnly(test) {
    for (let group = 0; group < nGroups; group++) shown[group] = test(group);
    legend.forEach((one) => one.setAttribute("aria-pressed", String(shown[one.dataset.group])));
    for (const part of parts) Plotly.restyle(part.div, { visible: drawOrder.map((group) => shown[group]) }, [...shown.keys()]);
  }
  for (const button of legend) {
    const group = Number(button.dataset.group);
    button.addEventListener("click", (event) => (event.shiftKey ? showOnly((other) => other === group) : toggle(group, !shown[group])));
  }
  $("show-all")?.addEventListener("click", () => showOnly(() => true));
  $("show-none")?.addEventListener("click", () => showOnly(() => false));

  const selects = { x: $("axis-x"), y: $("axis-y"), z: $("axis-z") };
  function offerComponents() {
    const d = state.method.nComponents;
    for (const [key, select] of Object.entries(selects)) {
      select.replaceChildren(...Array.from({ length: d }, (_, i) => new Option(`component ${i + 1}`, i)));
      state[key] = Math.min(state[key], d - 1);
      select.value = state[key];
      select.disabled = d === 1;
    }
    $("space").disabled = d < 3;
    $("space-label").hidden = d < 3;
    $("axis-z-label").hidden = !has3d();
  }
  for (const [key, select] of Object.entries(selects)) select.addEventListener("change", () => { state[key] = Number(select.value); draw(); });
  $("method").addEventListener("change", (event) => {
    state.method = methods[event.target.selectedIndex];
    state.x = 0; state.y = Math.min(1, state.method.nComponents - 1); state.z = Math.min(2, state.method.nComponents - 1);
    offerComponents();
    draw().then(() => { if (state.pinned >= 0) pin(state.pinned); });
  });
  $("space").addEventListener("change", (event) => { state.space = event.target.checked; offerComponents(); redrawFromNothing(); });
  $("drag").addEventListener("change", (event) => { state.drag = event.target.value; for (const part of parts) Plotly.relayout(part.div, { dragmode: state.drag }); });
  $("reset").addEventListener("click", () => {
    if (has3d()) return redrawFromNothing();
    const change = { "xaxis.range": rangeOf("x"), "yaxis.range": rangeOf("y") };
    for (const part of parts) Plotly.relayout(part.div, change);
  });
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

  for (const button of document.querySelectorAll("button.show")) {
    const point = pointOfRow.get(Number(button.dataset.row));
    if (point === undefined) { button.disabled = true; button.title = "not among the points drawn"; continue; }
    button.addEventListener("click", () => {
      pin(point);
      $("maps").scrollIntoView({ block: "start" });
      pinned.focus({ preventScroll: true });
    });
  }

  addEventListener("theme", () => draw());
  addEventListener("keydown", (event) => { if (event.key === "Escape") tip.hidden = true; });
  offerComponents();
  draw().then(() => { parts.forEach(listen); root.dataset.ready = "yes"; });
})();
