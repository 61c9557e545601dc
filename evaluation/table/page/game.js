// One game: the board, what can be done, what has happened, and why.

import { get, link, listen, post } from "/page/api.js";
import { Advisers } from "/page/advisers.js";
import { Board } from "/page/board.js";
import { drawing, h, refill, say } from "/page/dom.js";
import { inWords, termTable, valueTable, worths } from "/page/reasons.js";
import { askToResign } from "/page/resign.js";

const OVER = -2;
const IDENTIFIER = /^\S{14,}$/; // of a position: what other programs read
const LOST = "The table does not answer. It will go on when it is back.";
const LOCKED = "The table was started anew. Open the address that it printed, in this browser; then this page goes on, too.";
const MOST_LISTED = 400;
const MOST_NOTES = 4;
const SMALLEST_TOUCH = 18; // pixels

export function showGame(main, key, opened) {
  const at = `tables/${key}`;
  let state = null; // the game as the server last told it
  let shown = opened === undefined ? null : Number(opened); // the number of moves after which the position is shown; null for now
  let view = null; // the position that is shown
  let left = 0; // how many moves there were when another position than the last was chosen
  let chosen = { picked: 0 };
  let store = ""; // the file in which finished games can be kept
  let held = false; // the button that shows what everybody knows
  const reasons = new Map(); // by number of the move, those that were asked for afterwards

  // --- what the page consists of ---

  const heading = h("h1", { class: "sr" }, "A game");
  const notes = h("ul", { class: "notes", "aria-label": "Remarks on the record", hidden: true });
  const holder = h("div", { class: "board" });
  const players = h("ul", { class: "players" });
  const status = h("p", { class: "status", "aria-live": "polite" });
  const choices = h("div", { class: "choices" });
  const steps = h("div", { class: "steps" });
  const doing = h("div", { class: "doing row" });
  const facts = h("dl", { class: "facts" });
  const moves = h("details", { class: "moves" });
  const history = h("ol", { class: "history" });
  const played = h("section", { "aria-label": "Moves" }, h("h2", {}, "Moves"), history);
  const why = h("section", { class: "why", "aria-label": "Why?" });
  const record = h("details", { class: "record" });
  const offline = h("p", { class: "offline", hidden: true });
  const board = new Board(holder, { onPlay: play, onChange, preview });
  const advisers = new Advisers(at, { now: () => ({ state, view }), onValues: (values) => view && board.label(values), goTo });

  main.replaceChildren(
    heading,
    h("div", { class: "game" },
      h("div", { class: "left" }, offline, notes, players, holder, status, choices, steps, doing, moves),
      h("div", { class: "right" }, facts, why, advisers.element,
        played, record)));
  holder.tabIndex = -1;

  // --- doing ---

  async function preview(action) {
    return state.hidden ? null : (await get(`${at}/plies/${view.ply}/after/${action}`)).svg;
  }

  async function act(name, body = {}) {
    try {
      return await post(`${at}/${name}`, body);
    } catch (error) {
      say(error.message, true);
      if (state) render(); // the board shows the move as made
      return null;
    }
  }
  function play(action) {
    if (shown === null) act("play", { action, version: state.version });
  }
  function onChange(now) {
    chosen = now;
    renderChoices();
  }
  // How many moves are left when something is taken back; -1 if nothing can be.
  function before() {
    if (state.over && state.view?.turn !== OVER) return state.history.length; // all of them: somebody resigned or forfeited
    const mine = state.history.map((move) => state.people.includes(move.seat));
    return state.people.length ? mine.lastIndexOf(true) : state.history.length - 1;
  }
  function takeBack() {
    if (board.undo()) return;
    rewind(before());
  }
  function rewind(ply) {
    shown = null;
    act("rewind", { ply, version: state.version });
  }
  function resign() {
    const { version } = state;
    askToResign(state.view.resignations, (lost) => {
      shown = null;
      act("resign", { lost, version });
    });
  }
  async function hint(andPlay) {
    const { version } = state;
    say("Thinking …");
    const advice = await act("advice", { agent: advisers.first(), ply: state.history.length });
    if (!advice) return;
    say("");
    if (!advice.move) return say(advice.note, true);
    if (andPlay) shown = null;
    if (andPlay) return act("play", { action: advice.move.action, version });
    const worth = advice.opinions.find((one) => one.action === advice.move.action);
    say(`${advice.agent} would play ${advice.move.text}${worth ? `: ${inWords(worth, advice.unit)}` : ""}`);
  }
  async function again(swap) {
    const made = await act("again", { swap });
    if (made) location.hash = link("t", made.key);
  }
  async function keep() {
    const kept = await act("keep");
    if (kept) say(`Kept in ${kept.store} as game ${kept.key}`);
  }
  async function download(format) {
    const found = await get(`${at}/record/${format}`).catch((error) => say(error.message, true));
    if (!found) return;
    const address = URL.createObjectURL(new Blob([found.text], { type: "text/plain" }));
    h("a", { href: address, download: found.name }).click();
    setTimeout(() => URL.revokeObjectURL(address), 1000);
  }
  // What the mover thinks of the position in which it moved, if it gave no reason at the time.
  async function askWhy(spec, number) {
    const { version } = state;
    const advice = await act("advice", { agent: spec, ply: number });
    if (!advice || version !== state.version) return;
    const one = advice.opinions.find((found) => found.text === state.history[number].text);
    const line = one && one.line.length > 1 ? ` It expects ${one.line.join(" ")}.` : "";
    const text = one
      ? `Values are ${advice.unit}${one.exact ? ", exact" : ""}; it looked at ${one.nodes} position${one.nodes === 1 ? "" : "s"}, ${one.depth} deep.${line}`
      : `${spec} does not say what moves are worth.`;
    const values = worths(advice.opinions);
    const reason = advice.reason ?? { text, values, svg: null };
    reasons.set(number, { ...reason, played: one?.play ?? state.history[number].text, terms: one?.terms ?? [], otherTerms: one?.other_terms ?? 0 });
    renderWhy();
  }
  async function goTo(ply) {
    if (!state) return;
    const last = state.history.length;
    if (shown === null) left = last;
    shown = ply >= last || ply < 0 ? null : ply;
    await render();
  }

  // --- showing ---

  async function render() {
    const wanted = shown;
    if (shown !== null && shown > state.history.length) shown = null;
    if (shown === null) view = state.view;
    else {
      const found = await get(`${at}/plies/${shown}`).catch((error) => say(error.message, true));
      if (shown !== wanted || !found) return;
      view = found;
    }
    renderPlayers();
    renderNotes();
    renderHistory();
    renderDoing();
    renderWhy();
    renderRecord();
    if (view) {
      const live = mayPlay();
      chosen = { picked: 0 };
      board.show(view, { live, title: `${state.title}. ${view.text}`, values: advisers.values(view.ply) });
      facts.replaceChildren(...view.facts.flatMap(([name, text]) => [h("dt", {}, name), h("dd", {}, text)]));
      facts.hidden = !view.facts.length;
      renderMoves(live);
    }
    renderChoices();
    renderSteps();
    renderStatus();
    advisers.refresh();
  }

  // The position that is shown is a person's to move in, and the agents sit.
  const mayPlay = () => shown === null && !state.over && state.people.includes(state.turn);
  const who = (seat) => (state.seats[seat].who === "me" ? "you" : state.seats[seat].who);

  function renderPlayers() {
    document.getElementById("where").textContent = state.title;
    const turn = view?.turn;
    document.title = `${state.title} · Ludarium`;
    heading.textContent = `${state.title}: ${state.seats.map((seat, i) => `${seat.name} ${who(i)}`).join(", ")}`;
    players.replaceChildren(...state.seats.map((seat, i) =>
      h("li", { class: i === turn ? "turn" : "", "aria-current": i === turn ? "true" : undefined },
        dot(i), h("b", {}, seat.name), who(i) === seat.name ? "" : h("span", { class: "soft" }, ` ${who(i)}`))));
  }

  // A seat's mark: in the colour of its pieces on the board, if it has one.
  function dot(seat) {
    const mark = h("span", { class: `dot seat${seat}`, "aria-hidden": "true" });
    const { colour } = state.seats[seat];
    if (colour) {
      mark.classList.add("piece");
      mark.style.setProperty("background", colour);
    }
    return mark;
  }

  // What the reader of a recorded game found odd about it.
  function renderNotes() {
    const more = state.notes.length - MOST_NOTES;
    notes.hidden = !state.notes.length;
    notes.replaceChildren(...state.notes.slice(0, MOST_NOTES).map((note) => h("li", {}, note)), more > 0 ? h("li", {}, `and ${more} more`) : "");
  }

  function renderStatus() {
    let text;
    if (state.failure) text = state.failure;
    else if (shown !== null) text = `After move ${shown} of ${state.history.length}`;
    else if (!state.ready) text = "The agents sit down …";
    else if (state.over) text = state.result;
    else if (state.people.includes(state.turn)) {
      const only = view.moves.length === 1 && !view.moves[0].path.length;
      const name = state.people.length > 1 || state.seats.length > 2 ? ` (${state.seats[state.turn].name})` : "";
      text = only ? `You can only ${verb(view.moves[0].text)}${name}` : `Your turn${name}`;
    } else text = `${state.seats[state.turn].name} (${who(state.turn)}) ${state.paused ? "is to move; the game is paused" : "is thinking …"}`;
    const passed = state.history.at(-1);
    if (shown === null && passed && !state.over && /^(pass|cannot move)$/.test(passed.text)) {
      text = `${state.seats[passed.seat].name} ${passed.text === "pass" ? "had to pass" : "could not move"}. ${text}`;
    }
    status.textContent = text;
    status.className = state.over && shown === null ? "status over" : state.failure ? "status bad" : "status";
  }
  const verb = (text) => (text === "cannot move" ? "let the others go on: no checker can move" : text);

  // Moves that have no place on the board, and the confirmation of those that need several touches.
  function renderChoices() {
    if (!view || !state) return;
    const live = mayPlay();
    const bare = live && !chosen.picked ? view.moves.filter((move) => !move.path.length) : [];
    const buttons = bare.map((move) => h("button", { class: "main", type: "button", onclick: () => play(move.action) }, capital(move.text)));
    if (live && chosen.picked) {
      if (chosen.whole) buttons.push(h("button", { class: "main", type: "button", onclick: () => board.confirm() }, `Play ${chosen.whole.text}`));
      buttons.push(h("button", { class: "often", type: "button", onclick: () => board.undo() }, "Undo"));
    }
    if (live && view.chance && !chosen.picked) {
      const { outcome, choices: all } = view.chance;
      buttons.push(h("label", { class: "dice" }, "dice ",
        h("select", { "aria-label": "enter other dice", onchange: (event) => act("chance", { outcome: Number(event.target.value), version: state.version }) },
          all.map(([number, text]) => h("option", { value: String(number), selected: number === outcome }, text)))));
    }
    if (shown !== null && !state.failure) {
      const news = state.history.length - left;
      const live = `${state.over ? "To the end" : "Live"}${news > 0 ? `: ${news} new move${news === 1 ? "" : "s"}` : ""}`;
      buttons.push(h("button", { class: "main", type: "button", onclick: () => rewind(shown) }, "Play on from here"));
      buttons.push(h("button", { class: news > 0 ? "news" : "", type: "button", title: "back to where the game is", onclick: () => goTo(-1) }, live));
    }
    refill(choices, ...buttons);
  }
  const capital = (text) => text[0].toUpperCase() + text.slice(1);

  function renderSteps() {
    const last = state.history.length;
    const now = shown ?? last;
    const button = (sign, name, to, on) => h("button", { type: "button", "aria-label": name, title: name, disabled: !on, onclick: () => goTo(to) }, sign);
    const slider = steps.querySelector("input") ?? h("input", { type: "range", min: 0, "aria-label": "move", oninput: (event) => goTo(Number(event.target.value)) });
    slider.max = last;
    slider.value = now;
    slider.disabled = !last;
    refill(steps, button("«", "first position", 0, now > 0), button("‹", "previous position", now - 1 < 0 ? 0 : now - 1, now > 0), slider,
      button("›", "next position", now + 1, now < last), button("»", "last position", last, now < last),
      h("span", { class: "soft count" }, `${now} / ${last}`));
  }

  function renderDoing() {
    const mine = !state.over && state.people.includes(state.turn);
    const button = (text, onclick, on = true, title = "") => h("button", { type: "button", disabled: !on, onclick, title }, text);
    const buttons = [button("Take back", takeBack, before() >= 0)];
    if (state.people.length) buttons.push(button("Hint", () => hint(false), mine, "what the first adviser would play"), button("Move for me", () => hint(true), mine));
    if (state.people.length < state.seats.length && (!state.people.length || state.paused)) {
      buttons.push(button(state.paused ? "Go on" : "Pause", () => act("pace", { paused: !state.paused }), !state.over));
      buttons.push(h("button", { class: "often", type: "button", disabled: state.over, onclick: () => act("pace", { paused: true, step: true }) }, "Step"));
    }
    if (!state.people.length) {
      buttons.push(h("label", { class: "pace" }, "speed ",
        h("select", { onchange: (event) => act("pace", { delay: Number(event.target.value) }) },
          [[3000, "slow"], [700, "normal"], [150, "fast"], [0, "at once"]].map(([delay, name]) => h("option", { value: String(delay), selected: state.delay === delay }, name)))));
    }
    buttons.push(button("New game", () => again(false)), button("Swap seats", () => again(true)));
    if (mine && !state.hidden) buttons.push(button("Resign", resign));
    if (state.hidden) buttons.push(holding());
    if (state.over && store && state.people.length) buttons.push(button(`Keep in ${store}`, keep));
    refill(doing, ...buttons);
  }

  // While it is held, every hand looks as its owner knows it.
  function holding() {
    const look = async (event) => {
      if (event.key && event.key !== " " && event.key !== "Enter") return;
      event.preventDefault();
      if (event.repeat) return;
      held = true;
      const found = await get(`${at}/plies/${view.ply}/known`).catch((error) => say(error.message, true));
      if (held && found) board.cover(found.svg);
    };
    const release = () => {
      held = false;
      board.cover(null);
    };
    return h("button", { type: "button", title: "hold to see every hand as its owner knows it", onpointerdown: look, onkeydown: look, onpointerup: release, onpointerleave: release, onpointercancel: release, onkeyup: release, onblur: release }, "What they know");
  }

  function renderMoves(live) {
    const placed = live ? view.moves.filter((move) => move.path.length) : [];
    moves.hidden = !placed.length;
    moves.open ||= live && board.smallest() < SMALLEST_TOUCH; // what is too small to touch has a button
    moves.replaceChildren(h("summary", {}, `All ${placed.length} moves`),
      h("div", { class: "row" }, placed.slice(0, MOST_LISTED).map((move) => h("button", { type: "button", onclick: () => play(move.action) }, move.text))));
  }

  function renderHistory() {
    const now = shown ?? state.history.length;
    const entries = state.history.map((move, i) =>
      h("li", {}, h("button", { type: "button", class: i + 1 === now ? "now" : "", "aria-current": i + 1 === now ? "step" : undefined, onclick: () => goTo(i + 1) },
        dot(move.seat), h("span", { class: "sr" }, `${state.seats[move.seat].name}: `), `${rolled(i)}${move.text}`)));
    played.hidden = !entries.length;
    refill(history, ...entries);
    const current = history.querySelector(".now");
    history.scrollTop = current ? current.offsetTop - (history.clientHeight - current.offsetHeight) / 2 : 0;
  }
  // The roll that a move answers.
  const rolled = (i) => {
    const text = i === 0 ? state.first.join(" ") : state.history[i - 1].chance;
    return text ? `${text}: ` : "";
  };

  function renderWhy() {
    const ply = shown ?? state.history.length;
    let number = ply - 1;
    while (shown === null && number > ply - 1 - state.seats.length && number >= 0 && !state.history[number].why) number -= 1;
    const told = number >= 0 && state.history[number].why;
    if (!told) number = ply - 1;
    const move = state.history[number];
    const reason = move?.why ?? reasons.get(number);
    const askable = move && !state.hidden && state.seats[move.seat].agent;
    why.hidden = !reason && !askable;
    if (why.hidden) return;
    if (!reason) {
      const spec = state.seats[move.seat].agent;
      return why.replaceChildren(h("button", { type: "button", onclick: () => askWhy(spec, number) }, `Why ${move.text}? Ask ${spec}`));
    }
    why.replaceChildren(h("h2", {}, `Why ${move.text}?`), h("p", { class: "soft" }, `${who(move.seat)}, ${state.seats[move.seat].name}`));
    if (reason.svg) why.append(h("div", { class: "picture" }, drawing(reason.svg)));
    if (reason.text) why.append(reason.text.includes("\n") ? h("pre", {}, reason.text) : h("p", {}, reason.text));
    if (reason.values.length) why.append(valueTable(reason));
    if (reason.terms?.length) why.append(termTable(reason));
  }

  function renderRecord() {
    const open = record.open;
    const chance = state.history.some((_, i) => rolled(i));
    const line = chance ? state.history.map((move, i) => `${state.seats[move.seat].name} ${rolled(i)}${move.text}`).join("\n") : state.history.map((move) => move.text).join(" ");
    const copy = (name, text) => h("button", { type: "button", onclick: () => navigator.clipboard.writeText(text).then(() => say(`${name} copied`), () => say("The browser does not allow copying.", true)) }, `Copy ${name}`);
    const identifiers = (view?.facts ?? []).filter(([, text]) => IDENTIFIER.test(text));
    record.replaceChildren(h("summary", {}, "Record"),
      h("p", { class: "soft" }, `${state.game}${state.seed === null ? "" : `, seed ${state.seed}`}${state.taken_back ? `, taken back ${state.taken_back} times` : ""}`),
      h("pre", {}, view?.text ?? ""),
      h("div", { class: "row" }, copy("moves", line), copy("board", view?.text ?? ""),
        view?.position && !identifiers.some(([, text]) => view.position.includes(text)) ? copy("position", view.position) : null, identifiers.map(([name, text]) => copy(name, text)),
        state.formats.map((name) => h("button", { type: "button", onclick: () => download(name) }, `Save as ${name}`))));
    record.open = open;
  }

  // --- hearing ---

  function hear(now) {
    const first = state === null;
    const stays = shown >= 0 && shown < now.history.length && (first || now.history.slice(0, shown).every((move, i) => same(move, state.history[i])));
    if (!stays) shown = null;
    if (first) left = now.history.length;
    for (const number of reasons.keys()) if (!same(state.history[number], now.history[number])) reasons.delete(number);
    state = now;
    if (first) {
      advisers.begin(state);
      get("lobby").then((lobby) => { store = lobby.store; renderDoing(); }, () => {});
    }
    render();
  }
  const same = (one, other) => one?.text === other?.text && one?.chance === other?.chance;
  const stop = listen(`${at}/events`, hear, (how) => {
    offline.hidden = how === "open";
    offline.textContent = how === "locked" ? LOCKED : LOST;
    if (how === "gone") main.replaceChildren(h("h1", {}, "No such game"), h("p", {}, h("a", { href: link() }, "Back to the lobby")));
  });
  function walk(event) {
    if (event.target.closest("input, select, textarea, dialog") || event.ctrlKey || event.metaKey || event.altKey || !state) return;
    const now = shown ?? state.history.length;
    const to = { ArrowLeft: now - 1, ArrowRight: now + 1, Home: 0, End: state.history.length }[event.key];
    if (to !== undefined && to >= 0 && to <= state.history.length) {
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
