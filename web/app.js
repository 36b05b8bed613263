"use strict";
// The dashboard: all assets, one asset, data quality. Text from the outside is set as text, never as markup.

const HEAT = [3, 4, 5, 6, 8, 12];  // healthy deviations from which the next colour begins
const RANGES = [["1 h", 3600], ["6 h", 21600], ["1 day", 86400], ["1 week", 604800], ["1 month", 2678400], ["1 year", 31622400]];
const URGENCY = ["unacknowledged", "returned", "acknowledged", "latched", "stale", "shelved", "out of service", "normal"];
const page = document.getElementById("page");
const assets = new Map();
let shown = null;  // what draws the page: {update(changed), close()}
let plant = { level_s: 60 };

// ---- small helpers

function make(tag, properties, ...children) {
  const element = document.createElement(tag);
  for (const [key, value] of Object.entries(properties || {})) {
    if (key === "class") element.className = value;
    else if (key === "data") Object.assign(element.dataset, value);
    else if (key.startsWith("on")) element.addEventListener(key.slice(2), value);
    else if (key in element) element[key] = value;
    else element.setAttribute(key, value);
  }
  element.append(...children.filter((child) => child !== null && child !== undefined));
  return element;
}
const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
const moment = (s) => !s ? "–" : new Date(s * 1000).toISOString().replace("T", " ").slice(0, 19) + " UTC";
const level = (value) => value === null ? "–" : value.toFixed(2);
const brief = (value) => value === null || value === undefined ? "–" : String(Number(value.toPrecision(4)));
const whole = (value) => value.toLocaleString("en");
function span(s) {
  if (!(s >= 0)) return "–";
  if (s < 90) return Math.round(s) + " s";
  if (s < 5400) return Math.round(s / 60) + " min";
  return s < 129600 ? (s / 3600).toFixed(1) + " h" : (s / 86400).toFixed(1) + " d";
}
const token = () => sessionStorage.getItem("token") || "";
async function get(path, parameters) {
  const query = parameters ? "?" + new URLSearchParams(parameters) : "";
  const answer = await fetch("api/" + path + query);
  const body = await answer.json();
  if (!answer.ok) throw Object.assign(new Error(body.error || answer.statusText), { status: answer.status });
  return body;
}
function table(head, rows) {
  return make("div", { class: "scroll" }, make("table", {},
    make("thead", {}, make("tr", {}, ...head.map((name) => make("th", {}, name)))),
    make("tbody", {}, ...rows.map((row) => make("tr", {}, ...row.map((cell) =>
      cell instanceof Node && cell.tagName === "TD" ? cell : make("td", {}, cell)))))));
}

// ---- all assets

function about(asset) {
  if (asset.sentence) return asset.sentence;
  if (asset.state === "shelved") return "shelved until " + moment(asset.shelved_until_s);
  if (asset.stale) return "no data since " + moment(asset.event_s);
  if (asset.outside_range) return "outside the learned range: it cannot be judged as usual";
  if (asset.sick) return asset.sick + (asset.sick === 1 ? " sensor is" : " sensors are") + " not well";
  return asset.state + (asset.event_s ? ", " + moment(asset.event_s) : ", waiting for data");
}

function overview() {
  const wanted = make("input", { type: "search", placeholder: "Find an asset", "aria-label": "Find an asset", oninput: draw });
  const list = make("div", { class: "assets" });
  page.replaceChildren(make("div", { class: "tools" }, wanted), list);
  const tiles = new Map();
  function tile(asset) {
    let element = tiles.get(asset.name);
    const text = JSON.stringify([asset.state, asset.stale, level(asset.level), about(asset)]);
    if (!element) {
      element = make("a", { class: "asset", href: "#asset=" + encodeURIComponent(asset.name) });
      tiles.set(asset.name, element);
    }
    if (element.text_shown !== text) {
      element.text_shown = text;
      element.dataset.state = asset.state;
      element.replaceChildren(make("b", {}, asset.name), make("span", { class: "level" }, level(asset.level)),
        make("span", { class: asset.sentence ? "about long" : "about" }, (asset.stale && asset.on ? "No data. " : "") + about(asset)));
    }
    return element;
  }
  function draw() {
    const word = wanted.value.toLowerCase();
    const all = [...assets.values()].filter((a) => a.name.toLowerCase().includes(word));
    all.sort((a, b) => URGENCY.indexOf(a.state) - URGENCY.indexOf(b.state) || a.name.localeCompare(b.name, "en", { numeric: true }));
    const order = all.map(tile);
    if (order.length !== list.children.length || order.some((element, i) => list.children[i] !== element)) list.replaceChildren(...order);
    if (!all.length) list.replaceChildren(make("p", { class: "muted" }, assets.size ? "No asset is called so." : "No assets yet."));
  }
  draw();
  return { update: draw, close() {} };
}

