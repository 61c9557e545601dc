// The board: the server's picture, and on it the places that one may touch, by pointer, touch or keyboard.
//
// Every legal move has a path of places. Touching places in the order of a path chooses the move; a move of several
// checkers is played when it is confirmed, all others at once.

import { drawing, h, s } from "./dom.js";

const LARGEST = 2; // pixels for a unit of a picture: small boards need not fill the screen
const centre = ([x, y, width, height]) => [x + width / 2, y + height / 2];

export class Board {
  // onPlay(action) plays; onChange(state) is told what has been chosen so far; preview(action) gives a picture.
  constructor(holder, { onPlay, onChange, preview }) {
    this.holder = holder;
    this.onPlay = onPlay;
    this.onChange = onChange;
    this.preview = preview;
    this.picked = [];
    this.awaited = false; // a move was made by the keyboard, which goes on with the next
    this.turned = false; // seen from the other side of the table
    holder.addEventListener("keydown", (event) => this.key(event));
    holder.addEventListener("mousedown", (event) => {
      event.preventDefault(); // only the keyboard takes the focus to the board
      document.activeElement?.blur();
    });
  }

  show(view, { live, title, values = new Map() }) {
    if (this.svg && !this.picked.length && live === this.live && view.svg === this.view.svg && view.ply === this.view.ply) {
      this.view = view; // nothing to see has changed: a click that has begun must not lose its place
      this.label(values);
      return;
    }
    const kept = this.holder.contains(document.activeElement);
    const onPlace = kept && (this.awaited || document.activeElement !== this.holder);
    if (kept) this.holder.focus({ preventScroll: true }); // it stays on the board while its picture changes
    this.looking = null;
    this.view = view;
    this.live = live;
    this.picked = [];
    this.svg = drawing(view.svg);
    this.svg.setAttribute("role", "group");
    this.svg.setAttribute("aria-label", title);
    this.svg.removeAttribute("font-family");
    this.pieces = new Set([...this.svg.children].map((child) => child.outerHTML));
    this.lastMarks = s("g", { class: "last", "aria-hidden": "true" });
    for (const [x, y, wide, high] of view.last) {
      const gap = Math.min(wide, high) < 16 ? -1.5 : 1.5; // around what is too small to hold a frame
      this.lastMarks.append(s("rect", { x: x + gap, y: y + gap, width: wide - 2 * gap, height: high - 2 * gap, rx: 4 }));
    }
    this.ghosts = s("g", { class: "ghost", "aria-hidden": "true" });
    this.trail = s("g", { class: "trail", "aria-hidden": "true" });
    this.labels = s("g", { class: "values", "aria-hidden": "true" });
    this.targets = s("g", { class: "targets" });
    this.svg.append(this.lastMarks, this.ghosts, this.trail, this.labels, this.targets);
    this.label(values);
    const { width, height } = this.svg.viewBox.baseVal;
    this.holder.classList.toggle("broad", width > 1.4 * height); // on a narrow screen it scrolls
    this.svg.style.maxWidth = `${LARGEST * width}px`;
    this.holder.replaceChildren(this.svg);
    this.refresh();
    if (!live) return;
    this.awaited = false;
    if (onPlace) this.targets.firstChild?.focus({ preventScroll: true });
  }

  // See the board from the other side of the table; text stays upright.
  turn() {
    this.turned = !this.turned;
    this.holder.classList.toggle("turned", this.turned);
    if (this.svg) this.refresh();
  }

  // Another picture over the board for a while; null takes it away.
  cover(svg) {
    this.holder.querySelector(".cover")?.remove();
    if (svg) this.holder.append(h("div", { class: "cover" }, drawing(svg)));
  }

  // Values of moves, by action, on the last place of each.
  label(values) {
    this.labels.replaceChildren();
    const taken = new Set();
    for (const move of this.view.moves) {
      const place = move.path.at(-1);
      if (!values.has(move.action) || place === undefined || move.path.length > 2 || taken.has(place)) continue;
      taken.add(place);
      const [x, y] = centre(this.view.places[place]);
      const size = Math.min(14, this.view.places[place][2] * 0.27);
      const { text, best } = values.get(move.action);
      this.labels.append(
        s("rect", { x: x - size * 0.3 * (text.length + 1), y: y - size * 0.75, width: size * 0.6 * (text.length + 1), height: size * 1.5, rx: size * 0.75, class: best ? "best" : "" }),
        s("text", { x, y, "font-size": size, "text-anchor": "middle", dy: "0.35em", class: best ? "best" : "" }, text),
      );
    }
  }

