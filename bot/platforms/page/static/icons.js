// Icons: lines in a square of 24 units, in the colour of the text beside them.

import { make } from "./dom.js";
import { drawing } from "./looks.js";

const ICONS = {
  back: "M15 5l-7 7 7 7",
  close: "M6 6l12 12M18 6L6 18",
  cup: "M7 4h10v6a5 5 0 0 1-10 0zM12 15v5M8 20h8M7 6H4c0 4 1 5 3 5M17 6h3c0 4-1 5-3 5",
  dots: "M5 12h.01M12 12h.01M19 12h.01",
  first: "M17 6l-6 6 6 6M7 6v12",
  earlier: "M15 6l-6 6 6 6",
  autoplay: "M8 5l11 7-11 7z",
  pause: "M9 6v12M15 6v12",
  later: "M9 6l6 6-6 6",
  last: "M7 6l6 6-6 6M17 6v12",
  open: "M9 11a3.5 3.5 0 1 0 0-7 3.5 3.5 0 0 0 0 7zM2 20c0-4 3-6 7-6s7 2 7 6M19 8v6M16 11h6",
  plus: "M12 5v14M5 12h14",
  undo: "M8 5L4 9l4 4M4 9h9a5 5 0 0 1 0 10H9",
  watching: "M2 12s4-7 10-7 10 7 10 7-4 7-10 7S2 12 2 12zM12 9a3 3 0 1 0 0 6 3 3 0 0 0 0-6z",
};

/** @typedef {keyof typeof ICONS} IconName */

/** Return an icon. @param {IconName} name */
export function icon(name) {
  const made = drawing("svg", { class: `icon ${name}`, viewBox: "0 0 24 24", "aria-hidden": "true" });
  made.append(drawing("path", { d: ICONS[name] }));
  return made;
}

/** Return a button that shows an icon. @param {IconName} name @param {string} label @param {() => void} press */
export const iconButton = (name, label, press) =>
  make("button", { type: "button", class: "round", "aria-label": label, title: label, onclick: press }, icon(name));