// ---- what people do

function ask(title, fields, action) {
  const dialog = document.getElementById("dialog"), form = dialog.querySelector("form");
  const wrong = make("p", { class: "wrong", role: "alert" });
  const who = make("input", { name: "who", required: true, maxLength: 100, value: localStorage.getItem("who") || "", autocomplete: "username" });
  const key = make("input", { name: "token", type: "password", required: true, value: token(), autocomplete: "current-password" });
  const why = make("textarea", { name: "why", rows: 2, maxLength: 400 });
  const go = make("button", { class: "main", type: "submit" }, title);
  form.replaceChildren(make("h2", {}, title), ...fields, make("label", {}, "Your name", who), make("label", {}, "Why", why),
    make("label", {}, "Token of this monitor", key), wrong,
    make("div", { class: "tools" }, make("button", { type: "button", onclick: () => dialog.close() }, "Cancel"), go));
  form.onsubmit = async (event) => {
    event.preventDefault();
    go.disabled = true;
    wrong.textContent = "";
    try {
      const answer = await fetch("api/act", { method: "POST",
        headers: { Authorization: "Bearer " + key.value, "Content-Type": "application/json" },
        body: JSON.stringify({ ...action(), who: who.value, why: why.value }) });
      const body = await answer.json();
      if (!answer.ok) throw new Error(body.error);
      sessionStorage.setItem("token", key.value);
      localStorage.setItem("who", who.value);
      dialog.close();
    } catch (error) {
      wrong.textContent = error.message;
    }
    go.disabled = false;
  };
  dialog.showModal();
}

function actions(name, asset) {
  const button = (title, event, allowed, fields, more) => make("button", { disabled: !allowed, class: event === "acknowledge" && allowed ? "main" : "",
    onclick: () => ask(title, fields ? fields() : [], () => ({ asset: name, event, ...(more ? more() : {}) })) }, title);
  let hours = null;
  return make("div", { class: "tools" },
    button("Acknowledge", "acknowledge", asset.acknowledgeable),
    asset.state === "latched" ? button("Reset", "reset", true) : null,
    asset.shelved_until_s ? button("Take off the shelf", "unshelve", true)
      : button("Shelve", "shelve", asset.state !== "out of service", () => {
        hours = make("select", {}, ...[1, 4, 8, 24, 72, 168].map((h) => make("option", { value: h }, h < 48 ? h + " hours" : h / 24 + " days")));
        return [make("label", {}, "For", hours)];
      }, () => ({ hours: Number(hours.value) })),
    asset.state === "out of service" ? button("Put back in service", "restore", true)
      : button("Take out of service", "remove", true));
}

// ---- one asset

function heat_class(value) {
  let i = 0;
  while (i < HEAT.length && value >= HEAT[i]) ++i;
  return i;
}

