// Giving up: asked for once more, since it costs the game; and where the rules know several ways, which.

import { h } from "./dom.js";

// `ways` are those of the view, none where the whole game is lost; `resign(lost)` does it.
export function askToResign(ways, resign) {
  const close = () => dialog.close();
  const button = (text, lost) => h("button", { type: "button", onclick: () => { close(); resign(lost); } }, text);
  const choices = ways.length ? ways.map(({ lost, points, over }) => button(`${capital(lost)}: ${points} point${points === 1 ? "" : "s"}${over && !ways[0].over ? " and the match" : ""}`, lost)) : [button("Resign")];
  const dialog = h("dialog", { class: "ask", "aria-labelledby": "ask", onclose: () => dialog.remove() },
    h("h2", { id: "ask" }, ways.length ? "What do you resign?" : "Resign this game?"),
    ways.length && !ways[0].over ? h("p", {}, "The match goes on with the next game.") : null,
    h("div", { class: "row" }, choices, h("button", { type: "button", class: "main", onclick: close }, "Play on")));
  document.getElementById("main").append(dialog);
  dialog.showModal();
  dialog.querySelector(".main").focus();
}

const capital = (text) => text[0].toUpperCase() + text.slice(1);
