// How squares look: drawings that all boards and bars of the page share, by key.

/** @import { DrawnSquare } from "./state.js" */

import { PART } from "./pieces.js";

const SVG = "http://www.w3.org/2000/svg";

export const SIDE = 100; // of a square, in units of the drawing

const FADED = 0.35; // how much is seen of a piece that is picked up

/** Return an SVG element. @param {string} name @param {Record<string, string | number>} attributes */
export function drawing(name, attributes) {
  const made = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, String(value));
  return made;
}

/** Return where a square begins in the drawing of a board. @param {number} at its number @param {number} files in a row */
export const cornerOf = (at, files) => [(at % files) * SIDE, Math.floor(at / files) * SIDE];

/** Return the drawing of a board, and its squares, which have no looks yet. @param {number} files @param {number} ranks */
export function emptyBoard(files, ranks) {
  const picture = drawing("svg", { viewBox: `0 0 ${files * SIDE} ${ranks * SIDE}`, "aria-hidden": "true" });
  const uses = Array.from({ length: files * ranks }, (_, at) => {
    const [x, y] = cornerOf(at, files);
    return drawing("use", { x, y, width: SIDE, height: SIDE });
  });
  picture.append(...uses);
  return { picture, uses };
}

/** Add looks of squares, by key. @param {Record<string, string>} looks */
export function learn(looks) {
  const shapes =
    document.querySelector(".shapes") ?? document.body.appendChild(drawing("svg", { class: "shapes", "aria-hidden": "true" }));
  for (const [key, svg] of Object.entries(looks)) {
    const text = `<svg xmlns="${SVG}"><symbol id="l${key}" viewBox="0 0 ${SIDE} ${SIDE}">${svg}</symbol></svg>`;
    const [symbol] = new DOMParser().parseFromString(text, "image/svg+xml").documentElement.children;
    shapes.append(document.importNode(symbol, true));
  }
}

/** @param {string} look */
const symbolOf = (look) => document.getElementById(`l${look}`);

/** @param {Element | null} symbol */
const pieceIn = (symbol) => symbol?.querySelector(":scope > .piece, :scope > .part") ?? null;

/** @type {Map<string, string>} */
const names = new Map();

/** The name of what stands on a square by its look, as `slides` takes it; empty: nothing. @param {string} look */
export function standing(look) {
  const known = names.get(look);
  if (known !== undefined) return known;
  const found = pieceIn(symbolOf(look));
  const name = found?.matches(".part") ? PART + [...new Set(found.innerHTML.match(/#\w+/g))] : (found?.innerHTML ?? "");
  if (symbolOf(look)) names.set(look, name);
  return name;
}

/**
 * Return the id of the drawing of a square: a look, or one that is made of its ground and another look's piece. Without a look there is
 * no ground.
 * @param {DrawnSquare} square
 */
export function shape({ look, piece, faded }) {
  if (piece === undefined && !faded) return `l${look}`;
  const id = `l${look}.${piece ?? look}${faded ? ".faded" : ""}`;
  if (document.getElementById(id)) return id;
  const ground = symbolOf(look) ?? drawing("symbol", { viewBox: `0 0 ${SIDE} ${SIDE}` });
  const made = /** @type {Element} */ (ground.cloneNode(true));
  made.id = id;
  const put = pieceIn(symbolOf(piece ?? look))?.cloneNode(true);
  if (put instanceof Element && faded) put.setAttribute("opacity", String(FADED));
  const had = pieceIn(made);
  if (had) had.replaceWith(...(put ? [put] : []));
  else if (put) made.append(put);
  document.querySelector(".shapes")?.append(made);
  return id;
}

/** Return a drawing of one look. @param {string} look */
export function swatch(look) {
  const made = drawing("svg", { class: "swatch", viewBox: `0 0 ${SIDE} ${SIDE}`, "aria-hidden": "true" });
  made.append(drawing("use", { href: `#l${look}` }));
  return made;
}