function draw_heat(canvas, readout, curve, from, to, left, right) {
  const rows = curve.effects.length, height = Math.max(7, Math.min(18, Math.floor(700 / Math.max(rows, 1))));
  const width = canvas.clientWidth, scale = devicePixelRatio || 1;
  canvas.width = width * scale;
  canvas.height = rows * height * scale;
  canvas.style.height = rows * height + "px";
  const context = canvas.getContext("2d");
  context.scale(scale, scale);
  const colours = [0, 1, 2, 3, 4, 5, 6].map((i) => colour("--heat-" + i));
  const x_of = (s) => left + (s - from) / (to - from) * (right - left);
  context.font = Math.min(12, height) + "px system-ui, sans-serif";
  context.textBaseline = "middle";
  context.textAlign = "right";
  context.fillStyle = colour("--ink");
  for (let r = 0; r < rows; ++r)
    if (height >= 10 || r % 2 === 0) context.fillText(curve.effects[r].slice(0, 14), left - 8, (r + 0.5) * height);
  for (let i = 0; i < curve.time.length; ++i) {
    // Windows may be a little further apart than spans are long; that is no interruption.
    const next = curve.time[i + 1] - curve.time[i] <= 2 * curve.span_s ? curve.time[i + 1] : curve.time[i] + curve.span_s;
    const begin = Math.max(left, x_of(curve.time[i])), end = Math.min(right, x_of(next));
    if (end <= begin) continue;
    for (let r = 0; r < rows; ++r) {
      const value = curve.residuals[i][r];
      context.fillStyle = curve.level[i] === null || value === undefined || value === null ? colour("--absent") : colours[heat_class(value)];
      context.fillRect(begin, r * height, Math.max(1, end - begin + 0.3), height - 1);
    }
  }
  canvas.onpointermove = (event) => {
    const r = Math.floor(event.offsetY / height), s = from + (event.offsetX - left) / (right - left) * (to - from);
    const i = curve.time.findLastIndex((t) => s >= t && s < t + 2 * curve.span_s);
    readout.classList.toggle("shown", i >= 0 && r >= 0 && r < rows);
    if (i < 0 || r < 0 || r >= rows) return;
    readout.replaceChildren(make("b", {}, curve.effects[r]), `${curve.residuals[i][r] ?? "–"} healthy deviations, ${moment(curve.time[i])}`);
    readout.style.left = Math.min(event.offsetX + 14, width - 240) + "px";
    readout.style.top = event.offsetY + 14 + "px";
  };
  canvas.onpointerleave = () => readout.classList.remove("shown");
}

