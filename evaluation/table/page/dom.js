// Making elements: text is always text, never markup.

export function h(tag, properties = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (value === undefined || value === null || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (name in element && name !== "list" && typeof value !== "string") element[name] = value;
    else element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children.flat(3).filter((child) => child !== null && child !== undefined && child !== false));
  return element;
}

const SVG = "http://www.w3.org/2000/svg";

export function s(tag, attributes = {}, ...children) {
  const element = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...children);
  return element;
}

// A picture that the server drew, as an element; the parser runs no scripts, and the page's policy allows none.
export function drawing(text) {
  const svg = document.importNode(new DOMParser().parseFromString(text, "image/svg+xml").documentElement, true);
  svg.removeAttribute("width");
  svg.removeAttribute("height");
  return svg;
}

// Put other children into a holder; the focus stays on the one that is called the same, if possible in the same place.
export function refill(holder, ...children) {
  const within = () => [...holder.querySelectorAll("button, select, input")];
  const focused = document.activeElement, place = within().indexOf(focused);
  holder.replaceChildren(...children);
  if (place < 0) return;
  const same = (one) => one !== undefined && called(one) === called(focused);
  const again = same(within()[place]) ? within()[place] : within().find(same);
  again?.focus({ preventScroll: true });
}

const called = (element) => element.getAttribute("aria-label") ?? element.textContent;

let timer;

// Say something to everybody: at the bottom of the page, and to screen readers.
export function say(text, bad = false) {
  const said = document.getElementById("said");
  said.textContent = text;
  said.className = bad ? "bad shown" : "shown";
  clearTimeout(timer);
  timer = setTimeout(() => (said.className = ""), 5000 + 40 * text.length);
}
