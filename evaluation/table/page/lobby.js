// The lobby: choose a game, its options, and who sits where.

import { get, link, post } from "./api.js";
import { drawing, h, say } from "./dom.js";

const ME = "me";
const OTHER = "other …";
const LOT = "lot";
const ROLLED = { backgammon: true }; // dice decide who moves first

export async function showLobby(main) {
  const state = {
    games: [], // that can be played
    tables: [], // the latest
    entering: false, // a game is being made: one click too many must not make another
  };
  try {
    Object.assign(state, await get("lobby"));
  } catch (error) {
    main.replaceChildren(h("h1", { class: "locked" }, "The table is locked"), h("p", {}, error.message));
    return;
  }
  const setup = h("section", { class: "setup", "aria-label": "Set up" });
  const cards = state.games.map((game) => card(game, () => choose(game)));

  async function choose(game) {
    await ask("agents", game.name);
    cards.forEach((one, i) => one.setAttribute("aria-pressed", state.games[i] === game));
    setup.replaceChildren(form(state, game));
    setup.scrollIntoView({ block: "nearest", behavior: matchMedia("(prefers-reduced-motion)").matches ? "auto" : "smooth" });
  }
  const others = h("div", {});
  main.replaceChildren(h("h1", {}, "Sit down at a game"), h("div", { class: "cards" }, cards), setup, ...latest(state), opener(state), others);
  others.replaceChildren(await stored(state));
}

// Make a game, and go to it.
async function enter(state, make) {
  if (state.entering) return;
  state.entering = true;
  try {
    const made = await make();
    say(""); // an error of before is none any more
    location.hash = link("t", made.key);
  } catch (error) {
    state.entering = false;
    say(error.message, true);
  }
}

function card(game, onclick) {
  const picture = h("div", { class: "picture", "aria-hidden": "true" });
  get(`pictures/${game.name}`).then(({ svg }) => picture.append(drawing(svg)), () => {});
  return h("button", { class: "card", type: "button", "aria-pressed": "false", onclick }, picture, h("span", {}, game.title));
}

// The games of the store that the command was given.
async function stored(state) {
  const kept = await get("stored").catch(() => ({ games: [] }));
  if (!kept.games.length) return "";
  const open = (key) => enter(state, () => post("stored", { key }));
  const rows = kept.games.map((game) =>
    h("li", {}, h("button", { type: "button", class: "plain", onclick: () => open(game.key) }, `${title(state, game.game)}: ${game.names.join(" – ")}`),
      h("span", { class: "soft" }, ` ${game.payoff > 0 ? "+" : ""}${game.payoff}`)));
  const count = kept.count > rows.length ? `, the first ${rows.length} of ${kept.count} games` : "";
  return h("section", {}, h("h2", {}, `Games of ${kept.name}${count}`), h("ul", { class: "latest stored" }, rows));
}

// A recorded game: of this page, a transcript or GGF, a match file, or hanab.live's JSON.
function opener(state) {
  const open = (name, text) => enter(state, () => post("records", { name, text }));
  const file = h("input", { type: "file", "aria-label": "file with a recorded game", onchange: async () => open(file.files[0].name, await file.files[0].text()) });
  const typed = h("input", { type: "text", placeholder: "f5d6c3d3c4 …", spellcheck: "false", "aria-label": "moves of an Othello game" });
  const submit = (event) => { event.preventDefault(); open("moves.txt", typed.value); };
  return h("section", { class: "opener" }, h("h2", {}, "Open a recorded game"),
    h("p", { class: "soft" }, "A game saved here, an Othello transcript or GGF, a backgammon match (.mat), hanab.live JSON."),
    h("div", { class: "row" }, file, h("form", { class: "row", onsubmit: submit }, typed, h("button", { type: "submit" }, "Open moves"))));
}

function latest(state) {
  if (!state.tables.length) return [];
  const rows = state.tables.map((table) =>
    h("li", {},
      h("a", { href: link("t", table.key) }, title(state, table.game)),
      h("span", { class: "soft" }, ` ${table.seats.map((who) => (who === ME ? "you" : who)).join(" – ")} · `,
        table.result || `${table.moves} move${table.moves === 1 ? "" : "s"} so far`)));
  return [h("section", {}, h("h2", {}, "Go on with a game"), h("ul", { class: "latest" }, rows))];
}

const title = (state, spec) => state.games.find((game) => game.name === spec.split("?")[0])?.title ?? spec;