function asset_page(name) {
  const title = make("div", { class: "title" }), lead = make("p", { class: "lead" }), tools = make("div");
  const box = make("div", { class: "chart-box" }), canvas = make("canvas", { class: "heat", role: "img", ariaLabel: "How far each effect is from what its causes make one expect" });
  const readout = make("div", { class: "read-out" }), heat = make("div", { class: "chart-box" }, canvas, readout);
  const ranges = make("div", { class: "tools" }), evidence = make("div"), sensors = make("div"), history = make("div");
  let range = 3600, zoom = null, first = 0, plot = null, curve = null, detail = null, busy = false, again = false, steps = -1, closed = false;
  page.replaceChildren(title, lead, tools, ranges, make("h2", {}, "Level, 1 is the alarm line"), box,
    make("h2", {}, "Which effect: healthy deviations from what its causes make one expect"), heat,
    make("p", { class: "legend" }, ...["below 3", ...HEAT.map((h) => h + " and more")].map((text, i) => make("span", {}, make("i", { class: "heat-c" + i }), text)),
      make("span", {}, make("i", { class: "heat-none" }), "not judged")),
    make("div", { class: "columns" }, evidence, sensors), history);

  function draw_ranges() {
    ranges.replaceChildren(...RANGES.map(([text, seconds]) => make("button", { "aria-pressed": String(!zoom && range === seconds),
      onclick: () => { range = seconds; zoom = null; load(); } }, text)),
      ...(zoom ? [make("button", { onclick: () => { zoom = null; load(); } }, "Back to now")] : []),
      make("span", { class: "muted" }, "Drag over the curve to look closer."));
  }
  function bounds() {
    if (zoom) return zoom;
    // The span of the last window is shown whole; what lies before the first one is left out.
    const to = ((detail && detail.event_s) || Date.now() / 1000) + plant.level_s;
    return [Math.max(to - range, Math.min(first || 0, to - 10 * plant.level_s)), to];
  }
  function data() {
    // A short range is drawn window by window.
    if (!zoom && range <= 3600 && detail && detail.recent.time.length > 1) return [detail.recent.time, detail.recent.level, detail.recent.alarm, detail.recent.outside];
    return [curve.time, curve.level, curve.alarm, curve.outside];
  }
  function draw_plot() {
    const [time, values, alarm, outside] = data(), [from, to] = bounds();
    const high = Math.max(1.5, ...values.filter((v) => v !== null).map((v) => Math.min(v, 1e6))) * 1.08;
    const above = values.map((v, i) => alarm[i] ? v : null), beyond = values.map((v, i) => outside[i] ? v : null);
    const width = box.clientWidth;
    if (plot) plot.destroy();
    const axis = { stroke: colour("--muted"), grid: { stroke: colour("--grid"), width: 1 }, ticks: { stroke: colour("--grid"), width: 1 }, font: "12px system-ui, sans-serif" };
    plot = new uPlot({
      width, height: 240, tzDate: (s) => uPlot.tzDate(new Date(s * 1000), "Etc/UTC"),
      legend: { show: width > 500 }, cursor: { drag: { x: true, y: false, setScale: false } },
      scales: { x: { min: from, max: to, auto: false }, y: { range: [0, high] } },
      axes: [{ ...axis, values: time_labels }, { ...axis, size: 90 }],
      series: [{ value: (u, s) => s === null ? "–" : moment(s) },
        { label: "level", stroke: colour("--score"), width: 1.3, value: (u, v) => v === null ? "–" : v.toFixed(2) },
        { label: "alarm", stroke: colour("--alarm"), width: 2, fill: colour("--alarm-shade"), value: (u, v) => v === null ? "–" : v.toFixed(2) },
        { label: "outside the learned range", stroke: colour("--muted"), width: 4, dash: [3, 4], value: (u, v) => v === null ? "–" : "yes" }],
      hooks: {
        draw: [(u) => {
          const y = u.valToPos(1, "y", true);
          u.ctx.save();
          u.ctx.strokeStyle = colour("--alarm");
          u.ctx.setLineDash([6, 5]);
          u.ctx.beginPath();
          u.ctx.moveTo(u.bbox.left, y);
          u.ctx.lineTo(u.bbox.left + u.bbox.width, y);
          u.ctx.stroke();
          u.ctx.restore();
          // Here, because only now the plot knows where it lies.
          const scale = devicePixelRatio || 1;
          draw_heat(canvas, readout, curve, from, to, u.bbox.left / scale, (u.bbox.left + u.bbox.width) / scale);
        }],
        setSelect: [(u) => {
          if (u.select.width < 8) return;
          zoom = [u.posToVal(u.select.left, "x"), u.posToVal(u.select.left + u.select.width, "x")];
          load();
        }],
      },
    }, [time, values, above, beyond], box);
  }
  function draw_words() {
    const a = detail;
    title.replaceChildren(make("h1", {}, a.name), make("span", { class: "badge", data: { state: a.state } }, a.state),
      make("span", { class: "when" }, "level " + level(a.level) + (a.since_s ? ", since " + moment(a.since_s) : "") + (a.event_s ? ", data up to " + moment(a.event_s) : "")));
    lead.className = "lead " + (a.on ? "alarm" : a.state === "normal" ? "healthy" : "");
    lead.textContent = (a.stale ? "No data are coming. " : "") + (a.sentence || (a.state === "normal" ? "All effects follow their causes." : about(a))) +
      (a.outside_range ? " It is run outside the learned range now: levels tell less there, and no promise of false alarms holds." : "") + (a.promise ? " The promise of false alarms does not hold now: " + a.promise : "") + (a.unrecorded ? " (Not in the ledger yet.)" : "");
    const acknowledgeable = ["unacknowledged", "returned"].includes(a.state);
    const state = JSON.stringify([a.state, a.shelved_until_s]);
    if (tools.dataset.state !== state) {
      tools.dataset.state = state;
      tools.replaceChildren(actions(name, { ...a, acknowledgeable }));
    }
    evidence.replaceChildren(make("h2", {}, "What the alarm rests on"), a.evidence
      ? table(["effect", "healthy deviations", "is", "expected", "odd by itself"], a.evidence.effects.map((e) =>
        [e.name, e.residual.toFixed(1), brief(e.observed), brief(e.expected), e.alone.toFixed(1)]))
      : make("p", { class: "muted" }, "There is no alarm."));
    if (a.evidence && a.evidence.causes.length)
      evidence.append(make("p", {}, "Likeliest cause that it no longer follows: " + a.evidence.causes.map((c) => c.name).join(", ") + "."));
    const c = a.counts;
    sensors.replaceChildren(make("h2", {}, "Sensors and data"), a.sick_channels.length
      ? table(["sensor", "is"], a.sick_channels.slice(0, 12).map((s) => [s.name, s.sickness])) : make("p", {}, "All sensors are well."),
      make("p", { class: "muted" }, `${whole(c.readings)} readings, ${whole(c.late)} too late, ${whole(c.doubled)} twice; ${whole(c.gaps)} interruptions; ${whole(c.windows)} windows, ${whole(c.unjudged)} not judged.`));
  }
  // An alarm that was none: what is marked, a model may learn as healthy.
  function verdict_of(entry, marks) {
    if (entry.step.event !== "raise") return "";
    const marked = marks.get(entry.raised_s) === "mark", title = marked ? "No false alarm after all" : "False alarm";
    return make("button", { onclick: () => ask(title, [], () => ({ asset: name, event: marked ? "unmark" : "mark", raised_s: entry.raised_s })) }, title);
  }
  async function load_history() {
    const entries = await get("entries", { asset: name, limit: 50 });
    const marks = new Map();
    for (const e of [...entries].reverse()) if (["mark", "unmark"].includes(e.step.event)) marks.set(e.raised_s, e.step.event);
    history.replaceChildren(make("section", {}, make("h2", {}, "What happened"), entries.length
      ? table(["when, by the data", "what", "who", "why and how", ""], entries.map((e) => [moment(e.event_s), e.headline.slice(e.asset.length + 2), e.who || "monitor",
        make("td", { class: "words" }, [e.why, e.step.event === "raise" ? e.sentence : ""].filter(Boolean).join(" – ")), verdict_of(e, marks)]))
      : make("p", { class: "muted" }, "Nothing yet.")));
  }
  async function load() {
    if (busy) { again = true; return; }
    busy = true;
    try {
      do {
        again = false;
        detail = await get("asset", { name });
        const [from, to] = bounds();
        curve = await get("levels", { asset: name, from, to: to + 1, points: Math.max(100, Math.min(1000, Math.round(box.clientWidth))) });
        if (closed) return;
        first = curve.first_s;
        draw_words();
        draw_ranges();
        draw_plot();
        const last = detail.steps;
        if (last !== steps) { steps = last; await load_history(); }
      } while (again && !closed);
    } catch (error) {
      if (!closed) lead.textContent = error.message;
    }
    busy = false;
  }
  const redraw = () => { if (curve && !closed) draw_plot(); };
  addEventListener("resize", redraw);
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", redraw);
  load();
  return {
    update(changed) { if (changed.has(name) && !zoom) load(); },
    close() { closed = true; removeEventListener("resize", redraw); if (plot) plot.destroy(); },
  };
}

