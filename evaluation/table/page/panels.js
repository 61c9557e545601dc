// The parts of the page of a game, drawn from its state. `doing` has everything that their buttons do.

import { drawing, h } from "./dom.js";
import { termTable, valueTable } from "./reasons.js";
import { before, explained, isMine, mayPlay, plyOf, rolled, who } from "./state.js";

const IDENTIFIER = /^\S{14,}$/; // of a position: what other programs read
const MOST_LISTED = 400;
const MOST_NOTES = 4;
const SPEEDS = [[3000, "slow"], [700, "normal"], [150, "fast"], [0, "at once"]];

const button = (text, onclick, { on = true, ...more } = {}) => h("button", { type: "button", disabled: !on, onclick, ...more }, text);
const capital = (text) => text[0].toUpperCase() + text.slice(1);

export const heading = ({ game }) => `${game.title}: ${game.seats.map((seat, i) => `${seat.name} ${who(game, i)}`).join(", ")}`;

export function players({ game, view }) {
  const turn = view?.turn;
  return game.seats.map((seat, i) =>
    h("li", { class: i === turn ? "turn" : "", "aria-current": i === turn ? "true" : undefined },
      dot(game.seats, i), h("b", {}, seat.name), who(game, i) === seat.name ? "" : h("span", { class: "soft" }, ` ${who(game, i)}`)));
}

// A seat's mark: in the colour of its pieces on the board, if it has one.
function dot(seats, seat) {
  const mark = h("span", { class: `dot seat${seat}`, "aria-hidden": "true" });
  const { colour } = seats[seat];
  if (colour) {
    mark.classList.add("piece");
    mark.style.setProperty("background", colour);
  }
  return mark;
}

// Remarks of the reader of a recorded game.
export function notes({ game }) {
  const more = game.notes.length - MOST_NOTES;
  return [...game.notes.slice(0, MOST_NOTES).map((note) => h("li", {}, note)), more > 0 ? h("li", {}, `and ${more} more`) : ""];
}

export const facts = ({ view }) => view.facts.flatMap(([name, text]) => [h("dt", {}, name), h("dd", {}, text)]);

// Moves that have no place on the board, and the confirmation of those that need several touches.
export function choices(state, doing) {
  const { game, view, shown, left, chosen } = state;
  const live = mayPlay(state);
  const bare = live && !chosen.picked ? view.moves.filter((move) => !move.path.length) : [];
  const buttons = bare.map((move) => button(capital(move.text), () => doing.play(move.action), { class: "main" }));
  if (live && chosen.picked) {
    if (chosen.whole) buttons.push(button(`Play ${chosen.whole.text}`, doing.confirm, { class: "main" }));
    buttons.push(button("Undo", doing.undo, { class: "often" }));
  }
  if (live && view.chance && !chosen.picked) {
    const { outcome, choices: all } = view.chance;
    buttons.push(h("label", { class: "dice" }, "dice ",
      h("select", { "aria-label": "enter other dice", onchange: (event) => doing.act("chance", { outcome: Number(event.target.value), version: game.version }) },
        all.map(([number, text]) => h("option", { value: String(number), selected: number === outcome }, text)))));
  }
  if (shown !== null && !game.failure) {
    const news = game.history.length - left;
    const back = `${game.over ? "To the end" : "Live"}${news > 0 ? `: ${news} new move${news === 1 ? "" : "s"}` : ""}`;
    buttons.push(button("Play on from here", () => doing.rewind(shown), { class: "main" }));
    buttons.push(button(back, () => doing.goTo(-1), { class: news > 0 ? "news" : "", title: "back to where the game is" }));
  }
  return buttons;
}

// The slider stays the same, since somebody may hold it.
export function steps(state, doing, slider) {
  const last = state.game.history.length, now = plyOf(state);
  const step = (sign, name, to, on) => button(sign, () => doing.goTo(to), { on, "aria-label": name, title: name });
  slider.max = last;
  slider.value = now;
  slider.disabled = !last;
  return [
    step("«", "first position", 0, now > 0), step("‹", "previous position", now - 1 < 0 ? 0 : now - 1, now > 0), slider,
    step("›", "next position", now + 1, now < last), step("»", "last position", last, now < last),
    h("span", { class: "soft count" }, `${now} / ${last}`),
  ];
}

