import assert from "node:assert/strict";
import test from "node:test";

import { sounded } from "../../../../../bot/platforms/page/static/doing.js";
import { received } from "../../../../../bot/platforms/page/static/frames.js";
import { keyed } from "../../../../../bot/platforms/page/static/keys.js";
import { tapped } from "../../../../../bot/platforms/page/static/selection.js";
import { moved, noticed, offers } from "../../../../../bot/platforms/page/static/state.js";
import { BOARD, cells, match, piece, playing, run } from "./states.mjs";

const VIEW = match([piece("a1", 6, { prompt: "Where to?", steps: [cells("a2", [3])] })], { turns: 2 });
const LOG = ["a2-a3", "a7-a6", "a3-a4"].map((text, at) => ({ seat: at % 2, text }));
const hear = (state, frame, about) => run(state, [received, frame, about, 0]);

test("a move is said, felt, and leads back to the present", () => {
  const looking = playing(VIEW, { look: { at: 1, said: "", board: BOARD }, stack: [{ id: 1, at: "a1" }] });
  const next = hear(looking, { view: { ...VIEW, turns: 3 } });
  assert.equal(next.state.look, null);
  assert.deepEqual(next.effects.slice(0, 2), [{ say: "a2-a3 Your turn!" }, { feel: "move" }]);
  const same = hear(looking, { view: { ...VIEW, r: 8 } });
  assert.deepEqual([same.state.stack.length, same.effects], [1, []], "an offer leaves what is picked");
  const paused = hear(looking, { view: { ...VIEW, r: 8, pick: undefined } });
  assert.deepEqual(paused.state.stack, [], "where nothing can be picked any more, nothing is");
});

test("the end of a match is said once, with what can follow apart from offers", () => {
  const buttons = [{ label: "Rematch", data: "r", end: true }, { label: "Undo", data: "u" }];
  const over = { ...VIEW, pick: undefined, after: ["Ann has won."], end: { result: "Ann has won.", outcome: "won" }, buttons };
  const ended = hear(playing(VIEW), { view: over });
  assert.deepEqual(ended.effects, [{ say: "a2-a3 Ann has won." }, { feel: "move" }]);
  assert.equal(offers(ended.state).text, "Undo");
  const later = hear(ended.state, { view: { ...over, r: 9 } });
  assert.deepEqual(later.effects, []);
  const again = hear(hear(later.state, { view: VIEW }).state, { view: over });
  assert.deepEqual(again.effects, ended.effects, "it is over again");
});

test("what happened is heard; a move of one's own was felt when it was made", () => {
  const felt = (state, more) => hear(state, { view: { ...VIEW, turns: 3, ...more } }).effects.filter((each) => !each.say);
  assert.deepEqual(felt(playing(VIEW), { event: "capture" }), [{ feel: "move" }, { sound: "capture" }]);
  const own = run(playing(VIEW), [tapped, 6], [tapped, 3]);
  assert.deepEqual(own.effects.at(-1), { feel: "move" });
  assert.deepEqual(felt(own.state, { event: "move" }), [{ sound: "move" }]);
  assert.deepEqual(felt(own.state, { event: "end", end: { result: "", outcome: "won" } }), [{ feel: "good" }, { sound: "end" }]);
  assert.deepEqual(felt(playing(VIEW), { event: "end", end: { result: "", outcome: "lost" } }), [{ feel: "bad" }, { sound: "end" }]);
  assert.deepEqual(felt(playing({ ...VIEW, turns: 4 }), { event: "move" }), [{ feel: "move" }], "a move taken back is not played");
  assert.deepEqual(run(playing(VIEW), [sounded], [sounded]).effects, [{ remember: true }, { sound: "move" }, { remember: true }]);
});

test("entries of the log are replaced from one on", () => {
  const state = hear(playing(VIEW), { log: LOG }).state;
  const log = hear(state, { log: [{ seat: 1, text: "b7-b6" }], log_from: 1 }).state.log;
  assert.deepEqual(log.map((each) => each.text), ["a2-a3", "b7-b6"]);
});

test("a refused move is taken back and told at once; a refused pick stays", () => {
  const sending = run(playing(VIEW), [tapped, 6], [tapped, 3]).state;
  const cards = [{ lines: ["It is not your turn."], refused: true }];
  const refused = hear(sending, { cards }, { do: "play" });
  assert.deepEqual([refused.state.stack, refused.state.sending], [[], false]);
  assert.deepEqual(refused.effects, [{ feel: "bad" }, { alert: "It is not your turn." }]);
  assert.equal(hear(sending, { cards }, { do: "press" }).state.stack.length, 2);
});

test("a card with a board takes the place of the match", () => {
  const scene = { lines: ["Puzzle"], board: BOARD, on: "P", pick: { at: "", node: { prompt: "White wins.", steps: [] } } };
  const shown = hear(playing(VIEW), { cards: [scene, { lines: ["Right!"] }] }, { do: "press" });
  assert.equal(shown.state.scene, scene);
  assert.deepEqual(shown.state.cards.shown, [{ lines: ["Right!"] }]);
  assert.deepEqual(shown.effects, [{ say: "Puzzle White wins." }, { say: "Right!" }]);
  assert.equal(hear(shown.state, { view: { ...VIEW, turns: 3 } }).state.scene, scene, "a move elsewhere leaves it");
});

test("a typed move that is accepted empties its field", () => {
  assert.deepEqual(hear(playing(VIEW), { cards: [] }, { do: "type" }).effects, [{ typed: true }, { focus: "board" }]);
  assert.deepEqual(hear(playing(VIEW), { cards: [{ lines: ["No."], refused: true }] }, { do: "type" }).effects, [{ feel: "bad" }, { alert: "No." }]);
});

test("an end of the session is said, and the session forgotten", () => {
  assert.deepEqual(hear(playing(VIEW), { over: "session" }).effects, [{ forget: true }]);
  assert.equal(hear(playing(VIEW), { over: "busy" }).state.over, "");
});

test("another match is not drawn before it comes", () => {
  const { state } = run(playing(VIEW), [noticed, "Saved"], [moved, "xyz987"]);
  assert.deepEqual([state.loading, state.view, state.notice], [true, null, ""]);
  const greeted = hear(state, { hello: { name: "", words: {}, language: "en" } }).state;
  assert.ok(greeted.loading);
  assert.ok(!hear(greeted, { view: VIEW }).state.loading);
});

test("letters do what they say, unless they are turned off", () => {
  const state = playing(VIEW);
  assert.deepEqual(keyed(state, "m", 0).effects, [{ say: "Moves: a1" }]);
  assert.deepEqual(keyed(state, "l", 0).effects, [{ say: "a2-a3" }]);
  assert.equal(keyed(state, "x", 0), null);
  assert.equal(keyed({ ...state, silent: true }, "m", 0), null);
});

test("Escape leaves the latest thing first", () => {
  const state = playing(VIEW, { scene: { ...VIEW, on: "P" }, cards: { shown: [{ lines: ["Hint"] }], asked: true } });
  const picked = run(state, [tapped, 6]).state;
  const one = keyed(picked, "Escape", 0).state;
  assert.equal(one.stack.length, 0);
  const two = keyed(one, "Escape", 0).state;
  assert.deepEqual(two.cards.shown, []);
  assert.equal(keyed(two, "Escape", 0).state.scene, null);
});