  candidates() {
    const { picked } = this;
    return this.view.moves.filter((move) => move.path.length >= picked.length && picked.every((place, i) => move.path[i] === place));
  }

  whole() {
    return this.picked.length ? this.candidates().find((move) => move.path.length === this.picked.length) : undefined;
  }

  // Draw what may be touched next.
  refresh() {
    const moves = this.live ? this.candidates() : [];
    const step = this.picked.length;
    const next = new Map();
    for (const move of moves) {
      if (move.path.length <= step) continue;
      const place = move.path[step];
      if (!next.has(place)) next.set(place, []);
      next.get(place).push(move);
    }
    this.ghosts.replaceChildren();
    const inOrder = (places) => [...places].sort(([a], [b]) => this.order(a) - this.order(b));
    this.targets.replaceChildren(
      ...inOrder(next).map(([place, through], i) => this.target(place, through, i === 0)),
      ...inOrder(this.others(next)).map(([place, through]) => this.other(place, through)),
    );
    this.drawTrail();
    this.svg.classList.toggle("choosing", step > 0);
    this.onChange({ picked: step, whole: this.whole(), needed: step > 0 && next.size > 0 });
  }

  // While a piece is picked up: where it came from, and what may be picked up instead.
  others(next) {
    const step = this.picked.length, places = new Map();
    if (!this.live || step % 2 === 0) return places;
    for (const move of this.view.moves) {
      const place = move.path[step - 1];
      if (place === undefined || next.has(place) || this.picked.some((one, i) => i < step - 1 && one !== move.path[i])) continue;
      if (!places.has(place)) places.set(place, []);
      places.get(place).push(move);
    }
    return places;
  }

  // The smallest side of a place on the screen, in pixels.
  smallest() {
    const scale = this.svg.clientWidth / this.svg.viewBox.baseVal.width;
    return Math.min(...this.view.places.map(([, , width, height]) => Math.min(width, height) * scale));
  }

  order(place) {
    const [x, y] = this.view.places[place];
    return (y * 10000 + x) * (this.turned ? -1 : 1);
  }

  target(place, moves, first) {
    const only = moves.length === 1 ? moves[0] : moves.find((move) => move.path.length === this.picked.length + 1);
    const rect = this.touchable(place, named(moves), first);
    const look = () => this.ghost(only && only.path.length === this.picked.length + 1 ? only : null, rect);
    rect.addEventListener("pointerenter", (event) => event.pointerType !== "touch" && look());
    rect.addEventListener("focus", () => rect.matches(":focus-visible") && look());
    rect.addEventListener("pointerleave", () => this.ghost(null));
    rect.addEventListener("blur", () => this.ghost(null));
    return rect;
  }

  other(place, moves) {
    const rect = this.touchable(place, place === this.picked.at(-1) ? "put it back" : `instead: ${named(moves)}`, false);
    rect.classList.add("other");
    return rect;
  }

  touchable(place, name, first) {
    const [x, y, width, height] = this.view.places[place];
    const rect = s("rect", { x: x + 2, y: y + 2, width: width - 4, height: height - 4, rx: 5, role: "button", tabindex: first ? 0 : -1, "aria-label": name, class: "target", "data-place": place });
    rect.append(s("title", {}, name));
    rect.addEventListener("click", (event) => this.pick(place, event.detail > 1));
    return rect;
  }

  pick(place, again = false) {
    if (!this.candidates().some((move) => move.path[this.picked.length] === place)) {
      if (again) return; // the second half of a double click would put the piece back at once
      if (this.picked.pop() === place) return this.reconsider();
    }
    this.picked.push(place);
    const whole = this.whole();
    const longer = this.candidates().some((move) => move.path.length > this.picked.length);
    if (whole && !longer && whole.path.length <= 2) {
      this.live = false;
      this.made();
      this.targets.replaceChildren();
      this.onPlay(whole.action);
      return;
    }
    this.reconsider();
    if (whole && !longer) this.ghost(whole);
  }