export function doings({ game, store }, doing) {
  const mine = isMine(game), watched = !game.people.length;
  const buttons = [button("Take back", doing.takeBack, { on: before(game) >= 0 })];
  if (!watched) buttons.push(button("Hint", () => doing.hint(false), { on: mine, title: "what the first adviser would play" }), button("Move for me", () => doing.hint(true), { on: mine }));
  if (game.people.length < game.seats.length && (watched || game.paused)) {
    buttons.push(button(game.paused ? "Go on" : "Pause", () => doing.act("pace", { paused: !game.paused }), { on: !game.over }));
    buttons.push(button("Step", () => doing.act("pace", { paused: true, step: true }), { on: !game.over, class: "often" }));
  }
  if (watched) {
    buttons.push(h("label", { class: "pace" }, "speed ",
      h("select", { onchange: (event) => doing.act("pace", { delay: Number(event.target.value) }) },
        SPEEDS.map(([delay, name]) => h("option", { value: String(delay), selected: game.delay === delay }, name)))));
  }
  buttons.push(button("New game", () => doing.again(false)), button("Swap seats", () => doing.again(true)));
  if (mine && !game.hidden) buttons.push(button("Resign", doing.resign));
  buttons.push(game.hidden ? holding(doing) : button("Turn the board", doing.turn));
  if (game.over && store && !watched) buttons.push(button(`Keep in ${store}`, doing.keep));
  return buttons;
}

// While it is held, every hand looks as its owner knows it.
function holding({ look, release }) {
  return button("What they know", undefined, { title: "hold to see every hand as its owner knows it", onpointerdown: look, onkeydown: look, onpointerup: release, onpointerleave: release, onpointercancel: release, onkeyup: release, onblur: release });
}

// The moves that have a place on the board, in words.
export function moves(state, doing) {
  const placed = mayPlay(state) ? state.view.moves.filter((move) => move.path.length) : [];
  if (!placed.length) return [];
  return [h("summary", {}, `All ${placed.length} moves`),
    h("div", { class: "row" }, placed.slice(0, MOST_LISTED).map((move) => button(move.text, () => doing.play(move.action))))];
}

export function history(state, doing) {
  const { game } = state, now = plyOf(state);
  return game.history.map((move, i) =>
    h("li", {}, h("button", { type: "button", class: i + 1 === now ? "now" : "", "aria-current": i + 1 === now ? "step" : undefined, onclick: () => doing.goTo(i + 1) },
      dot(game.seats, move.seat), h("span", { class: "sr" }, `${game.seats[move.seat].name}: `), `${rolled(game, i)}${move.text}`)));
}

// The reason of a move, or a button that asks for one; nothing where there is none to be had.
export function why(state, doing) {
  const { game, reasons } = state, number = explained(state);
  const move = game.history[number];
  const reason = move?.why ?? reasons.get(number);
  const spec = move && !game.hidden ? game.seats[move.seat].agent : null;
  if (!reason) return spec ? [button(`Why ${move.text}? Ask ${spec}`, () => doing.askWhy(spec, number))] : [];
  return [
    h("h2", {}, `Why ${move.text}?`), h("p", { class: "soft" }, `${who(game, move.seat)}, ${game.seats[move.seat].name}`),
    reason.svg ? h("div", { class: "picture" }, drawing(reason.svg)) : "",
    reason.text ? h(reason.text.includes("\n") ? "pre" : "p", {}, reason.text) : "",
    reason.values.length ? valueTable(reason) : "",
    reason.terms?.length ? termTable(reason) : "",
  ];
}

export function record({ game, view }, doing) {
  const dealt = game.history.some((_, i) => rolled(game, i));
  const line = dealt ? game.history.map((move, i) => `${game.seats[move.seat].name} ${rolled(game, i)}${move.text}`).join("\n") : game.history.map((move) => move.text).join(" ");
  const copy = (name, text) => button(`Copy ${name}`, () => doing.copy(name, text));
  const identifiers = (view?.facts ?? []).filter(([, text]) => IDENTIFIER.test(text));
  const named = view?.position && !identifiers.some(([, text]) => view.position.includes(text));
  return [h("summary", {}, "Record"),
    h("p", { class: "soft" }, `${game.game}${game.seed === null ? "" : `, seed ${game.seed}`}${game.taken_back ? `, taken back ${game.taken_back} times` : ""}`),
    h("pre", {}, view?.text ?? ""),
    h("div", { class: "row" }, copy("moves", line), copy("board", view?.text ?? ""), named ? copy("position", view.position) : null, identifiers.map(([name, text]) => copy(name, text)),
      game.formats.map((name) => button(`Save as ${name}`, () => doing.download(name))))];
}
