// Second and third opinions: what other agents think of the position that is shown, side by side, and of the whole game.

import { post } from "./api.js";
import { h, say } from "./dom.js";
import { graph } from "./graph.js";
import { picker } from "./lobby.js";

const STRONG = { hexapawn: "expert", tictactoe: "expert", othello: "expert", backgammon: "expert", hanabi: "expert" };
const MOST_MOVES = 12;
const COLOURS = ["c0", "c1", "c2"];

export class Advisers {
  // onValues(values) shows values on the board; goTo(ply) steps there.
  constructor(at, state, { onValues, goTo }) {
    this.at = at;
    this.state = state;
    this.onValues = onValues;
    this.goTo = goTo;
    this.body = h("div", {});
    this.graph = h("div", { class: "graph" });
    this.setup = h("div", { class: "row" });
    this.element = h("section", { class: "advisers", "aria-label": "Advisers" }, h("h2", {}, "Advisers"), this.setup, this.body, this.graph);
  }

  begin() {
    const choice = picker(this.first(), false);
    choice.offer(this.state.game.game);
    this.setup.replaceChildren(choice.element,
      h("button", { type: "button", onclick: () => this.add(choice.spec()) }, "Ask"),
      h("button", { type: "button", onclick: () => this.analyse(), title: "ask about every position of the game" }, "Whole game"));
  }

  first() {
    const { advisers, game } = this.state;
    return advisers[0] ?? STRONG[game.game.split("?")[0]] ?? "mcts";
  }

  add(spec) {
    const { advisers } = this.state;
    if (!spec || advisers.includes(spec)) return;
    if (advisers.length === COLOURS.length) advisers.shift();
    advisers.push(spec);
    this.refresh();
  }

  remove(spec) {
    this.drop(spec);
    this.refresh();
  }

  drop(spec) {
    this.state.advisers = this.state.advisers.filter((one) => one !== spec);
  }

  stop() {
    this.stopped = true;
  }

  // The key of a position: the moves that led to it.
  key(spec, ply) {
    const { game } = this.state;
    return `${spec}\n${game.first.join()}\n${game.history.slice(0, ply).map((move) => `${move.text} ${move.chance}`).join("\n")}`;
  }

  answer(spec, ply) {
    return this.state.answers.get(this.key(spec, ply));
  }

  async ask(spec, ply) {
    const key = this.key(spec, ply);
    if (!this.state.answers.has(key)) {
      this.state.answers.set(key, null);
      try {
        this.state.answers.set(key, await post(`${this.at}/advice`, { agent: spec, ply }));
      } catch (error) {
        this.state.answers.set(key, { failed: error.message, opinions: [], move: null });
        if (error.status === 403 || error.status === 400) {
          say(error.message, true);
          this.drop(spec);
        }
      }
    }
    return this.state.answers.get(key);
  }

  // Ask about the position that is shown.
  async refresh() {
    this.render();
    const { view, advisers } = this.state;
    if (!view || view.turn < 0 || this.stopped) return;
    const { ply } = view;
    await Promise.all(advisers.map(async (spec) => {
      await this.ask(spec, ply);
      if (!this.stopped && this.state.view?.ply === ply) this.render();
    }));
  }

  values(ply) {
    const { advisers } = this.state;
    const answer = advisers.length ? this.answer(advisers[0], ply) : null;
    const values = new Map();
    if (!answer) return values;
    const best = played(answer);
    for (const one of answer.opinions) values.set(one.action, { text: short(one), best: one.action === best });
    if (!answer.opinions.length && answer.move) values.set(answer.move.action, { text: "★", best: true });
    return values;
  }

  render() {
    const { view, advisers } = this.state;
    if (!view) return;
    this.onValues(this.values(view.ply));
    if (!advisers.length) {
      this.body.replaceChildren(h("p", { class: "soft" }, "Ask any agent what it thinks of each move here."));
      return;
    }
    const answers = advisers.map((spec) => this.answer(spec, view.ply));
    const order = new Set(); // plays in the order of the first adviser who ranks them
    for (const answer of answers) {
      const chosen = answer && playOf(answer, played(answer));
      for (const play of [chosen, ...(answer?.opinions ?? []).map((one) => one.play)]) if (play) order.add(play);
    }
    const head = advisers.map((spec, i) =>
      h("th", { scope: "col" }, h("span", { class: `key ${COLOURS[i]}` }), spec, " ",
        h("button", { type: "button", class: "plain", "aria-label": `remove ${spec}`, onclick: () => this.remove(spec) }, "×")));
    const rows = [...order].slice(0, MOST_MOVES).map((play) => h("tr", {}, h("th", { scope: "row" }, play), answers.map((answer) => cell(answer, play))));
    const notes = answers.map((answer, i) => answer === null || answer === undefined ? (view.turn < 0 ? "" : `${advisers[i]} is thinking …`) : answer.failed ?? answer.note ?? "").filter(Boolean);
    const units = new Map(); // who counts in what
    answers.forEach((answer, i) => answer?.opinions.length && units.set(answer.unit, [...(units.get(answer.unit) ?? []), advisers[i]]));
    const counted = [...units].map(([unit, specs]) => (units.size > 1 ? `${specs.join(", ")}: ${unit}` : unit)).join("; ");
    this.body.replaceChildren(
      h("div", { class: "box" }, h("table", {}, h("thead", {}, h("tr", {}, h("td", {}), head)), h("tbody", {}, rows))),
      ...notes.map((note) => h("p", { class: "soft" }, note)),
      rows.length ? h("p", { class: "soft" }, `${counted ? `Values: ${counted}, for the seat to move. ` : ""}★ what it would play${answers.some((answer) => answer?.opinions.some(marked)) ? "; = exact" : ""}${answers.some((answer) => answer?.opinions.some((one) => one.bound)) ? "; ≤ at most" : ""}`) : "");
    for (const answer of answers) if (answer?.reason?.text) this.body.append(h("p", { class: "soft" }, `${answer.agent}: ${answer.reason.text}`));
  }