// ---- data quality

function quality() {
  let timer = 0;
  async function load() {
    try {
      const s = await get("status");
      const yes = (good, text) => make("td", { class: good ? "healthy" : "alarm" }, text);
      page.replaceChildren(make("h1", {}, "Data quality"),
        make("section", {}, make("h2", {}, "Sources"), s.sources.length ? table(["source", "kind", "state", "readings", "refused", "last", "detail"], s.sources.map((x) =>
          [x.name, x.kind, yes(x.connected, x.connected ? "connected" : "away"), whole(x.received), whole(x.refused), moment(x.last_s), make("td", { class: "words" }, x.detail)]))
          : make("p", { class: "muted" }, "None are configured.")),
        make("section", {}, make("h2", {}, "Who is told"), s.notifiers.length ? table(["notifier", "state", "sent", "waiting", "refused", "detail"], s.notifiers.map((x) =>
          [x.name, yes(x.reached, x.reached ? "reached" : "away"), whole(x.sent), whole(x.waiting), whole(x.refused), make("td", { class: "words" }, x.detail)]))
          : make("p", { class: "muted" }, "Nobody is configured.")),
        make("section", {}, make("h2", {}, "What is kept"), table(["what", "state", "detail"], [
          ["journal of readings", yes(s.journal.safe, s.journal.safe ? "safe" : "not written"), make("td", { class: "words" }, s.journal.trouble || `${whole(s.journal.bytes)} bytes, ${whole(s.journal.unsafe)} readings were not safe`)],
          ["ledger", yes(s.ledger.reached, s.ledger.reached ? "reached" : "away"), make("td", { class: "words" }, s.ledger.trouble || `${whole(s.ledger.lost_levels)} spans lost`)],
          ["snapshot", yes(!s.snapshot.trouble, s.snapshot.trouble ? "failed" : "written"), make("td", { class: "words" }, s.snapshot.trouble || `${moment(s.snapshot.time_s)}, ${whole(s.snapshot.bytes)} bytes`)]]),
          make("p", { class: "muted" }, `${whole(s.readings)} readings taken, ${whole(s.unwatched)} of things that nobody watches, ${whole(s.queued)} wait to be judged.`)),
        make("section", {}, make("h2", {}, "Assets"), table(["asset", "state", "data up to", "sick sensors"], [...assets.values()].filter((a) => a.stale || a.sick || a.promise).map((a) =>
          [make("a", { href: "#asset=" + encodeURIComponent(a.name) }, a.name), a.stale ? "stale" : a.state, moment(a.event_s), String(a.sick)]))));
    } catch (error) {
      page.replaceChildren(make("p", { class: "trouble" }, error.message));
    }
    timer = setTimeout(load, 2000);
  }
  load();
  return { update() {}, close() { clearTimeout(timer); } };
}

