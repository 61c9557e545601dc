// Second and third opinions: what other agents think of the position that is shown, side by side, and of the whole game.

import { post } from "/page/api.js";
import { h, s, say } from "/page/dom.js";
import { picker } from "/page/lobby.js";

const STRONG = { hexapawn: "expert", tictactoe: "expert", othello: "expert", backgammon: "greedy", hanabi: "greedy" };
const MOST_MOVES = 12;
const COLOURS = ["c0", "c1", "c2"];

export class Advisers {
  // now() gives the state and the view of the page; onValues(values) shows values on the board; goTo(ply) steps there.
  constructor(at, { now, onValues, goTo }) {
    this.at = at;
    this.now = now;
    this.onValues = onValues;
    this.goTo = goTo;
    this.specs = [];
    this.answers = new Map();
    this.body = h("div", {});
    this.graph = h("div", { class: "graph" });
    this.setup = h("div", { class: "row" });
    this.element = h("section", { class: "advisers", "aria-label": "Advisers" }, h("h2", {}, "Advisers"), this.setup, this.body, this.graph);
  }

  begin(state) {
    this.name = state.game.split("?")[0];
    const choice = picker(this.first(), false);
    choice.offer(state.game);
    this.setup.replaceChildren(choice.element,
      h("button", { type: "button", onclick: () => this.add(choice.spec()) }, "Ask"),
      h("button", { type: "button", onclick: () => this.analyse(), title: "ask about every position of the game" }, "Whole game"));
  }

  first() {
    return this.specs[0] ?? STRONG[this.name] ?? "mcts";
  }

  add(spec) {
    if (!spec || this.specs.includes(spec)) return;
    if (this.specs.length === COLOURS.length) this.specs.shift();
    this.specs.push(spec);
    this.refresh();
  }

  remove(spec) {
    this.specs = this.specs.filter((one) => one !== spec);
    this.refresh();
  }

  stop() {
    this.stopped = true;
  }

  // The key of a position: the moves that led to it.
  key(spec, ply) {
    const { state } = this.now();
    return `${spec}\n${state.first.join()}\n${state.history.slice(0, ply).map((move) => `${move.text} ${move.chance}`).join("\n")}`;
  }

  answer(spec, ply) {
    return this.answers.get(this.key(spec, ply));
  }

  async ask(spec, ply) {
    const key = this.key(spec, ply);
    if (!this.answers.has(key)) {
      this.answers.set(key, null);
      try {
        this.answers.set(key, await post(`${this.at}/advice`, { agent: spec, ply }));
      } catch (error) {
        this.answers.set(key, { failed: error.message, opinions: [], move: null });
        if (error.status === 403 || error.status === 400) {
          say(error.message, true);
          this.specs = this.specs.filter((one) => one !== spec);
        }
      }
    }
    return this.answers.get(key);
  }

  // Ask about the position that is shown.
  async refresh() {
    this.render();
    const { view } = this.now();
    if (!view || view.turn < 0 || this.stopped) return;
    const { ply } = view;
    await Promise.all(this.specs.map(async (spec) => {
      await this.ask(spec, ply);
      if (!this.stopped && this.now().view?.ply === ply) this.render();
    }));
  }

  values(ply) {
    const answer = this.specs.length ? this.answer(this.specs[0], ply) : null;
    const values = new Map();
    if (!answer) return values;
    const best = answer.opinions[0]?.action ?? answer.move?.action;
    for (const one of answer.opinions) values.set(one.action, { text: short(one.value), best: one.action === best });
    if (!answer.opinions.length && answer.move) values.set(answer.move.action, { text: "★", best: true });
    return values;
  }

  render() {
    const { view } = this.now();
    if (!view) return;
    this.onValues(this.values(view.ply));
    if (!this.specs.length) {
      this.body.replaceChildren(h("p", { class: "soft" }, "Ask any agent what it thinks of each move here."));
      return;
    }
    const answers = this.specs.map((spec) => this.answer(spec, view.ply));
    const order = new Map(); // moves in the order of the first adviser who ranks them
    for (const answer of answers) {
      for (const one of answer?.opinions ?? []) if (!order.has(one.action)) order.set(one.action, one.text);
      if (answer?.move && !order.has(answer.move.action)) order.set(answer.move.action, answer.move.text);
    }
    const head = this.specs.map((spec, i) =>
      h("th", { scope: "col" }, h("span", { class: `key ${COLOURS[i]}` }), spec, " ",
        h("button", { type: "button", class: "plain", "aria-label": `remove ${spec}`, onclick: () => this.remove(spec) }, "×")));
    const rows = [...order].slice(0, MOST_MOVES).map(([action, text]) =>
      h("tr", {}, h("th", { scope: "row" }, text), answers.map((answer) => cell(answer, action))));
    const notes = answers.map((answer, i) => answer === null || answer === undefined ? (view.turn < 0 ? "" : `${this.specs[i]} is thinking …`) : answer.failed ?? answer.note ?? "").filter(Boolean);
    const units = [...new Set(answers.flatMap((answer) => (answer?.opinions.length ? [answer.unit] : [])))];
    this.body.replaceChildren(
      h("div", { class: "box" }, h("table", {}, h("thead", {}, h("tr", {}, h("td", {}), head)), h("tbody", {}, rows))),
      ...notes.map((note) => h("p", { class: "soft" }, note)),
      rows.length ? h("p", { class: "soft" }, `${units.length ? `${units.join("; ")}, for the seat to move. ` : ""}★ what it would play; = exact`) : "");
    for (const answer of answers) if (answer?.reason?.text) this.body.append(h("p", { class: "soft" }, `${answer.agent}: ${answer.reason.text}`));
  }

