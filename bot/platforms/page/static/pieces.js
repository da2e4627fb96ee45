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

/**
 * Which pieces slide from where to where: those of a move, not those of a jump over many. What stands on each square is given by a
 * name that equal pieces share; empty: nothing that slides.
 * @param {string[]} before
 * @param {string[]} after
 * @param {number} files
 * @returns {[from: number, to: number][]}
 */
export function slides(before, after, files) {
  const changed = after.map((_, at) => at).filter((at) => after[at] !== before[at]);
  const left = new Set(changed.filter((at) => before[at]));
  const came = changed.filter((at) => after[at]);
  if (came.length > 2) return [];
  return came.flatMap((to) => {
    const apart = (/** @type {number} */ at) =>
      Math.max(Math.abs((at % files) - (to % files)), Math.abs(Math.floor(at / files) - Math.floor(to / files)));
    const [from] = [...left].filter((at) => before[at] === after[to]).sort((one, other) => apart(one) - apart(other));
    if (from === undefined) return [];
    left.delete(from);
    return [/** @type {[number, number]} */ ([from, to])];
  });
}
