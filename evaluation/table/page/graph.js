// The value of the position over a game: a picture for each unit, in which the advisers share one axis.

import { h, s } from "./dom.js";

const WIDTH = 560, HEIGHT = 190, LEFT = 46, RIGHT = 10, TOP = 26, BOTTOM = 24;
const WORST = 3; // moves of an adviser that are marked
const SLIGHT = 0.03; // of the axis: who loses less has not lost anything worth a mark

// lines: of one unit, each with its adviser's spec, its colour and its points: ply, value, exact, lost, how, text.
export function graph({ unit, even, lines, plies, name, width, goTo }) {
  const [low, high] = range(unit, even, lines.flatMap((line) => line.points.map((point) => point.value)));
  const w = Math.max(300, Math.min(WIDTH, width || WIDTH));
  const x = (ply) => LEFT + (ply / Math.max(1, plies)) * (w - LEFT - RIGHT);
  const y = (value) => TOP + ((high - value) / (high - low)) * (HEIGHT - TOP - BOTTOM);
  const svg = s("svg", { viewBox: `0 0 ${w} ${HEIGHT}`, role: "img", "aria-label": `value of the position over the game${name ? ` for ${name}` : ""}: ${unit}` });
  svg.append(s("text", { x: 0, y: 12 }, name ? `${unit}, for ${name}` : unit));
  for (const value of new Set([high, even ?? low, low])) {
    svg.append(s("line", { x1: LEFT, x2: w - RIGHT, y1: y(value), y2: y(value), class: value === even ? "zero" : "edge" }),
      s("text", { x: LEFT - 6, y: y(value), dy: "0.35em", "text-anchor": "end" }, tick(unit, even, value)));
  }
  svg.append(s("text", { x: LEFT, y: HEIGHT - 5 }, "move 1"), s("text", { x: w - RIGHT, y: HEIGHT - 5, "text-anchor": "end" }, String(Math.max(1, plies))));
  const worst = [];
  for (const { spec, colour, points } of lines) {
    svg.append(s("polyline", { points: points.map((point) => `${x(point.ply)},${y(point.value)}`).join(" "), class: `curve ${colour}` }));
    for (const point of points) if (point.exact || points.length === 1) svg.append(s("circle", { cx: x(point.ply), cy: y(point.value), r: 2.5, class: `exact ${colour}` }));
    for (const point of [...points].sort((a, b) => b.lost - a.lost).slice(0, WORST).filter((one) => one.lost > SLIGHT * (high - low))) {
      svg.append(s("circle", { cx: x(point.ply), cy: y(point.value), r: 5, class: "worst" }));
      worst.push({ spec, colour, ...point });
    }
  }
  svg.addEventListener("click", (event) => {
    const box = svg.getBoundingClientRect();
    goTo(Math.round(((((event.clientX - box.left) / box.width) * w - LEFT) / (w - LEFT - RIGHT)) * plies));
  });
  return h("figure", {}, svg, h("div", { class: "row" }, worst.sort((a, b) => a.ply - b.ply).map((one) =>
    h("button", { type: "button", onclick: () => goTo(one.ply), title: one.spec }, h("span", { class: `key ${one.colour}` }), `${one.ply + 1}. ${one.text} ${one.how}`))));
}

// From where to where an axis goes: the whole range where it is known, else a round number around what is even.
function range(unit, even, values) {
  if (even) return [0, 2 * even];
  if (unit.startsWith("result")) return [-1, 1];
  const most = round(Math.max(1e-9, ...values.map(Math.abs)));
  return [even === null && Math.min(...values) >= 0 ? 0 : -most, most];
}

function round(number) {
  const power = 10 ** Math.floor(Math.log10(number));
  return [1, 1.5, 2, 3, 4, 5, 7, 10].map((factor) => factor * power).find((one) => one >= number * 0.999);
}

function tick(unit, even, value) {
  if (unit.startsWith("result")) return value > 0 ? "win" : value < 0 ? "loss" : "even";
  const text = String(Number(value.toPrecision(3)));
  return even === 0 && value > 0 ? `+${text}` : text.replace("-", "−");
}
