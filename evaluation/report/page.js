"use strict";
// What a link leads to is opened.
const open = () => {
  for (let part = document.getElementById(location.hash.slice(1)); part; part = part.parentElement) {
    if (part.matches("details")) part.open = true;
  }
  document.getElementById(location.hash.slice(1))?.scrollIntoView();
};
addEventListener("hashchange", open);
open();
// Steps through replays: each figure contains its pictures as data.
for (const figure of document.querySelectorAll(".replay")) {
  const data = JSON.parse(figure.querySelector("script").textContent);
  const buttons = [...figure.querySelectorAll("button")];
  const last = data.frames.length - 1;
  let now = 0;
  const show = (frame) => {
    now = Math.min(Math.max(frame, 0), last);
    figure.querySelector(".board").innerHTML = data.frames[now].map((shape) => data.shapes[shape]).join("");
    figure.querySelector(".caption").textContent = data.captions[now];
    figure.querySelector(".count").textContent = `${now} / ${last}`;
    figure.querySelector(".move").textContent = now;
    buttons.forEach((button, i) => { button.disabled = i < 2 ? now === 0 : now === last; });
  };
  const step = { first: () => show(0), back: () => show(now - 1), on: () => show(now + 1), last: () => show(last) };
  const keys = { ArrowLeft: step.back, ArrowRight: step.on, Home: step.first, End: step.last };
  for (const button of buttons) button.addEventListener("click", step[button.dataset.step]);
  figure.addEventListener("keydown", (event) => {
    if (!(event.key in keys) || event.ctrlKey || event.altKey || event.metaKey) return;
    keys[event.key]();
    event.preventDefault();
  });
  show(0);
}