function form(state, game) {
  const values = Object.fromEntries(game.options.map((option) => [option.name, option.default]));
  const seats = h("div", { class: "seats" });
  const pickers = [];
  const first = h("select", {});

  function seatsNow() {
    return typeof values.seats === "number" ? values.seats : game.seats;
  }
  function arrange() {
    while (pickers.length > seatsNow()) pickers.pop();
    while (pickers.length < seatsNow()) pickers.push(picker(pickers.length ? "greedy" : ME));
    for (const one of pickers) one.offer(spec());
    seats.replaceChildren(...pickers.map((one, seat) => h("div", { class: "seat" }, h("span", { class: "name" }, seatName(game, seat)), one.element)));
    renderFirst();
  }
  // Seats stand in the order in which they move, so who moves first sits first.
  function renderFirst() {
    const names = pickers.map((one) => one.name());
    const same = names.every((name) => name === names[0]);
    first.replaceChildren(...names.map((name, i) => h("option", { value: String(i) }, same ? seatName(game, i) : name)), h("option", { value: LOT }, "at random"));
  }
  function seated() {
    const begins = first.value === LOT ? Math.floor(Math.random() * pickers.length) : Number(first.value);
    return pickers.map((_, seat) => pickers[(seat + begins) % pickers.length].spec());
  }
  const options = game.options.map((option) => field(option, (value) => { values[option.name] = value; arrange(); }));
  const seed = h("input", { type: "number", min: 0, placeholder: "random", inputmode: "numeric" });
  const position = h("input", { type: "text", placeholder: "the game's own start", spellcheck: "false" });

  function spec() {
    const changed = game.options.filter((option) => values[option.name] !== option.default);
    const query = changed.map((option) => `${option.name}=${values[option.name] === true ? "True" : values[option.name] === false ? "False" : values[option.name]}`);
    return game.name + (query.length ? `?${query.join("&")}` : "");
  }
  function submit(event) {
    event.preventDefault();
    const asked = { game: spec(), seats: seated() };
    if (seed.value) asked.seed = Number(seed.value);
    if (position.value.trim()) asked.position = position.value.trim();
    enter(state, () => post("tables", asked));
  }
  seats.addEventListener("change", renderFirst);
  arrange();
  const whole = h("form", { onsubmit: submit },
    h("h2", {}, game.title),
    seats,
    h("label", { class: "seat first" }, h("span", { class: "name" }, game.name in ROLLED ? "first seat" : "moves first"), h("span", {}, first)),
    h("div", { class: "row" },
      h("button", { type: "submit", class: "main" }, "Play")),
    h("details", {}, h("summary", {}, "Options, seed and position"),
      h("div", { class: "options" }, options,
        h("label", { class: "field" }, h("span", {}, "seed"), seed),
        game.hidden ? null : h("label", { class: "field" }, h("span", {}, "position"), position))));
  whole.addEventListener("invalid", unfold, true);
  return whole;
}

// The browser says what is wrong with a field only where it can be seen.
function unfold(event) {
  for (let at = event.target.closest("details"); at; at = at.parentElement.closest("details")) at.open = true;
}

const seatName = (game, seat) => game.seat_names[seat] ?? ["alice", "bob", "cathy", "donald", "emily"][seat] ?? `player ${seat}`;

function field(option, onchange) {
  let input;
  if (typeof option.default === "boolean") {
    input = h("input", { type: "checkbox", checked: option.default, onchange: (event) => onchange(event.target.checked) });
  } else if (option.choices) {
    input = h("select", { onchange: (event) => onchange(option.choices[event.target.selectedIndex]) },
      option.choices.map((choice) => h("option", { selected: choice === option.default }, String(choice))));
  } else {
    input = h("input", { type: "number", required: true, min: option.low, max: option.high, value: String(option.default), onchange: (event) => event.target.validity.valid && onchange(Number(event.target.value)) });
  }
  return h("label", { class: "field", title: option.help }, h("span", {}, option.name.replaceAll("_", " ")), input, h("small", {}, option.help));
}

// What may be chosen for a game with its options, asked for once; trained agents may take a while to be found.
const answers = new Map();
function ask(kind, spec) {
  const path = `${kind}/${encodeURIComponent(spec)}`;
  if (!answers.has(path)) answers.set(path, get(path).then((answer) => answer[kind]).catch(() => answers.delete(path) && []));
  return answers.get(path);
}

// A seat: a person, an agent with its options, a member of a trained population, or whatever is typed in. What is
// offered depends on the game, which may change.
export function picker(chosen, withMe = true) {
  const typed = h("input", { type: "text", class: "typed", placeholder: "mcts?simulations=1000", spellcheck: "false", "aria-label": "agent", hidden: true });
  const options = h("span", { class: "agent-options" });
  const select = h("select", { "aria-label": "who sits here", onchange: changed });
  const more = h("details", { class: "more" }, h("summary", {}, "options"), options);
  const inputs = new Map();
  let agents = [];
  let game;

  async function offer(wanted) {
    game = wanted;
    const named = await ask("agents", wanted);
    if (!named.length) return; // no such game; the server says so when it is to be played
    if (game === wanted) fill(named, []);
    const trained = (await ask("runs", wanted)).flatMap((run) => run.members);
    if (game === wanted && trained.length) fill(named, trained);
  }
  function fill(named, trained) {
    const [before, fresh] = [select.value || chosen, !agents.length];
    agents = named;
    select.replaceChildren(...[
      withMe ? h("option", { value: ME }, "Me") : null,
      h("optgroup", { label: "Agents" }, agents.map((agent) => h("option", {}, agent.name))),
      trained.length ? h("optgroup", { label: "Trained" }, trained.map((one) => h("option", { value: one.spec }, `${one.spec}${one.merit ? ` · ${one.merit}` : ""}`))) : null,
      h("option", {}, OTHER)].filter(Boolean));
    select.value = before;
    if (select.selectedIndex < 0) select.value = agents[0].name;
    if (fresh || select.value !== before) select.dispatchEvent(new Event("change", { bubbles: true }));
  }
  function changed() {
    typed.hidden = select.value !== OTHER;
    inputs.clear();
    const agent = agents.find((one) => one.name === select.value);
    for (const option of agent?.options ?? []) {
      inputs.set(option.name, [option.default, h("input", { type: "text", value: String(option.default), size: 6, spellcheck: "false" })]);
    }
    options.replaceChildren(...[...inputs].map(([name, [, input]]) => h("label", {}, `${name} `, input)));
    more.hidden = !inputs.size;
  }
  function spec() {
    if (select.value === OTHER) return typed.value.trim();
    const settings = [...inputs].filter(([, [usual, input]]) => input.value.trim() !== String(usual)).map(([name, [, input]]) => `${name}=${input.value.trim()}`);
    return (select.value || chosen) + (settings.length ? `?${settings.join("&")}` : "");
  }
  const name = () => (select.value === OTHER ? spec() || OTHER : select.selectedOptions[0]?.textContent ?? chosen);
  return { element: h("span", { class: "picker" }, select, typed, more), offer, spec, name };
}
