import assert from "node:assert/strict";
import test from "node:test";

import { received } from "../../../../../bot/platforms/page/static/frames.js";
import { neighbours, slides } from "../../../../../bot/platforms/page/static/pieces.js";
import { boardOf, ghost } from "../../../../../bot/platforms/page/static/preview.js";
import { extended, tapped, undone } from "../../../../../bot/platforms/page/static/selection.js";
import { zoomTo } from "../../../../../bot/platforms/page/static/zoom.js";
import { BOARD, cells, match, piece, playing, run } from "./states.mjs";

const LEGEND = [{ look: "empty", text: "empty" }, { look: "man", text: "man, Ann" }, { look: "foe", text: "man, Bob" }];
const squares = (...stands) => ({ ...BOARD, legend: LEGEND, squares: BOARD.squares.map((_, at) => stands[at] ?? 0) });

/** What stands on each square: the look whose piece it is. */
const drawn = (state) => {
  const { legend, squares } = boardOf(state);
  return squares.map((entry) => legend[entry]).map(({ look, piece = look, faded }) => (faded ? `(${piece})` : piece));
};

const NEXT = { prompt: "Where to?", steps: [cells("a2", [3]), cells("b2", [4])] };
const MEN = match([piece("a1", 6, NEXT)], { board: squares(0, 0, 0, 0, 2, 0, 1, 0, 0) });

test("a man is on its new square before the server says so, and back on its old one when it refuses", () => {
  const state = playing(MEN);
  const sent = run(state, [tapped, 6], [tapped, 4]).state;
  assert.deepEqual(drawn(sent), ["empty", "empty", "empty", "empty", "man", "empty", "", "empty", "empty"]);
  const { legend, squares } = boardOf(sent);
  assert.equal(legend[squares[4]].text, "man, Ann");
  assert.equal(legend[squares[4]].look, "foe", "the ground stays that of its square");
  const refused = received(sent, { cards: [{ lines: ["Not now."], refused: true }] }, { do: "play" }, 0).state;
  assert.equal(boardOf(refused), MEN.board);
  assert.equal(boardOf(run(state, [tapped, 6]).state), MEN.board, "one that is only picked stays");
});

test("what is put down is drawn as the server said it looks, until its board comes", () => {
  const puts = { cells: ["bug"], piece: ["wall"] };
  const steps = [cells("a2", [3]), piece("b2", 4)];
  const state = playing(match(steps, { pick: { gathers: true, puts }, board: squares(0, 0, 0, 0, 2) }));
  assert.equal(drawn(run(state, [tapped, 3]).state)[3], "bug");
  assert.equal(drawn(run(state, [tapped, 4]).state)[4], "wall");
  const answer = { at: "a2;", plies: true, board: squares(1), node: { prompt: "", steps: [cells("c1", [8])] } };
  const answered = run(state, [tapped, 3], [extended, answer, 1]).state;
  assert.deepEqual(drawn(answered).slice(0, 4), ["man", "empty", "empty", "empty"]);
  assert.deepEqual(drawn(run(answered, [tapped, 8]).state)[8], "bug");
  assert.equal(boardOf(run(answered, [undone]).state), state.view.board);
});

const PARTS = Array.from({ length: 16 }, (_, joins) => `part${joins}`);
const SHAPES = [cells("L", [0, 1, 2, 5], NEXT), cells("J", [0, 1, 2, 3]), cells("T", [3, 4, 5, 7])];
const L = match(SHAPES, { pick: { puts: { cells: PARTS }, fades: [6, 7] }, board: squares(0, 0, 0, 0, 0, 0, 1, 1, 0) });

test("a piece over several squares follows the taps, and the old one fades until it is put down", () => {
  const one = run(playing(L), [tapped, 1]).state;
  assert.deepEqual(ghost(one), [0, 1, 2], "what all that fit have in common");
  assert.deepEqual(drawn(one), ["part2", "part10", "part8", "empty", "empty", "empty", "(man)", "(man)", "empty"]);
  const whole = run(one, [tapped, 5]).state;
  assert.deepEqual(drawn(whole), ["part2", "part10", "part12", "empty", "empty", "part1", "", "", "empty"]);
  assert.deepEqual(ghost(whole), []);
  assert.equal(boardOf(run(whole, [undone]).state), L.board);
});

test("neighbours are not sought beyond the edge", () => {
  assert.equal(neighbours(3, [2, 3, 4], 3), 2);
  assert.equal(neighbours(5, [2, 4, 5, 6, 8], 3), 1 + 4 + 8);
});

test("the pieces of a move slide from where one like it stood", () => {
  const board = (text) => [...text].map((each) => (each === "." ? "" : each));
  const ways = (before, after) => slides(board(before), board(after), 3).map(({ to, middle, from }) => [...to, ...from.map((along, axis) => along - middle[axis])]);
  assert.deepEqual(ways("m..m....n", "...mm...n"), [[4, -1, -1]]);
  assert.deepEqual(ways("m...n....", "....m...."), [[4, -1, -1]], "it captures");
  assert.deepEqual(ways("m.m......", ".m...m..."), [[1, -1, 0], [5, 0, -1]]);
  assert.deepEqual(ways(".........", ".m......."), [], "it is put down");
  assert.deepEqual(ways("mmm......", "......mmm"), [], "it is a jump over many moves");
});

test("a piece over several squares slides whole, turned as it lay before", () => {
  const board = (text) => [...text].map((each) => ({ l: "part l", j: "part j", ".": "" })[each] ?? each);
  const ways = (before, after) => slides(board(before), board(after), 4);
  const [flat] = ways("lll.l...........", ".lll.l..........");
  assert.deepEqual(flat, { to: [1, 2, 3, 5], middle: [2.5, 1], from: [1.5, 1], turn: [1, 0, 0, 1] });
  const [turned] = ways("lll.l...........", "ll...l...l......");
  assert.deepEqual(turned, { to: [0, 1, 5, 9], middle: [1, 1.5], from: [1.5, 1], turn: [0, -1, 1, 0] });
  const [over] = ways("lll.l...........", "lll...l.........");
  assert.deepEqual(over.turn, [-1, 0, 0, 1], "it is turned over");
  assert.deepEqual(ways("lll.l....n......", "lll...l...n.....").map(({ to }) => to), [[10], [0, 1, 2, 6]], "with a disc");
  assert.deepEqual(ways("lll.l...........", "llll............"), [], "it is not the same");
  assert.deepEqual(ways("lll.l...jjj.j.mn", "lll...l.jjj...jm"), [], "it is a jump over many moves");
});

test("a phone shows the part of a large board where most can be picked", () => {
  const board = { files: 20, wide: 370, high: 380 };
  const at = (x, y) => y * 20 + x;
  assert.deepEqual(zoomTo([at(1, 18), at(2, 17), at(3, 18)], board), { side: 44, x: 2.5, y: 18 });
  assert.deepEqual(zoomTo([at(0, 0), at(9, 3)], board), { side: 37, x: 5, y: 2 }, "squares get smaller to show all");
  assert.deepEqual(zoomTo([at(0, 0), at(19, 19), at(17, 19)], board), { side: 34, x: 18.5, y: 19.5 }, "not all can be shown");
});
