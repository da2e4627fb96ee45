import assert from "node:assert/strict";
import test from "node:test";

import { received } from "../../../../../bot/platforms/page/static/frames.js";
import { choices, extended, leftScene, picked, played, promptOf, tapped, undone } from "../../../../../bot/platforms/page/static/selection.js";
import { cells, match, piece, playing, run } from "./states.mjs";

const NEXT = { prompt: "Where to?", steps: [cells("a2", [3]), cells("b2", [4])] };
const MEN = match([piece("a1", 6, NEXT), piece("b1", 7, { prompt: "Where to?", steps: [cells("b2", [4])] })]);
const TURN = match([cells("a1", [6], true), cells("b1", [7], true)], { pick: { gathers: true } });
const SHAPES = match([cells("L", [0, 1, 2, 5]), cells("J", [0, 1, 2, 3]), cells("T", [3, 4, 5, 7]), { path: "none", picks: "nothing", squares: [] }]);

test("a man and its square are played by two taps", () => {
  const one = run(playing(MEN), [tapped, 6]);
  assert.deepEqual(one.asked, [], "what comes next is there already");
  assert.equal(promptOf(one.state), "a1 — Where to?");
  const two = run(one.state, [tapped, 3]);
  assert.deepEqual(two.asked, [{ do: "play", text: "a1/a2" }]);
  assert.equal(promptOf(two.state), "Sending…");
  assert.deepEqual(run(two.state, [tapped, 4]).asked, [], "one move at a time");
});

test("another man takes the place of the one that is picked, which a second tap puts back", () => {
  const other = run(playing(MEN), [tapped, 6], [tapped, 7]);
  assert.deepEqual(other.state.stack.map((each) => each.at), ["b1"]);
  assert.deepEqual(run(other.state, [tapped, 7]).state.stack, []);
});

test("a tap that picks nothing is explained", () => {
  assert.deepEqual(run(playing(MEN), [tapped, 0]).effects.at(-1), { say: "Pick one." });
  assert.deepEqual(run(playing({ ...MEN, pick: undefined }), [tapped, 0]).effects, [{ say: "Your turn!" }]);
});

test("nothing is changed in place", () => {
  const state = playing(MEN);
  const before = structuredClone(state);
  run(state, [tapped, 6], [tapped, 3], [undone]);
  assert.deepEqual(state, before);
});

test("a shape is chosen once its touched squares leave no other", () => {
  const two = run(playing(SHAPES), [tapped, 0], [tapped, 1]);
  assert.deepEqual(choices(two.state).map((each) => each.path), ["L", "J"]);
  assert.deepEqual(run(two.state, [undone]).state.taps, [0]);
  assert.deepEqual(run(two.state, [tapped, 0]).state.taps, [1], "a second touch takes a square out");
  assert.deepEqual(run(two.state, [tapped, 5]).asked, [{ do: "play", text: "L" }]);
});

test("a square that fits no more begins another shape", () => {
  const begun = run(playing(SHAPES), [tapped, 0], [tapped, 1]);
  assert.deepEqual(run(begun.state, [tapped, 4]).asked, [{ do: "play", text: "T" }]);
  assert.deepEqual(run(begun.state, [tapped, 8]).state.taps, []);
});

test("plies of a turn are gathered, taken back whole, and wait for Play", () => {
  const one = run(playing(TURN), [tapped, 6], [extended, { at: "a1;", node: NEXT, plies: true, said: "a1" }, 1]);
  assert.deepEqual(picked(one.state).squares, []);
  assert.ok(picked(one.state).whole);
  const two = run(one.state, [tapped, 3], [extended, { at: "a1;a2", node: NEXT, plies: true, said: "a1 a2" }, 2]);
  const three = run(two.state, [tapped, 4], [extended, { at: "a1;a2/b2;", plies: true, said: "a1 a2-b2" }, 3]);
  assert.deepEqual(three.asked, [{ do: "pick", text: "a1;a2/b2" }]);
  assert.deepEqual(three.state.stack.map((each) => each.at), ["a1;", "a1;a2/b2;"], "one step back is one ply");
  assert.deepEqual(run(three.state, [undone]).state.stack.map((each) => each.at), ["a1;"]);
});

test("nothing is picked while a turn is on its way", () => {
  const sent = run(playing(TURN), [tapped, 6], [extended, { at: "a1;", node: NEXT, plies: true }, 1], [played]);
  assert.deepEqual(sent.asked.at(-1), { do: "play", text: "a1;" });
  assert.deepEqual(run(sent.state, [tapped, 3], [played]).asked, []);
});

test("a whole turn is played at once for those who confirm nothing", () => {
  const state = playing(match(TURN.pick.node.steps, { pick: { gathers: true, at_once: true } }));
  const { asked } = run(state, [tapped, 6], [extended, { at: "a1;", plies: true }, 1]);
  assert.deepEqual(asked.at(-1), { do: "play", text: "a1;" });
});

test("squares tapped before the answer are picked in order once it comes", () => {
  const early = run(playing(TURN), [tapped, 6], [tapped, 0], [tapped, 3]);
  assert.deepEqual(early.asked, [{ do: "pick", text: "a1" }]);
  const answered = run(early.state, [extended, { at: "a1;", node: NEXT, plies: true }, 1]);
  assert.deepEqual(answered.asked, [{ do: "pick", text: "a1;a2" }]);
});

test("taps wait no longer for an answer that refuses, and an answer to what was taken back is left out", () => {
  const early = run(playing(TURN), [tapped, 6], [tapped, 3]);
  const refused = run(early.state, [received, { re: "1", cards: [] }, { do: "pick", id: 1 }, 0], [tapped, 3]);
  assert.equal(picked(refused.state).early, null);
  const back = run(early.state, [undone]).state;
  assert.equal(run(back, [extended, { at: "a1;", plies: true }, 1]).state, back);
});

test("on a board beside the match requests name it, and a step back leads to the line before", () => {
  const scene = { ...MEN, lines: ["What if…"], on: "~2~a1-a2", back: "~2~" };
  const state = playing(MEN, { scene });
  assert.deepEqual(run(state, [tapped, 6], [tapped, 3]).asked, [{ do: "play", text: "a1/a2", on: "~2~a1-a2" }]);
  assert.deepEqual(run(state, [undone]).asked, [{ do: "try", text: "~2~" }]);
  assert.equal(run(state, [leftScene]).state.scene, null);
});
