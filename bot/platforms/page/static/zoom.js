// Which part of a large board a phone shows.

const LEAST = 34; // pixels of a square of a board that is zoomed, at least
const MOST = 44; // and at most

/**
 * Return the pixels of a square and the part of the board, in squares, that has most of what can be picked.
 * @param {number[]} squares
 * @param {{ files: number, ranks: number, wide: number, high: number }} board with the pixels that there are
 */
export function zoomTo(squares, { files, ranks, wide, high }) {
  const places = squares.map((at) => [at % files, Math.floor(at / files)]);
  const span = (/** @type {number} */ axis) => {
    const along = places.map((place) => place[axis]);
    return Math.max(...along) - Math.min(...along) + 1;
  };
  const side = Math.min(MOST, Math.max(LEAST, Math.floor(Math.min(wide / span(0), high / span(1)))));
  const [across, down] = [Math.min(files, Math.floor(wide / side)), Math.min(ranks, Math.floor(high / side))];
  let best = { side, left: 0, top: 0, across, down };
  let most = [-1, 0];
  for (let left = 0; left <= files - across; left++) {
    for (let top = 0; top <= ranks - down; top++) {
      const within = places.filter(([x, y]) => x >= left && x < left + across && y >= top && y < top + down);
      // Of parts with as many, the one whose middle is nearest to theirs.
      const aside = within.reduce((sum, [x, y]) => sum + (x + 0.5 - left - across / 2) ** 2 + (y + 0.5 - top - down / 2) ** 2, 0);
      if (within.length < most[0] || (within.length === most[0] && aside >= most[1])) continue;
      most = [within.length, aside];
      best = { ...best, left, top };
    }
  }
  return best;
}