// ---- the frame

// Dates and times of an axis, in UTC: the date where it changes.
function time_labels(u, splits, axis, space, step) {
  let day = "";
  return splits.map((s) => {
    const text = new Date(s * 1000).toISOString(), date = text.slice(0, 10);
    if (step >= 86400) return date;
    const label = text.slice(11, step < 60 ? 19 : 16) + (date === day ? "" : "\n" + date);
    day = date;
    return label;
  });
}

function draw_counts() {
  const counts = new Map();
  for (const asset of assets.values()) counts.set(asset.state, (counts.get(asset.state) || 0) + 1);
  const parts = [];
  for (const state of URGENCY)
    if (counts.has(state)) parts.push(parts.length ? " · " : "", make("b", {}, String(counts.get(state))), " " + state);
  document.getElementById("counts").replaceChildren(...parts);
  const urgent = counts.get("unacknowledged") || 0;
  document.title = (urgent ? `(${urgent}) ` : "") + plant.name;
}

function route() {
  const hash = location.hash.slice(1);
  if (hash.startsWith("token=")) {  // printed by `cmr watch`; never sent to the server as part of an address
    sessionStorage.setItem("token", decodeURIComponent(hash.slice(6)));
    history.replaceState(null, "", location.pathname);
    return route();
  }
  if (shown) shown.close();
  shown = hash.startsWith("asset=") ? asset_page(decodeURIComponent(hash.slice(6))) : hash === "quality" ? quality() : overview();
}

function listen() {
  const live = document.getElementById("live");
  const set = (on) => { live.className = on ? "on" : "off"; live.textContent = on ? "live" : "not connected"; };
  const events = new EventSource("api/events");
  events.addEventListener("open", () => set(true));
  events.addEventListener("error", () => set(false));
  events.addEventListener("assets", (event) => {
    set(true);
    const changed = new Set();
    for (const asset of JSON.parse(event.data)) { assets.set(asset.name, asset); changed.add(asset.name); }
    draw_counts();
    if (shown) shown.update(changed);
  });
}

(async () => {
  addEventListener("hashchange", route);
  try {
    plant = await get("plant");
    document.getElementById("plant").textContent = plant.name;
    for (const asset of await get("assets")) assets.set(asset.name, asset);
  } catch (error) {
    page.replaceChildren(make("p", { class: "trouble" }, error.message));
  }
  draw_counts();
  route();
  listen();
})();
