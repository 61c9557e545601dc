// All that the page knows of one game, in one object, and conclusions from it. Nothing here draws or asks.

const OVER = -2; // instead of a seat whose turn it is

// `opened`: the number of moves after which the position is shown at first, as the address has it.
export function begin(opened) {
  return {
    game: null, // as the server last told it
    shown: opened === undefined ? null : Number(opened), // the number of moves after which the position is shown; null for now
    view: null, // the position that is shown
    left: 0, // how many moves there were when another position than the last was chosen
    chosen: { picked: 0 }, // what has been touched on the board
    held: false, // the button that shows what everybody knows
    store: "", // the file in which finished games can be kept
    reasons: new Map(), // by number of the move, those that were asked for afterwards
    advisers: [], // their specs
    answers: new Map(), // of advisers, by position
  };
}

// Take in what the server tells of the game: the position that is shown stays, if the moves up to it are the same.
export function hear(state, now) {
  const { game: known, reasons, shown } = state;
  const unchanged = (number) => (known ? same(known.history[number], now.history[number]) : true);
  const stays = shown >= 0 && shown < now.history.length && now.history.slice(0, shown).every((_, i) => unchanged(i));
  if (!stays) state.shown = null;
  if (!known) state.left = now.history.length;
  for (const number of reasons.keys()) if (!unchanged(number)) reasons.delete(number);
  state.game = now;
}
const same = (one, other) => one?.text === other?.text && one?.chance === other?.chance;

// How many moves the position that is shown has behind it.
export const plyOf = ({ shown, game }) => shown ?? game.history.length;

// The position that is shown is a person's to move in, and the agents sit.
export const mayPlay = ({ shown, game }) => shown === null && isMine(game);
export const isMine = (game) => !game.over && game.people.includes(game.turn);

export const who = (game, seat) => (game.seats[seat].who === "me" ? "you" : game.seats[seat].who);

// The roll that a move answers.
export function rolled(game, number) {
  const text = number === 0 ? game.first.join(" ") : game.history[number - 1].chance;
  return text ? `${text}: ` : "";
}

// How many moves are left when something is taken back; -1 if nothing can be.
export function before(game) {
  if (game.over && game.view?.turn !== OVER) return game.history.length; // all of them: somebody resigned or forfeited
  const mine = game.history.map((move) => game.people.includes(move.seat));
  return game.people.length ? mine.lastIndexOf(true) : game.history.length - 1;
}

// The number of the move whose reason is shown: the last one, unless only one shortly before has a reason.
export function explained({ shown, game }) {
  const last = plyOf({ shown, game }) - 1;
  const first = shown === null ? Math.max(0, last - game.seats.length) : last;
  for (let number = last; number >= first; number -= 1) if (game.history[number]?.why) return number;
  return last;
}

// A sentence about the course of the game.
export function statusText(state) {
  const { game, shown } = state;
  const passed = game.history.at(-1);
  if (shown === null && passed && !game.over && /^(pass|cannot move)$/.test(passed.text)) {
    return `${game.seats[passed.seat].name} ${passed.text === "pass" ? "had to pass" : "could not move"}. ${whoseTurn(state)}`;
  }
  return whoseTurn(state);
}

function whoseTurn({ game, shown, view }) {
  if (game.failure) return game.failure;
  if (shown !== null) return `After move ${shown} of ${game.history.length}`;
  if (!game.ready) return "The agents sit down …";
  if (game.over) return game.result;
  const { name } = game.seats[game.turn];
  if (!game.people.includes(game.turn)) return `${name} (${who(game, game.turn)}) ${game.paused ? "is to move; the game is paused" : "is thinking …"}`;
  const only = view.moves.length === 1 && !view.moves[0].path.length;
  const several = game.people.length > 1 || game.seats.length > 2 ? ` (${name})` : "";
  return only ? `You can only ${verb(view.moves[0].text)}${several}` : `Your turn${several}`;
}
const verb = (text) => (text === "cannot move" ? "let the others go on: no checker can move" : text);
