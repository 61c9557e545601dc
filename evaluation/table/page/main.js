// The page: the lobby, or one game, as its address says.

import { link, token } from "/page/api.js";
import { h } from "/page/dom.js";
import { showGame } from "/page/game.js";
import { showLobby } from "/page/lobby.js";

let leave = () => {};

function route() {
  leave();
  leave = () => {};
  const main = document.getElementById("main");
  const [, kind, ...rest] = location.hash.slice(1).split("/");
  document.getElementById("home").href = link();
  document.getElementById("where").textContent = "";
  document.title = "Ludarium";
  if (!token()) {
    main.replaceChildren(
      h("h1", {}, "This table is locked"),
      h("p", {}, "Open the address that ", h("code", {}, "ludarium table"), " printed: it holds the key."),
    );
  } else if (kind === "t") {
    leave = showGame(main, rest[0]);
  } else {
    showLobby(main, rest[0]);
  }
  scrollTo(0, 0);
}

addEventListener("hashchange", route);
route();
