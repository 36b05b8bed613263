#include "report/look.h"

namespace cmr::report {

// A line at the pointer and the values there. Names are set as text, never as markup.
const char* const kScript = R"js(
"use strict";
for (const svg of document.querySelectorAll("svg.chart")) {
  const group = svg.querySelector(".readings");
  if (!group || !group.children.length) continue;
  const axis = group.dataset;
  const left = +axis.left, right = +axis.right, low = +axis.low, high = +axis.high;
  const rows = Array.from(group.children, (g) => ({
    name: g.dataset.name, unit: g.dataset.unit, top: +g.dataset.top, bottom: +g.dataset.bottom,
    values: g.dataset.values.split(" "),
  }));
  const top = Math.min(...rows.map((r) => r.top)), bottom = Math.max(...rows.map((r) => r.bottom));
  const line = document.createElementNS(svg.namespaceURI, "line");
  line.setAttribute("class", "crosshair");
  const box = document.createElement("div");
  box.className = "read-out";

  /* At most two units, as duration_text writes them. */
  const elapsed = (seconds) => {
    const sign = seconds < 0 ? "\u2212" : "", all = Math.abs(seconds);
    if (all < 120) return sign + all.toPrecision(3) + " s";
    const [unit, size, part, least] = all < 7200 ? ["min", 60, "s", 1] : all < 172800 ? ["h", 3600, "min", 60]
                                                                         : ["d", 86400, "h", 3600];
    const whole = Math.round(all / least) * least;
    return `${sign}${Math.floor(whole / size)} ${unit} ${Math.round((whole % size) / least)} ${part}`;
  };
  const moment = (value) => {
    if (axis.kind === "time") {
      const date = new Date(value * 1000);
      return isNaN(date) ? String(value) : date.toISOString().replace("T", " ").slice(0, high - low < 600 ? 23 : 19);
    }
    if (axis.kind === "elapsed") return elapsed(value);
    return value.toPrecision(4).replace("-", "\u2212");
  };
  const hide = () => { line.remove(); box.remove(); };
  const show = (event) => {
    const matrix = svg.getScreenCTM();
    if (!matrix) return;
    const at = new DOMPoint(event.clientX, event.clientY).matrixTransform(matrix.inverse());
    if (at.x < left || at.x > right || at.y < top || at.y > bottom) return hide();
    const shown = axis.mode === "cell" ? rows.filter((r) => at.y >= r.top && at.y < r.bottom) : rows;
    if (!shown.length) return hide();
    const share = (at.x - left) / (right - left);
    const ends = axis.mode === "cell" ? shown[0] : { top, bottom };
    for (const [name, value] of [["x1", at.x], ["x2", at.x], ["y1", ends.top], ["y2", ends.bottom]])
      line.setAttribute(name, value);
    svg.append(line);
    const title = document.createElement("b");
    title.textContent = moment(low + share * (high - low));
    box.replaceChildren(title);
    for (const row of shown) {
      const value = row.values[Math.min(row.values.length - 1, Math.floor(share * row.values.length))];
      const entry = document.createElement("span"), number = document.createElement("span");
      entry.textContent = row.name;
      number.textContent = value === "-" ? "no data" : value.replace("-", "\u2212") + (row.unit ? " " + row.unit : "");
      entry.append(number);
      box.append(entry);
    }
    const figure = svg.parentElement, place = figure.getBoundingClientRect();
    figure.append(box);
    const x = event.clientX - place.left, y = event.clientY - place.top;
    const flip = x + 16 + box.offsetWidth > place.width;
    box.style.left = Math.max(0, flip ? x - 16 - box.offsetWidth : x + 16) + "px";
    box.style.top = Math.max(0, y - box.offsetHeight - 10) + "px";
  };
  svg.addEventListener("pointermove", show);
  svg.addEventListener("pointerdown", show);
  svg.addEventListener("pointerleave", hide);
}
)js";

}  // namespace cmr::report
