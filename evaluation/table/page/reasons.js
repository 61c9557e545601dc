// Reasons as tables: what the moves are worth, and what an evaluation adds up.

import { h } from "./dom.js";

const MOST_MOVES = 8;

// What a move is worth, with the unit where it is a number.
export function inWords(one, unit) {
  return /^[a-z]/.test(one.worth) ? one.worth : `${one.worth} ${unit}${one.exact ? ", exact" : ""}`;
}

// What the moves of an adviser's answer are worth, for `valueTable`; each play once.
export function worths(opinions) {
  const plays = new Map();
  for (const one of opinions) if (!plays.has(one.play)) plays.set(one.play, [one.play, `${one.bound ? "≤ " : ""}${one.worth}`, one.odds]);
  return [...plays.values()];
}

// The best moves with their values and, where they are known, the probabilities of outcomes; the one played is marked.
export function valueTable({ values, played }) {
  const rows = values.slice(0, MOST_MOVES);
  const mine = values.find(([text]) => text === played);
  if (mine && !rows.includes(mine)) rows.push(mine);
  const names = (rows[0][2] ?? []).map(([name]) => name);
  const head = names.length ? h("thead", {}, h("tr", {}, h("td", {}), heads(["value", ...names]))) : null;
  return h("div", { class: "box" }, h("table", { class: names.length ? "odds" : "" }, head, h("tbody", {}, rows.map(([text, value, odds = []]) =>
    h("tr", { class: text === played ? "played" : "" }, h("th", { scope: "row" }, text), h("td", {}, typeof value === "number" ? value.toFixed(3) : value),
      odds.map(([, chance]) => h("td", {}, `${(100 * chance).toFixed(1)}%`)))))));
}

// Features times weights, the largest products first.
export function termTable({ terms, otherTerms, played }) {
  const sum = terms.reduce((total, [, , , value]) => total + value, otherTerms);
  const row = (name, cells, how = "") => h("tr", { class: how }, h("th", { scope: "row" }, name), cells.map((cell) => h("td", {}, cell)));
  return h("div", { class: "box" }, h("table", { class: "terms" },
    h("caption", {}, `The evaluation after ${played}, without looking ahead`),
    h("thead", {}, h("tr", {}, h("td", {}), heads(["amount", "weight", "value"]))),
    h("tbody", {}, terms.map(([name, ...numbers]) => row(name, numbers.map(short))),
      otherTerms ? row("all others", ["", "", short(otherTerms)]) : null,
      row("sum", ["", "", short(sum)], "played"))));
}

const heads = (names) => names.map((name) => h("th", { scope: "col" }, name.replace("backgammon", "back\u00ADgammon"))); // may be broken there

// Four digits that count.
function short(value) {
  const size = Math.abs(value);
  return size >= 1000 ? String(Math.round(value)) : String(Number(value.toPrecision(4)));
}