  // Ask the advisers about every position, and draw what they say as a graph.
  async analyse() {
    if (!this.specs.length) this.specs.push(this.first());
    const { state } = this.now();
    const last = state.history.length - (state.over ? 1 : 0);
    for (let ply = 0; ply <= last && !this.stopped; ply += 1) {
      if (this.now().state.version !== state.version) return;
      for (const spec of this.specs) await this.ask(spec, ply);
      this.draw();
    }
    this.render();
  }

  // The value of each position for the first seat, the exact ones as full dots; moves that lost most are marked.
  draw() {
    const { state } = this.now();
    const width = 560, height = 150, pad = 10;
    const lines = this.specs.map((spec) => {
      const points = [];
      for (let ply = 0; ply <= state.history.length; ply += 1) {
        const answer = this.answer(spec, ply);
        if (!answer?.opinions?.length) continue;
        const best = answer.opinions[0];
        const sign = answer.seat === 0 ? 1 : -1;
        const played = answer.opinions.find((one) => one.text === state.history[ply]?.text);
        const lost = played && played.exact === best.exact ? best.value - played.value : 0;
        points.push({ ply, value: sign * best.value, exact: best.exact, lost, text: state.history[ply]?.text });
      }
      return { spec, points };
    }).filter((line) => line.points.length);
    if (!lines.length) return this.graph.replaceChildren(h("p", { class: "soft" }, "These advisers do not say what positions are worth."));
    const svg = s("svg", { viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": "value of the position over the game" });
    svg.append(s("line", { x1: pad, x2: width - pad, y1: height / 2, y2: height / 2, class: "zero" }));
    const x = (ply) => pad + (ply / Math.max(1, state.history.length)) * (width - 2 * pad);
    const worst = [];
    lines.forEach(({ spec, points }, i) => {
      const most = Math.max(1e-9, ...points.map((point) => Math.abs(point.value)));
      const y = (value) => height / 2 - (value / most) * (height / 2 - pad);
      svg.append(s("polyline", { points: points.map((point) => `${x(point.ply)},${y(point.value)}`).join(" "), class: `curve ${COLOURS[i]}` }));
      for (const point of points.filter((one) => one.exact)) svg.append(s("circle", { cx: x(point.ply), cy: y(point.value), r: 2.5, class: `exact ${COLOURS[i]}` }));
      for (const point of [...points].sort((a, b) => b.lost - a.lost).slice(0, 3).filter((one) => one.lost > 0.05 * most)) {
        svg.append(s("circle", { cx: x(point.ply), cy: y(point.value), r: 5, class: "worst" }));
        worst.push({ spec, ...point });
      }
    });
    svg.addEventListener("click", (event) => {
      const box = svg.getBoundingClientRect();
      this.goTo(Math.round(((((event.clientX - box.left) / box.width) * width - pad) / (width - 2 * pad)) * state.history.length));
    });
    this.graph.replaceChildren(svg, h("p", { class: "soft" }, `Value for ${state.seats[0].name}, each adviser on its own scale. Rings: the moves that lost most.`),
      h("div", { class: "row" }, worst.sort((a, b) => a.ply - b.ply).map((one) => h("button", { type: "button", onclick: () => this.goTo(one.ply) }, `${one.ply + 1}. ${one.text} −${short(one.lost).replace("+", "")}`))));
  }
}

function cell(answer, action) {
  if (!answer) return h("td", {}, "…");
  const one = answer.opinions.find((found) => found.action === action);
  const star = answer.move?.action === action ? "★ " : "";
  const title = one ? `depth ${one.depth}, ${one.nodes} positions: ${one.line.join(" ")}` : "";
  return h("td", { title, class: star ? "best" : "" }, star + (one ? `${one.exact ? "= " : ""}${short(one.value)}` : ""));
}

function short(value) {
  const digits = Math.abs(value) >= 100 ? 0 : Math.abs(value) >= 10 ? 1 : 2;
  return (value > 0 ? "+" : "") + value.toFixed(digits);
}
