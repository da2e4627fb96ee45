import assert from "node:assert/strict";
import test from "node:test";

import { menued, sheeted, typing } from "../../../../../bot/platforms/page/static/doing.js";
import { received } from "../../../../../bot/platforms/page/static/frames.js";
import { keyed } from "../../../../../bot/platforms/page/static/keys.js";
import { clock, sides } from "../../../../../bot/platforms/page/static/players.js";
import { dismissed, offers } from "../../../../../bot/platforms/page/static/state.js";
import { match, piece, playing, run } from "./states.mjs";

const ASKED = { after: ["Turn: Ann", "Bob offers a draw."], buttons: [{ label: "Agree", data: "1ye" }] };
const VIEW = match([piece("a1", 6)], { turns: 2, menu: "1mr" });
const hear = (state, frame, about) => run(state, [received, frame, about, 0]);
const seated = (chairs, more) => sides(playing({ ...VIEW, chairs }, more)).map((side) => side.map(({ text }) => text));

test("one's own bar is below, of spectators the first one; a board that is turned has it above", () => {
  const [ann, bob, cem] = [{ text: "Ann" }, { text: "Bob", mine: true }, { text: "Cem" }];
  assert.deepEqual(seated([ann, bob]), [["Ann"], ["Bob"]]);
  assert.deepEqual(seated([ann, bob], { flipped: true }), [["Bob"], ["Ann"]]);
  assert.deepEqual(seated([ann, cem]), [["Cem"], ["Ann"]]);
  assert.deepEqual(seated([ann, bob, cem], { flipped: true }), [["Ann", "Cem"], ["Bob"]], "others are not below");
});

test("a clock stands still while it rests, says until when, and runs again by itself", () => {
  const time = { left: 5400, runs: true, rests: [{ start: 1800, end: 34200, text: "rests until 8:00" }, { start: 90000, end: 99000, text: "later" }] };
  const at = (seconds) => clock(500, time, 500 + seconds * 1000);
  assert.deepEqual([0, 60, 1799].map(at), ["1:30:00", "1:29:00", "1:00:01"]);
  assert.deepEqual([1800, 20000, 34199].map(at), Array(3).fill("rests until 8:00"));
  assert.deepEqual([34200, 34260, 37800].map(at), ["1:00:00", "59:00", "0:00"]);
});

test("an offer is there until it is put away, and the next one again", () => {
  const plain = playing(VIEW);
  assert.equal(sheeted(plain), false);
  const asked = hear(plain, { view: { ...VIEW, ...ASKED, r: 8 } }).state;
  assert.deepEqual(offers(asked).lines, ["Bob offers a draw."]);
  assert.equal(sheeted(asked), true);
  const away = keyed(asked, "Escape", 0).state;
  assert.equal(sheeted(away), false);
  assert.equal(sheeted(hear(away, { view: { ...VIEW, ...ASKED, r: 9 } }).state), false, "it is still the same");
  const gone = hear(away, { view: { ...VIEW, r: 9 } }).state;
  assert.equal(sheeted(hear(gone, { view: { ...VIEW, ...ASKED, r: 10 } }).state), true);
});

test("the rest of the menu is asked for, and belongs to one revision of the match", () => {
  const { state, effects } = run(playing(VIEW), [menued]);
  assert.deepEqual(effects, [{ ask: { do: "press", text: "1mr" }, menu: true }]);
  const resign = { label: "Resign", data: "1re", style: "danger" };
  const told = hear(state, { cards: [{ lines: ["Menu"], buttons: [resign] }] }, { do: "press", menu: true });
  assert.deepEqual([told.state.menu, told.effects, sheeted(told.state)], [[resign], [], false]);
  assert.deepEqual(hear(told.state, { view: { ...VIEW, r: 8 } }).state.menu, []);
  const refused = hear(state, { cards: [{ lines: ["Not now."], refused: true }] }, { do: "press", menu: true });
  assert.equal(sheeted(refused.state), true, "why there is none is said");
});

test("the field of a typed move goes once the move is played, or is put away", () => {
  const { state, effects } = run(playing(VIEW), [typing]);
  assert.deepEqual([sheeted(state), effects], [true, [{ focus: "typed" }]]);
  const about = { do: "type" };
  assert.equal(sheeted(hear(state, { cards: [{ lines: ["No."], refused: true }] }, about).state), true);
  assert.equal(sheeted(hear(state, { cards: [] }, about).state), false);
  assert.equal(sheeted(run(state, [dismissed]).state), false);
});

test("a question that a press leads to gets the keyboard", () => {
  const sure = { lines: ["Sure?"], buttons: [{ label: "Yes", data: "1re" }] };
  const { effects } = hear(playing(VIEW), { cards: [sure] }, { do: "press" });
  assert.deepEqual(effects, [{ say: "Sure?" }, { focus: "sheet" }]);
  assert.deepEqual(hear(playing(VIEW), { cards: [sure] }).effects, [{ say: "Sure?" }], "not one that comes by itself");
});