  // Ask the advisers about every position, and draw what they say as a graph.
  async analyse() {
    const { advisers, game } = this.state;
    if (!advisers.length) advisers.push(this.first());
    const last = game.history.length - (game.over ? 1 : 0);
    for (let ply = 0; ply <= last && !this.stopped; ply += 1) {
      if (this.state.game.version !== game.version) return;
      for (const spec of this.state.advisers) await this.ask(spec, ply);
      this.draw();
    }
    this.render();
  }

  // The value of each position for the first seat, in a graph for each unit; scores compare nothing but moves.
  draw() {
    const { advisers, game } = this.state;
    const units = new Map();
    const scores = new Set();
    advisers.forEach((spec, i) => {
      for (let ply = 0; ply <= game.history.length; ply += 1) {
        const answer = this.answer(spec, ply);
        if (!answer?.opinions?.length) continue;
        if (!answer.comparable) {
          scores.add(spec);
          continue;
        }
        if (!units.has(answer.unit)) units.set(answer.unit, { even: answer.even, lines: new Map() });
        const { lines } = units.get(answer.unit);
        if (!lines.has(spec)) lines.set(spec, { spec, colour: COLOURS[i], points: [] });
        lines.get(spec).points.push(point(answer, ply, game.history[ply]?.text));
      }
    });
    const graphs = [...units].map(([unit, { even, lines }]) => graph({
      unit, even, lines: [...lines.values()], plies: game.history.length, name: even === null ? "" : game.seats[0].name,
      width: this.graph.clientWidth, goTo: this.goTo,
    }));
    const notes = [];
    if (graphs.some((one) => one.querySelector(".worst"))) notes.push("Rings: the moves that lost most.");
    if (scores.size) notes.push(`Not in the graph: ${[...scores].join(", ")}, whose scores only compare the moves of one position.`);
    if (!graphs.length && !scores.size) notes.push("These advisers do not say what positions are worth.");
    this.graph.replaceChildren(...graphs, h("p", { class: "soft" }, notes.join(" ")));
  }
}

// The action that an adviser plays.
function played(answer) {
  return answer.played ?? answer.move?.action;
}

// The whole play that an action begins, which may also be made in another order.
function playOf(answer, action) {
  return answer.opinions.find((one) => one.action === action)?.play ?? (answer.move?.action === action ? answer.move.play : undefined);
}

// What a position is worth to the first seat, and what was lost by the move that was made there.
function point(answer, ply, text) {
  const best = answer.opinions[0];
  const value = answer.seat === 0 || answer.even === null ? best.value : 2 * answer.even - best.value;
  const made = answer.opinions.find((one) => one.text === text);
  const noise = made ? 2 * Math.hypot(best.error ?? 0, made.error ?? 0) : 0; // of means of samples
  const gap = made && made.exact === best.exact ? best.value - made.value : 0;
  const lost = gap > noise ? gap : 0;
  const how = made && word(made) && word(best) ? `${word(best)} → ${word(made)}` : `−${number(lost)}`;
  return { ply, value, exact: best.exact, lost, how, text };
}

function cell(answer, play) {
  if (!answer) return h("td", {}, "…");
  const one = answer.opinions.find((opinion) => opinion.play === play);
  const star = playOf(answer, played(answer)) === play ? "★ " : "";
  const title = one ? `depth ${one.depth}, ${one.nodes} positions: ${one.line.join(" ")}` : "";
  return h("td", { title, class: star ? "best" : "" }, star + (one ? `${one.bound ? "≤ " : marked(one) ? "= " : ""}${one.worth}` : ""));
}

// Whether a number must be said to be exact; words say so themselves.
function marked(one) {
  return one.exact && !word(one);
}

// What fits on a square of the board.
function short(one) {
  return word(one) || `${one.worth.startsWith("+") ? "+" : ""}${number(one.value)}`;
}

// Who wins, if the adviser says it in words.
function word(one) {
  return { wins: "win", draws: "draw", loses: "loss" }[one.worth.split(" ")[0]] ?? "";
}

function number(value) {
  return value.toFixed(Math.abs(value) >= 100 ? 0 : Math.abs(value) >= 10 ? 1 : 2);
}
