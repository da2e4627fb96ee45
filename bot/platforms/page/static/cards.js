// Answers under the board, and in the list of matches.

/** @import { Act, Card, State } from "./state.js" */

import { offered } from "./actions.js";
import { copied, sent, silenced } from "./doing.js";
import { button, focusBoard, make, paragraphs } from "./dom.js";
import { emptyBoard } from "./looks.js";
import { atHome, dismissed, unknown } from "./state.js";

/** @param {PageFile} file @param {State} state */
function download({ name, data }, state) {
  const bytes = Uint8Array.from(atob(data), (each) => each.charCodeAt(0));
  const href = URL.createObjectURL(new Blob([bytes]));
  return make("a", { href, download: name }, state.words.download.replace("{name}", name));
}

/** Return a link that is to be passed on, and the ways to do that. @param {string} link @param {State} state @param {Act} act */
export function passOn(link, { words, sends }, act) {
  const ways = [
    ...(sends ? [button(words.invite, () => act(sent, link), "good")] : []),
    button(words.copy, () => act(copied, link), sends ? "plain" : "good"),
  ];
  return make("div", { class: "link" }, make("code", {}, link), make("div", { class: "buttons" }, ...ways));
}

/** Return a small drawing of a board. @param {PageBoard} board */
export function miniature({ files, ranks, legend, squares }) {
  const { picture, uses } = emptyBoard(files.length, ranks.length);
  squares.forEach((entry, at) => uses[at].setAttribute("href", `#l${legend[entry].look}`));
  return picture;
}

/** @param {Card} card @param {State} state @param {Act} act */
function drawCard(card, state, act) {
  const box = make("div", { class: card.refused ? "card refused" : "card" });
  const lines = unknown(card, state);
  const told = card.panels ? lines.splice(-card.panels.length) : [];
  box.append(...(card.keys ? [make("ul", {}, ...lines.map((line) => make("li", {}, line)))] : paragraphs(lines)));
  const beats = told.map((line, at) => make("li", {}, miniature(/** @type {PageBoard[]} */ (card.panels)[at]), ...paragraphs([line])));
  if (beats.length) box.append(make("ol", { class: "story", tabindex: "-1" }, ...beats));
  box.append(...(card.files ?? []).map((file) => download(file, state)));
  if (card.buttons?.length) box.append(make("div", { class: "buttons" }, ...offered(card.buttons, act)));
  if (card.link) box.append(passOn(card.link, state, act));
  if (card.keys) box.append(button(state.words[state.silent ? "keys-on" : "keys-off"], () => act(silenced)));
  return box;
}

/** Draw answers that have just come. @param {HTMLElement} box @param {State} state @param {Act} act */
export function drawCards(box, state, act) {
  const { shown } = state.cards;
  const had = box.contains(document.activeElement);
  /** @type {HTMLElement[]} */
  const made = shown.map((card) => drawCard(card, state, act));
  if (shown.length && atHome(state)) made.push(button(state.words.close, () => act(dismissed)));
  box.replaceChildren(...made);
  if (had && !made.length) focusBoard();
  else if (had) box.querySelector("button")?.focus();
}
