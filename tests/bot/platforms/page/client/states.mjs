// States and frames for tests.

import { received } from "../../../../../bot/platforms/page/static/frames.js";
import { initial } from "../../../../../bot/platforms/page/static/state.js";

export const WORDS = {
  at: "Move {at} of {of}",
  chosen: "{what} picked.",
  copied: "Copied",
  keys: "Keys",
  moves: "Moves",
  moving: "Sending…",
  noted: "Saved",
  nothing: "Nothing to pick.",
  reconnecting: "Connecting…",
  start: "Start",
  unprepared: "Taken back.",
};

/** A board of 3×3 squares, all alike. */
export const BOARD = { files: ["a", "b", "c"], ranks: ["3", "2", "1"], legend: [{ look: "x", text: "empty" }], squares: Array(9).fill(0) };

/** A step to a square, or to several. */
export const cells = (path, squares, after) => ({ path, picks: "cells", squares, ...(after && { after }) });

/** A step to a man. */
export const piece = (path, square, after) => ({ path, picks: "piece", squares: [square], ...(after && { after }) });

/** A match in which these steps can be picked. */
export const match = (steps, { pick, ...more } = {}) => ({
  lines: ["Ann – Bob", "a2-a3"],
  after: ["Your turn!"],
  r: 7,
  board: BOARD,
  pick: { at: "", node: { prompt: "Pick one.", steps }, ...pick },
  ...more,
});

/** The state in which a match is on the page. */
export const playing = (view, more = {}) => {
  const begun = received(initial("abc123"), { hello: { name: "Ann", words: WORDS, language: "en", seated: true } }, undefined, 0);
  return { ...received(begun.state, { view }, undefined, 0).state, ...more };
};

/** Do one thing after another: return the last state, and all effects. */
export function run(state, ...acts) {
  const effects = [];
  for (const [change, ...more] of acts) {
    const next = change(state, ...more);
    state = next.state;
    effects.push(...next.effects);
  }
  return { state, effects, asked: effects.filter((each) => each.ask).map((each) => each.ask) };
}