  // Other places may be touched now; the keyboard goes to the first.
  reconsider() {
    const kept = this.holder.contains(document.activeElement);
    this.refresh();
    if (kept) (this.targets.firstChild ?? this.holder).focus({ preventScroll: true });
  }

  // Take back the last checker, or the last touch.
  undo() {
    if (!this.picked.length) return false;
    this.picked.length -= this.picked.length > 2 && this.picked.length % 2 === 0 ? 2 : 1;
    this.reconsider();
    return true;
  }

  confirm() {
    const whole = this.whole();
    if (!whole) return;
    this.made();
    this.onPlay(whole.action);
  }

  // The move is made; if it was by the keyboard, the focus waits on the board for the next turn.
  made() {
    this.awaited = this.holder.contains(document.activeElement);
    if (this.awaited) this.holder.focus({ preventScroll: true });
  }

  drawTrail() {
    this.trail.replaceChildren();
    const places = this.picked.map((place) => this.view.places[place]);
    for (const [x, y, width, height] of places) this.trail.append(s("rect", { x: x + 2, y: y + 2, width: width - 4, height: height - 4, rx: 5 }));
    for (let i = 0; i + 1 < places.length; i += 2) {
      const [[x1, y1], [x2, y2]] = [centre(places[i]), centre(places[i + 1])];
      const angle = Math.atan2(y2 - y1, x2 - x1);
      const wing = (turn) => `${x2 - 12 * Math.cos(angle + turn)} ${y2 - 12 * Math.sin(angle + turn)}`;
      this.trail.append(s("path", { d: `M${x1} ${y1}L${x2} ${y2}M${wing(0.5)}L${x2} ${y2}L${wing(-0.5)}` }));
    }
  }

  // What a move would change, faintly: the shapes of the position after it that are not there yet.
  async ghost(move, target) {
    this.looking = move;
    if (!move) return this.ghosts.replaceChildren();
    await new Promise((resolve) => setTimeout(resolve, 60));
    if (this.looking !== move) return;
    const svg = await this.preview(move.action).catch(() => null);
    if (!svg || this.looking !== move || (target && !target.isConnected)) return;
    const small = Math.min(...this.view.places.map((place) => place[2])) * 0.15;
    const shapes = [...drawing(svg).children].filter((shape) =>
      shape.tagName !== "text" && !this.pieces.has(shape.outerHTML) && !(Number(shape.getAttribute("r") ?? 99) < small));
    this.ghosts.replaceChildren(...shapes);
  }

  key(event) {
    const turns = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
    const place = event.target.dataset?.place;
    if (event.key === "Escape" && this.undo()) event.preventDefault();
    else if (place !== undefined && (event.key === "Enter" || event.key === " ")) {
      event.preventDefault();
      this.pick(Number(place));
    } else if (event.key === "Enter" && this.whole()) {
      event.preventDefault();
      this.confirm();
    } else if (place !== undefined && turns[event.key]) {
      event.preventDefault();
      event.stopPropagation();
      this.walk(Number(place), turns[event.key]);
    }
  }

  // To the nearest place in a direction; distance across it counts double.
  walk(from, [right, down]) {
    const [dx, dy] = this.turned ? [-right, -down] : [right, down];
    const [x, y] = centre(this.view.places[from]);
    let best = null;
    for (const target of this.targets.children) {
      const [tx, ty] = centre(this.view.places[Number(target.dataset.place)]);
      const along = (tx - x) * dx + (ty - y) * dy;
      const across = Math.abs((tx - x) * dy) + Math.abs((ty - y) * dx);
      if (along > 1 && (!best || along + 2 * across < best.far)) best = { target, far: along + 2 * across };
    }
    best?.target.focus({ preventScroll: true });
  }
}

function named(moves) {
  if (moves.length === 1) return moves[0].text;
  return `${moves.length} moves: ${moves.slice(0, 4).map((move) => move.text).join(", ")}${moves.length > 4 ? " …" : ""}`;
}
