#include "report/look.h"

namespace cmr::report {

const char* const kStyle = R"css(
:root {
  color-scheme: light dark;
  --paper: #ffffff; --ink: #18222d; --muted: #5a6775; --faint: #8b96a3; --grid: #e6eaee; --card: #f5f7f9;
  --healthy: #0b7a67; --healthy-shade: #0b7a671c; --alarm: #c2410c; --alarm-shade: #c2410c3d;
  --fault: #8a5a00; --fault-shade: #f0a92040; --cause: #7a3fa0; --effect: #0f69ad; --score: #4a5866;
  --heat-0: #f3f5f7; --heat-1: #fbdcc6; --heat-2: #f7bb93; --heat-3: #ee945f; --heat-4: #d96a32; --heat-5: #b0430f;
  --heat-6: #6e2204; --absent: #c3cad2; --bar: #b9c4cf; --bar-strong: #0f69ad; --points: 0.6;
  --hue-0: #1d56c9; --hue-1: #e08600; --hue-2: #4a1c79; --hue-3: #e8418f; --hue-4: #2aa5e0; --hue-5: #a8793c;
  --hue-6: #8b9aa6; --hue-7: #18222d;
  --cell-0: #f0f5fb; --cell-1: #dbe8f5; --cell-2: #c1d9ef; --cell-3: #a1c6e7; --cell-4: #7badd9; --cell-5: #3877b3;
  --cell-6: #255f9a; --cell-7: #134880; --cell-8: #083060;
}
@media screen and (prefers-color-scheme: dark) {
  :root {
    --paper: #12181f; --ink: #e8edf2; --muted: #a3b0bd; --faint: #75828f; --grid: #27313b; --card: #1a222b;
    --healthy: #3fc2a8; --healthy-shade: #3fc2a822; --alarm: #ff8a57; --alarm-shade: #ff8a574d;
    --fault: #edb54a; --fault-shade: #edb54a33; --cause: #c79bea; --effect: #68b4f2; --score: #b4c0cc;
    --heat-0: #1b232c; --heat-1: #47291a; --heat-2: #74391c; --heat-3: #a54d20; --heat-4: #d46a30; --heat-5: #f49a62;
    --heat-6: #ffdcc2; --absent: #414d59; --bar: #465361; --bar-strong: #68b4f2; --points: 0.8;
    --hue-0: #7391ec; --hue-1: #f1b919; --hue-2: #9d62f7; --hue-3: #e2647c; --hue-4: #a6cefd; --hue-5: #b5701f;
    --hue-6: #7a80a0; --hue-7: #f2f2f2;
    --cell-0: #17222e; --cell-1: #1a2f44; --cell-2: #1d3d5c; --cell-3: #214c77; --cell-4: #265d94; --cell-5: #5a97d3;
    --cell-6: #7fb3e6; --cell-7: #a6cdf5; --cell-8: #d2e7fd;
  }
}
* { box-sizing: border-box; }
body {
  margin: 0; background: var(--paper); color: var(--ink); -webkit-text-size-adjust: 100%;
  font: 16px/1.55 system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif;
}
main { max-width: 1040px; margin: 0 auto; padding: 36px 40px 56px; overflow-wrap: anywhere; }
h1 { font-size: 1.55rem; line-height: 1.25; margin: 0; letter-spacing: -0.01em; }
h2 { font-size: 1.15rem; line-height: 1.3; margin: 0 0 6px; }
p { margin: 0 0 10px; max-width: 46rem; text-wrap: pretty; }
.subtitle { color: var(--muted); margin: 4px 0 0; }
.lead {
  font-size: 1.25rem; line-height: 1.45; font-weight: 600; margin: 22px 0 0; padding: 14px 20px; max-width: none;
  background: var(--card); border-left: 5px solid var(--muted); border-radius: 3px;
}
.lead.alarm { border-color: var(--alarm); }
.lead.healthy { border-color: var(--healthy); }
dl, dd { margin: 0; }
.key-numbers {
  display: grid; grid-template-columns: repeat(auto-fit, minmax(150px, 1fr)); gap: 18px 28px; margin: 26px 0 0;
}
.key-numbers div { display: flex; flex-direction: column-reverse; justify-content: flex-end; }
.key-numbers dt { color: var(--muted); font-size: 0.88rem; line-height: 1.35; }
.key-numbers dd { font-size: 1.7rem; line-height: 1.25; font-weight: 600; font-variant-numeric: tabular-nums; }
dd.alarm, td.alarm { color: var(--alarm); }
dd.healthy, td.healthy { color: var(--healthy); }
section, footer { margin-top: 44px; }
nav { margin-top: 26px; display: flex; flex-wrap: wrap; gap: 6px 20px; }
nav a { color: var(--effect); }
details { margin-top: 22px; }
summary { cursor: pointer; color: var(--effect); font-weight: 600; }
figure { margin: 16px 0 0; }
figcaption {
  color: var(--muted); font-size: 0.9rem; line-height: 1.5; margin-top: 8px; max-width: 46rem; text-wrap: pretty;
}
.figure { position: relative; }
.scroll { overflow-x: auto; overflow-wrap: normal; }
table { border-collapse: collapse; min-width: 100%; font-size: 0.93rem; }
th, td { padding: 7px 14px 7px 0; text-align: left; vertical-align: baseline; white-space: nowrap; }
th:last-child, td:last-child { padding-right: 0; }
th { color: var(--muted); font-weight: 500; font-size: 0.86rem; border-bottom: 1.5px solid var(--faint); }
td { border-bottom: 1px solid var(--grid); font-variant-numeric: tabular-nums; }
td.alarm, td.healthy { font-weight: 600; }
th.number, td.number { text-align: right; padding-left: 14px; }
th.number + th.text, td.number + td.text { padding-left: 24px; }
footer { border-top: 1px solid var(--grid); padding-top: 18px; color: var(--muted); font-size: 0.86rem; }
footer h2 { font-size: 0.95rem; }
.facts { display: grid; grid-template-columns: repeat(auto-fill, minmax(260px, 1fr)); gap: 6px 28px; }
.facts dd { color: var(--ink); font-variant-numeric: tabular-nums; }

svg.chart { display: block; width: 100%; height: auto; overflow: visible; font-size: 12px; fill: var(--ink); }
svg.narrow { display: none; }
svg text { font-variant-numeric: tabular-nums; }
.tick, .note { fill: var(--muted); }
.row-name { fill: var(--ink); font-size: 11px; }
.row-name.marked { font-weight: 700; }
/* A rim of paper keeps text readable on the lines that it crosses. */
.heading, .band-name, .onset-name, .bar-value {
  paint-order: stroke; stroke: var(--paper); stroke-width: 4px; stroke-linejoin: round;
}
.panel-name { font-size: 13px; font-weight: 600; }
.panel-name.cause { fill: var(--cause); }
.panel-name.effect { fill: var(--effect); }
.grid { stroke: var(--grid); stroke-width: 1; }
.axis { stroke: var(--faint); stroke-width: 1; }
.band.fault { fill: var(--fault-shade); }
.band.healthy { fill: var(--healthy-shade); }
.band-name { font-weight: 600; }
.band-name.fault { fill: var(--fault); }
.band-name.healthy { fill: var(--healthy); }
.leader { stroke-width: 1; }
.leader.fault, .edge.fault { stroke: var(--fault); }
.leader.healthy, .edge.healthy { stroke: var(--healthy); }
.edge { stroke-width: 1; stroke-dasharray: 3 2; opacity: 0.85; }
.score, .signal { fill: none; stroke-width: 1.2; stroke-linejoin: round; stroke-linecap: round; }
.score { stroke: var(--score); }
.score.above { stroke: var(--alarm); fill: var(--alarm-shade); }
.alarm-line { stroke: var(--alarm); stroke-width: 1.2; }
.alarm-name, .onset-name { fill: var(--alarm); font-weight: 600; }
.strip { fill: var(--heat-0); }
rect.alarm { fill: var(--alarm); }
.onset { stroke: var(--alarm); stroke-width: 1.4; }
.signal { stroke-width: 1.6; }
.signal.cause { stroke: var(--cause); }
.signal.effect { stroke: var(--effect); }
.signal.expected { stroke: var(--ink); stroke-width: 1.3; stroke-dasharray: 5 3; stroke-linecap: butt; }
.difference { fill: var(--alarm); fill-opacity: 0.4; }
.line-name { font-size: 10.5px; }
.line-name.effect { fill: var(--effect); font-weight: 600; }
.heat-0 { fill: var(--heat-0); } .heat-1 { fill: var(--heat-1); } .heat-2 { fill: var(--heat-2); }
.heat-3 { fill: var(--heat-3); } .heat-4 { fill: var(--heat-4); } .heat-5 { fill: var(--heat-5); }
.heat-6 { fill: var(--heat-6); } .absent { fill: var(--absent); }
.legend-name { fill: var(--ink); }
.guide { stroke: var(--muted); stroke-width: 1.2; stroke-dasharray: 4 3; fill: none; }
.bar { fill: var(--bar); }
.bar.strong { fill: var(--bar-strong); }
.bar-name, .bar-value { fill: var(--ink); }
.bar-name.strong, .bar-value.strong { font-weight: 700; }
.whisker { stroke: var(--ink); stroke-width: 1.2; fill: none; pointer-events: none; }
.whisker.rim { stroke: var(--paper); stroke-width: 3; stroke-opacity: 0.75; }
.reference { fill: var(--paper); stroke: var(--ink); stroke-width: 1.2; }
.hue-healthy { --hue: var(--healthy); }
.hue-0 { --hue: var(--hue-0); } .hue-1 { --hue: var(--hue-1); } .hue-2 { --hue: var(--hue-2); }
.hue-3 { --hue: var(--hue-3); } .hue-4 { --hue: var(--hue-4); } .hue-5 { --hue: var(--hue-5); }
.hue-6 { --hue: var(--hue-6); } .hue-7 { --hue: var(--hue-7); }
.curve { fill: none; stroke: var(--hue); stroke-width: 1.9; stroke-linejoin: round; stroke-linecap: round; }
.curve.hue-1 { stroke-dasharray: 8 5; } .curve.hue-2 { stroke-dasharray: 1 5; stroke-width: 2.4; }
.curve.hue-3 { stroke-dasharray: 9 5 1 5; } .curve.hue-4 { stroke-dasharray: 4 4.5; }
.curve.hue-5 { stroke-dasharray: 14 5; } .curve.hue-6 { stroke-dasharray: 9 5 1 5 1 5; }
.curve.hue-7 { stroke-dasharray: 14 5 4 5; }
.dot { fill: var(--hue); stroke: var(--paper); stroke-width: 1; }
.shade { fill: var(--hue); fill-opacity: 0.13; pointer-events: none; }
.outline { fill: var(--hue); fill-opacity: 0.12; stroke: var(--hue); stroke-width: 1.5; stroke-linejoin: round; }
.outline.hue-2, .outline.hue-4 { stroke-dasharray: 5 2.5; } .outline.hue-3, .outline.hue-5 { stroke-dasharray: 2 2; }
.outline.hue-0, .outline.hue-6 { stroke-dasharray: 8 2.5 2 2.5; }
.points { fill: var(--hue); opacity: var(--points); }
.points.round { stroke: var(--hue); stroke-width: 5; stroke-linecap: round; }
.points.thin { fill: none; stroke: var(--hue); stroke-width: 1.5; }
.cell-0 { fill: var(--cell-0); } .cell-1 { fill: var(--cell-1); } .cell-2 { fill: var(--cell-2); }
.cell-3 { fill: var(--cell-3); } .cell-4 { fill: var(--cell-4); } .cell-5 { fill: var(--cell-5); }
.cell-6 { fill: var(--cell-6); } .cell-7 { fill: var(--cell-7); } .cell-8 { fill: var(--cell-8); }
.cell-text { fill: var(--ink); pointer-events: none; }
.cell-text.on-strong { fill: var(--paper); }
.grid-name { fill: var(--ink); }
.cell-text.strong { font-weight: 700; }
.best { fill: none; stroke: var(--ink); stroke-width: 2; pointer-events: none; }
.best.rim { stroke: var(--paper); stroke-width: 5; }
.mark { fill: none; stroke: var(--ink); stroke-width: 1.6; }
.crosshair { stroke: var(--ink); stroke-width: 1; opacity: 0.6; pointer-events: none; }
.read-out {
  position: absolute; top: 0; left: 0; pointer-events: none; background: var(--paper); color: var(--ink);
  border: 1px solid var(--faint); border-radius: 4px; padding: 6px 10px; font-size: 12.5px; line-height: 1.45;
  box-shadow: 0 2px 10px #0003; max-width: 300px; font-variant-numeric: tabular-nums; z-index: 1;
}
.read-out b { display: block; font-weight: 600; }
.read-out span { display: flex; justify-content: space-between; gap: 16px; }

@media screen and (max-width: 700px) {
  main { padding: 22px 16px 40px; }
  h1 { font-size: 1.3rem; }
  .lead { font-size: 1.08rem; padding: 12px 14px; }
  .key-numbers { grid-template-columns: 1fr 1fr; gap: 16px 20px; }
  .key-numbers dd { font-size: 1.4rem; }
  svg.wide { display: none; }
  svg.narrow { display: block; }
}
@media print {
  @page { margin: 14mm; }
  body { font-size: 10.5pt; }
  main { max-width: none; padding: 0; }
  figure, tr, .lead, .key-numbers, .facts { break-inside: avoid; }
  h2 { break-after: avoid; }
  .scroll { overflow: visible; }
  .lead { -webkit-print-color-adjust: exact; print-color-adjust: exact; }
  .read-out, .crosshair { display: none; }
}
)css";

}  // namespace cmr::report
