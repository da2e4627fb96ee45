// Moves prepared while others think, and what is picked while others move.

import assert from "node:assert/strict";
import test from "node:test";

import { aheadSaid, waiting } from "../../../../../bot/platforms/page/static/ahead.js";
import { received } from "../../../../../bot/platforms/page/static/frames.js";
import { extended, played, promptOf, tapped, undoable, undone } from "../../../../../bot/platforms/page/static/selection.js";
import { cells, match, piece, playing, run } from "./states.mjs";

const NEXT = { prompt: "Where to?", steps: [cells("a2", [3]), cells("b2", [4])] };
const MEN = match([piece("a1", 6, NEXT)]);
const { pick: MAN, ...THINKING } = match([piece("a1", 6, NEXT)], { after: ["Bob’s turn"], turns: 1 });
const AHEAD = { ...THINKING, ahead: { pick: MAN } };
const PREPARED = { ...AHEAD, r: 8, ahead: { pick: MAN, moves: "a1-a2", squares: [6, 3], said: "Prepared: a1-a2." } };
const TURN = { at: "", gathers: true, node: { prompt: "Which?", steps: [cells("a1", [6], true), cells("b1", [7], true)] } };
const hear = (state, frame, about) => run(state, [received, frame, about, 0]);

test("while others think, a move is prepared by the same taps", () => {
  const begun = playing(AHEAD);
  assert.equal(promptOf(begun), "", "it is not one's turn");
  const two = run(begun, [tapped, 6], [tapped, 3]);
  assert.deepEqual(two.asked, [{ text: "a1/a2", do: "ahead" }]);
  assert.ok(two.state.sending);
  const seen = hear(two.state, { view: PREPARED });
  const { state } = hear(seen.state, { cards: [] }, { do: "ahead" });
  assert.deepEqual(seen.effects, [{ say: "Prepared: a1-a2." }]);
  assert.deepEqual([state.sending, state.stack, waiting(state), aheadSaid(state)], [false, [], [6, 3], "Prepared: a1-a2."]);
});

test("a refusal takes the picked move back", () => {
  const sent = run(playing(AHEAD), [tapped, 6], [tapped, 3]).state;
  const { state, effects } = hear(sent, { cards: [{ lines: ["It is your turn already."], refused: true }] }, { do: "ahead" });
  assert.deepEqual([state.stack, state.sending], [[], false]);
  assert.deepEqual(effects, [{ feel: "bad" }, { alert: "It is your turn already." }]);
});

test("a turn of several actions waits for a press", () => {
  const one = run(playing({ ...THINKING, ahead: { pick: TURN } }), [tapped, 6], [extended, { at: "a1;", plies: true, said: "Picked: a1" }, 1]);
  assert.deepEqual(one.asked, [{ do: "pick", text: "a1", on: "ahead" }]);
  assert.deepEqual(run(one.state, [played]).asked, [{ text: "a1;", do: "ahead" }]);
});

test("a tap on a prepared move, and a step back, take it back", () => {
  const state = playing(PREPARED);
  assert.ok(undoable(state));
  for (const act of [[tapped, 3], [undone]]) assert.deepEqual(run(state, act).asked, [{ do: "ahead", text: "" }]);
  assert.deepEqual(run(state, [tapped, 4]).asked, [], "other squares do not");
  assert.deepEqual(hear(state, { view: { ...AHEAD, r: 9 } }).effects, [{ say: "Taken back." }]);
  const other = run({ ...state, look: { at: 0, said: "", board: THINKING.board } }, [tapped, 3]);
  assert.deepEqual(other.asked, [], "nor does one in an earlier position");
});

test("one that is played is said with the move that it answers, and leaves no trace", () => {
  const chairs = [{ text: "Ann (White)", name: "Ann", mine: true }, { text: "Bob (Black)", name: "Bob" }];
  const before = hear(playing({ ...PREPARED, chairs }), { log: [{ seat: 0, text: "a2-a3" }] }).state;
  const log = [{ seat: 1, text: "b7-b6" }, { seat: 0, text: "a1-a2" }];
  const { state, effects } = hear(before, { view: { ...AHEAD, chairs, r: 10, turns: 3, lines: ["", "Ann: a1-a2"] }, log, log_from: 1 });
  assert.deepEqual(effects, [{ say: "Bob: b7-b6 Ann: a1-a2 Bob’s turn" }, { feel: "move" }]);
  assert.deepEqual([waiting(state), aheadSaid(state)], [[], ""]);
});

test("one that cannot be played is dropped with a word, said once and shown until something is picked", () => {
  const dropped = { ...MEN, r: 9, turns: 2, ahead: { moves: "a1-a2", dropped: true, said: "a1-a2 could not be played." } };
  const { state, effects } = hear(playing(PREPARED), { view: dropped });
  assert.deepEqual(effects[0], { say: "a2-a3 a1-a2 could not be played. Your turn!" });
  assert.deepEqual([waiting(state), aheadSaid(state), undoable(state)], [[], "a1-a2 could not be played.", false]);
  assert.deepEqual(hear(state, { view: { ...dropped, r: 10 } }).effects, []);
  assert.equal(aheadSaid(run(state, [tapped, 6]).state), "");
});

test("what is picked is asked for anew in the new position", () => {
  const view = match(TURN.node.steps, { pick: TURN, turns: 0 });
  const two = run(playing(view), [tapped, 6], [extended, { at: "a1;", node: TURN.node, plies: true, squares: [] }, 1]).state;
  const moved = hear(two, { view: { ...view, r: 8, turns: 1 } });
  assert.deepEqual(moved.asked, [{ do: "pick", text: "a1;", seen: 7 }]);
  const id = moved.effects.find((each) => each.ask).id;
  const early = run(moved.state, [tapped, 7]);
  assert.deepEqual(early.asked, [], "taps wait for the answer");
  const kept = hear(early.state, { pick: { at: "a1;", node: TURN.node, plies: true } }, { do: "pick", id });
  assert.deepEqual(kept.asked, [{ do: "pick", text: "a1;b1" }]);
  const gone = { cards: [{ lines: ["The position has changed."], refused: true }] };
  for (const answer of [gone, {}]) assert.deepEqual(hear(moved.state, answer, { do: "pick", id }).state.stack, []);
  assert.deepEqual(hear(moved.state, gone, { do: "pick", id }).effects, [{ feel: "bad" }, { alert: "The position has changed." }]);
  const over = { ...view, r: 8, turns: 1, pick: undefined, ahead: { pick: TURN } };
  assert.deepEqual(hear(two, { view: over }).state.stack, [], "unless the turn has ended");
  assert.deepEqual(hear({ ...two, sending: true }, { view: { ...view, r: 8, turns: 1 } }).state.stack, [], "or it was played");
});

test("what is prepared half goes on as a move once it is one's turn", () => {
  const half = run(playing(AHEAD), [tapped, 6], [extended, { at: "a1", node: NEXT }, 1]).state;
  const { state, asked } = hear(half, { view: { ...MEN, r: 8, turns: 2 } });
  assert.deepEqual(asked, [{ do: "pick", text: "a1", seen: 7 }]);
  const kept = run(state, [extended, { at: "a1", node: NEXT }, state.stack[0].id], [tapped, 3]);
  assert.deepEqual(kept.asked.at(-1), { text: "a1/a2", do: "play" });
});
