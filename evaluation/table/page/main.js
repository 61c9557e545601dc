// The page: the lobby, or one game, as its address says.

import { admit, link, post, token } from "./api.js";
import { h, say } from "./dom.js";
import { showLobby } from "./lobby.js";

let leave = () => {};
let routes = 0;

async function route() {
  leave();
  leave = () => {};
  const mine = (routes += 1);
  const main = document.getElementById("main");
  const [secret, kind, ...rest] = location.hash.slice(1).split("/");
  if (secret) {
    admit(secret);
    history.replaceState(null, "", link(...(kind ? [kind, ...rest] : [])));
  }
  document.getElementById("home").href = link();
  document.getElementById("where").textContent = "";
  document.title = "Ludarium";
  if (!token()) {
    main.replaceChildren(
      h("h1", { class: "locked" }, "This table is locked"),
      h("p", {}, "Open the address that ", h("code", {}, "ludarium table"), " printed: it holds the key."),
    );
  } else if (kind === "s") {
    openStored(...rest);
  } else if (kind === "t") {
    const { showGame } = await import("./game.js"); // which the lobby can do without
    if (mine === routes) leave = showGame(main, ...rest);
  } else {
    showLobby(main, rest[0]);
  }
  scrollTo(0, 0);
}

// A game of the store, after some moves: what a report names.
async function openStored(key, ply) {
  try {
    const made = await post("stored", { key });
    location.replace(link("t", made.key, ...(ply ? [ply] : [])));
  } catch (error) {
    say(error.message, true);
    location.replace(link());
  }
}

// The second click of a double click does nothing, except on what one clicks again and again.
function onceOnly(event) {
  const button = event.target.closest("button");
  if (event.detail < 2 || !button || button.closest(".steps, .often")) return;
  event.preventDefault();
  event.stopPropagation();
}

addEventListener("click", onceOnly, true);
document.getElementById("said").addEventListener("click", () => say(""));
addEventListener("hashchange", route);
addEventListener("storage", () => document.querySelector(".locked") && route()); // another page has the key
route();
