// Which part of a large board a phone shows.

import { middleOf } from "./pieces.js";

const LEAST = 34; // pixels of a square of a board that is zoomed, at least
const MOST = 44; // and at most

/**
 * Return the pixels of a square, and the middle of the part of the board that has most of what can be picked, in squares.
 * @param {number[]} squares
 * @param {{ files: number, wide: number, high: number }} board with the pixels that there are
 */
export function zoomTo(squares, { files, wide, high }) {
  const places = squares.map((at) => middleOf([at], files));
  const span = (/** @type {number} */ axis) => {
    const along = places.map((place) => place[axis]);
    return Math.max(...along) - Math.min(...along) + 1;
  };
  const side = Math.min(MOST, Math.max(LEAST, Math.floor(Math.min(wide / span(0), high / span(1)))));
  const [across, down] = [wide, high].map((pixels) => (Math.floor(pixels / side) - 1) / 2);
  const parts = [middleOf(squares, files), ...places].map(([x, y]) =>
    squares.filter((_, index) => Math.abs(places[index][0] - x) <= across && Math.abs(places[index][1] - y) <= down),
  );
  const [most] = parts.sort((one, other) => other.length - one.length);
  const [x, y] = middleOf(most, files);
  return { side, x, y };
}
