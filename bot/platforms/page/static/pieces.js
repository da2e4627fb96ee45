// Pieces that leave their squares, arrive, and are put down: how the board looks before the server says so, and what slides.

/** @import { DrawnBoard, DrawnSquare, Picked } from "./state.js" */

/** Return a board on which some squares are drawn in another way. @param {DrawnBoard} board @param {Map<number, Partial<DrawnSquare>>} changes */
export function redrawn(board, changes) {
  const legend = [...board.legend];
  const squares = [...board.squares];
  for (const [at, way] of changes) squares[at] = legend.push({ ...legend[squares[at]], ...way }) - 1;
  return { ...board, legend, squares };
}

/** On which sides of a square there are others of the same piece: 1 above, 2 right, 4 below, 8 left. @param {number} at @param {number[]} squares @param {number} files */
export function neighbours(at, squares, files) {
  const file = at % files;
  const beside = [at - files, file < files - 1 ? at + 1 : -1, at + files, file > 0 ? at - 1 : -1];
  return beside.reduce((bits, other, side) => bits + (squares.includes(other) ? 1 << side : 0), 0);
}

/** Squares on which looks are put. @param {string[]} looks @param {number[]} squares @param {number} files @returns {[number, Partial<DrawnSquare>][]} */
export const put = (looks, squares, files) =>
  squares.map((at) => [at, { piece: looks[looks.length > 1 ? neighbours(at, squares, files) : 0], text: "" }]);

/** Squares without their pieces. @param {number[]} squares @returns {[number, Partial<DrawnSquare>][]} */
const bare = (squares) => squares.map((at) => [at, { piece: "", text: "" }]);

/**
 * The board after one more step; null: it looks as before.
 * @param {DrawnBoard | null | undefined} board
 * @param {PagePick | null | undefined} pick what could be picked before anything was
 * @param {Picked} now
 * @param {PageStep} step
 * @returns {DrawnBoard | null}
 */
export function placed(board, pick, { held }, { picks, squares, after }) {
  if (!board || !squares.length) return null;
  const looks = pick?.puts?.[picks];
  const files = board.files.length;
  if (picks === "cells" && held.length === squares.length) {
    const moving = held.map((at) => board.legend[board.squares[at]]);
    const arrivals = squares.map((at, index) => {
      const { look, piece = look, text } = moving[index];
      return /** @type {const} */ ([at, { piece, text }]);
    });
    return redrawn(board, new Map([...bare(held), ...arrivals]));
  }
  if (!looks || (picks === "piece" && after)) return null;
  const left = squares.length > 1 ? (pick?.fades ?? []) : [];
  return redrawn(board, new Map([...bare(left), ...put(looks, squares, files)]));
}

export const PART = "part "; // what names of pieces over several squares begin with

/** @typedef {[x: number, y: number]} Point in squares, from the top left */

/** @typedef {{ to: number[], middle: Point, from: Point, turn: number[] }} Slide a piece's squares, their middle, where it was, and the matrix of how it lay */

/** Ways in which a piece can lie: turned, and turned over. */
const WAYS = [[1, 0, 0, 1], [0, 1, -1, 0], [0, -1, 1, 0], [-1, 0, 0, -1], [-1, 0, 0, 1], [1, 0, 0, -1], [0, 1, 1, 0], [0, -1, -1, 0]];

/** The middle of squares. @param {number[]} squares @param {number} files @returns {Point} */
export function middleOf(squares, files) {
  const middle = (/** @type {number[]} */ along) => (Math.min(...along) + Math.max(...along) + 1) / 2;
  return [middle(squares.map((at) => at % files)), middle(squares.map((at) => Math.floor(at / files)))];
}

/** How a piece came from some squares to others; none: it is not the same. @param {number[]} before @param {number[]} to @param {number} files @returns {Slide[]} */
function slide(before, to, files) {
  const [from, middle] = [middleOf(before, files), middleOf(to, files)];
  const turn = WAYS.find(([a, b, c, d]) =>
    to.every((at) => {
      const [x, y] = middleOf([at], files).map((along, axis) => along - middle[axis]);
      return before.includes(a * x + c * y + from[0] - 0.5 + (b * x + d * y + from[1] - 0.5) * files);
    }),
  );
  return turn && before.length === to.length ? [{ to, middle, from, turn }] : [];
}

/**
 * Which pieces slide: those of a move, not those of a jump over many. What stands on each square is given by a name that equal pieces
 * share, and all squares of a piece over several; empty: nothing that slides.
 * @param {string[]} before
 * @param {string[]} after
 * @param {number} files
 * @returns {Slide[]}
 */
export function slides(before, after, files) {
  const changed = [...after.keys()].filter((at) => after[at] !== before[at]);
  const left = new Set(changed.filter((at) => before[at]));
  const came = changed.filter((at) => after[at]);
  const single = came.filter((at) => !after[at].startsWith(PART));
  const large = new Set(came.map((at) => after[at]).filter((name) => name.startsWith(PART)));
  if (single.length + large.size > 2) return [];
  const squares = (/** @type {string[]} */ board, /** @type {string} */ name) => board.flatMap((each, at) => (each === name ? at : []));
  const moved = single.flatMap((to) => {
    const from = [...left].find((at) => before[at] === after[to]);
    return from !== undefined && left.delete(from) ? slide([from], [to], files) : [];
  });
  return [...moved, ...[...large].flatMap((name) => slide(squares(before, name), squares(after, name), files))];
}
