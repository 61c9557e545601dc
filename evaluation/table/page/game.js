// One game: asks for its changes, hears of them, and keeps the page as its state is.

import { get, link, listen, post } from "./api.js";
import { Advisers } from "./advisers.js";
import { Board } from "./board.js";
import { h, refill, say } from "./dom.js";
import * as panels from "./panels.js";
import { inWords, worths } from "./reasons.js";
import { askToResign } from "./resign.js";
import { before, begin, hear, mayPlay, plyOf, statusText } from "./state.js";

const LOST = "The table does not answer. It will go on when it is back.";
const LOCKED = "The table was started anew. Open the address that it printed, in this browser; then this page goes on, too.";
const SMALLEST_TOUCH = 18; // pixels

export function showGame(main, key, opened) {
  const at = `tables/${key}`;
  const state = begin(opened);

  // --- what the page consists of ---

  const heading = h("h1", { class: "sr" }, "A game");
  const notes = h("ul", { class: "notes", "aria-label": "Remarks on the record", hidden: true });
  const holder = h("div", { class: "board" });
  const players = h("ul", { class: "players" });
  const status = h("p", { class: "status", "aria-live": "polite" });
  const choices = h("div", { class: "choices" });
  const steps = h("div", { class: "steps" });
  const slider = h("input", { type: "range", min: 0, "aria-label": "move", oninput: () => goTo(Number(slider.value)) });
  const doings = h("div", { class: "doing row" });
  const facts = h("dl", { class: "facts" });
  const moves = h("details", { class: "moves" });
  const history = h("ol", { class: "history" });
  const played = h("section", { "aria-label": "Moves" }, h("h2", {}, "Moves"), history);
  const why = h("section", { class: "why", "aria-label": "Why?" });
  const record = h("details", { class: "record" });
  const offline = h("p", { class: "offline", hidden: true });
  const board = new Board(holder, { onPlay: play, onChange, preview });
  const advisers = new Advisers(at, state, { onValues: (values) => state.view && board.label(values), goTo });
  const doing = {
    act, again, askWhy, copy, download, goTo, hint, keep, look, play, release, resign, rewind, takeBack,
    confirm: () => board.confirm(),
    turn: () => board.turn(),
    undo: () => board.undo(),
  };

  main.replaceChildren(
    heading,
    h("div", { class: "game" },
      h("div", { class: "left" }, offline, notes, players, holder, status, choices, steps, doings, moves),
      h("div", { class: "right" }, facts, why, advisers.element,
        played, record)));
  holder.tabIndex = -1;

  // --- doing ---

  async function preview(action) {
    return state.game.hidden ? null : (await get(`${at}/plies/${state.view.ply}/after/${action}`)).svg;
  }

  async function act(name, body = {}) {
    try {
      return await post(`${at}/${name}`, body);
    } catch (error) {
      say(error.message, true);
      if (state.game) render(); // the board shows the move as made
      return null;
    }
  }
  function play(action) {
    if (state.shown === null) act("play", { action, version: state.game.version });
  }
  function onChange(chosen) {
    state.chosen = chosen;
    renderChoices();
  }
  function takeBack() {
    if (board.undo()) return;
    rewind(before(state.game));
  }
  function rewind(ply) {
    state.shown = null;
    act("rewind", { ply, version: state.game.version });
  }
  function resign() {
    const { version } = state.game;
    askToResign(state.game.view.resignations, (lost) => {
      state.shown = null;
      act("resign", { lost, version });
    });
  }
  async function hint(andPlay) {
    const { version } = state.game;
    say("Thinking …");
    const advice = await act("advice", { agent: advisers.first(), ply: state.game.history.length });
    if (!advice) return;
    say("");
    if (!advice.move) {
      say(advice.note, true);
    } else if (andPlay) {
      state.shown = null;
      act("play", { action: advice.move.action, version });
    } else {
      const worth = advice.opinions.find((one) => one.action === advice.move.action);
      say(`${advice.agent} would play ${advice.move.text}${worth ? `: ${inWords(worth, advice.unit)}` : ""}`);
    }
  }
  async function again(swap) {
    const made = await act("again", { swap });
    if (made) location.hash = link("t", made.key);
  }
  async function keep() {
    const kept = await act("keep");
    if (kept) say(`Kept in ${kept.store} as game ${kept.key}`);
  }
  function copy(name, text) {
    navigator.clipboard.writeText(text).then(() => say(`${name} copied`), () => say("The browser does not allow copying.", true));
  }
  const asked = (path) => get(`${at}/${path}`).catch((error) => say(error.message, true));

  async function download(format) {
    const file = await asked(`record/${format}`);
    if (!file) return;
    const address = URL.createObjectURL(new Blob([file.text], { type: "text/plain" }));
    h("a", { href: address, download: file.name }).click();
    setTimeout(() => URL.revokeObjectURL(address), 1000);
  }
  // Ask the mover about the position in which it moved, if it gave no reason at the time.
  async function askWhy(spec, number) {
    const { version } = state.game;
    const advice = await act("advice", { agent: spec, ply: number });
    if (!advice || version !== state.game.version) return;
    const { text: move } = state.game.history[number];
    const one = advice.opinions.find((opinion) => opinion.text === move);
    const line = one && one.line.length > 1 ? ` It expects ${one.line.join(" ")}.` : "";
    const text = one
      ? `Values are ${advice.unit}${one.exact ? ", exact" : ""}; it looked at ${one.nodes} position${one.nodes === 1 ? "" : "s"}, ${one.depth} deep.${line}`
      : `${spec} does not say what moves are worth.`;
    const reason = advice.reason ?? { text, values: worths(advice.opinions), svg: null };
    state.reasons.set(number, { ...reason, played: one?.play ?? move, terms: one?.terms ?? [], otherTerms: one?.other_terms ?? 0 });
    renderWhy();
  }
  async function look(event) {
    if (event.key && event.key !== " " && event.key !== "Enter") return;
    event.preventDefault();
    if (event.repeat) return;
    state.held = true;
    const sight = await asked(`plies/${state.view.ply}/known`);
    if (state.held && sight) board.cover(sight.svg);
  }
  function release() {
    state.held = false;
    board.cover(null);
  }
  async function goTo(ply) {
    if (!state.game) return;
    const last = state.game.history.length;
    if (state.shown === null) state.left = last;
    state.shown = ply >= last || ply < 0 ? null : ply;
    await render();
  }

  // --- showing ---

  async function render() {
    const wanted = state.shown;
    if (wanted !== null && wanted > state.game.history.length) state.shown = null;
    if (state.shown === null) state.view = state.game.view;
    else {
      const view = await asked(`plies/${wanted}`);
      if (state.shown !== wanted || !view) return;
      state.view = view;
    }
    const { game, view } = state;
    document.getElementById("where").textContent = game.title;
    document.title = `${game.title} · Ludarium`;
    heading.textContent = panels.heading(state);
    players.replaceChildren(...panels.players(state));
    notes.hidden = !game.notes.length;
    notes.replaceChildren(...panels.notes(state));
    renderHistory();
    renderDoings();
    renderWhy();
    record.replaceChildren(...panels.record(state, doing));
    if (view) {
      state.chosen = { picked: 0 };
      board.show(view, { live: mayPlay(state), title: `${game.title}. ${view.text}`, values: advisers.values(view.ply) });
      facts.replaceChildren(...panels.facts(state));
      facts.hidden = !view.facts.length;
      renderMoves();
    }
    renderChoices();
    refill(steps, ...panels.steps(state, doing, slider));
    status.textContent = statusText(state);
    status.className = game.over && state.shown === null ? "status over" : game.failure ? "status bad" : "status";
    advisers.refresh();
  }
  function renderChoices() {
    if (state.view && state.game) refill(choices, ...panels.choices(state, doing));
  }
  function renderDoings() {
    refill(doings, ...panels.doings(state, doing));
  }
  function renderMoves() {
    const listed = panels.moves(state, doing);
    moves.hidden = !listed.length;
    moves.open ||= mayPlay(state) && board.smallest() < SMALLEST_TOUCH; // what is too small to touch has a button
    moves.replaceChildren(...listed);
  }
  function renderHistory() {
    const entries = panels.history(state, doing);
    played.hidden = !entries.length;
    refill(history, ...entries);
    const current = history.querySelector(".now");
    history.scrollTop = current ? current.offsetTop - (history.clientHeight - current.offsetHeight) / 2 : 0;
  }
  function renderWhy() {
    const reasons = panels.why(state, doing);
    why.hidden = !reasons.length;
    why.replaceChildren(...reasons);
  }

  // --- hearing ---

  function onNews(game) {
    const first = !state.game;
    hear(state, game);
    if (first) {
      advisers.begin();
      get("lobby").then((lobby) => { state.store = lobby.store; renderDoings(); }, () => {});
    }
    render();
  }
  const stop = listen(`${at}/events`, onNews, (how) => {
    offline.hidden = how === "open";
    offline.textContent = how === "locked" ? LOCKED : LOST;
    if (how === "gone") main.replaceChildren(h("h1", {}, "No such game"), h("p", {}, h("a", { href: link() }, "Back to the lobby")));
  });
  function walk(event) {
    if (event.target.closest("input, select, textarea, dialog") || event.ctrlKey || event.metaKey || event.altKey || !state.game) return;
    const now = plyOf(state), last = state.game.history.length;
    const to = { ArrowLeft: now - 1, ArrowRight: now + 1, Home: 0, End: last }[event.key];
    if (to !== undefined && to >= 0 && to <= last) {
      event.preventDefault();
      goTo(to);
    }
  }
  addEventListener("keydown", walk);
  return () => {
    stop();
    advisers.stop();
    removeEventListener("keydown", walk);
  };
}
