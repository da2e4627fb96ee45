// What a screen reader says, in a whole turn of each kind of game.

import assert from "node:assert/strict";
import test from "node:test";

import { received } from "../../../../../bot/platforms/page/static/frames.js";
import { played, tapped } from "../../../../../bot/platforms/page/static/selection.js";
import { Speech } from "../../../../../bot/platforms/page/static/speech.js";
import { connected } from "../../../../../bot/platforms/page/static/state.js";
import { cells, match, piece, playing, run } from "./states.mjs";

const said = ({ effects }) => effects.flatMap((each) => each.say ?? each.alert ?? []);
const hear = (frame, about) => [received, frame, about, 0];
const answer = (pick, id) => hear({ pick }, { do: "pick", id });
const after = (view, caption, whose, more) => hear({ view: { ...view, r: view.r + 1, turns: (view.turns ?? 0) + 1, lines: ["", caption], after: [whose], ...more } });

test("a man and its square, and the answer of the opponent", () => {
  const next = { prompt: "Where does it go?", steps: [cells("a2", [3])] };
  const view = match([piece("a1", 6, next)]);
  const turn = run(
    playing(view),
    [tapped, 6],
    answer({ at: "a1", node: next }, 1),
    [tapped, 3],
    after(view, "Ann: a1-a2", "Bob’s turn", { pick: undefined }),
    hear({ cards: [{ lines: ["", "Bob’s turn"] }] }, { do: "play" }),
    after(view, "Bob: b3-b2", "Your turn", { turns: 2 }),
  );
  assert.deepEqual(said(turn), ["a1 picked. Where does it go?", "Ann: a1-a2 Bob’s turn", "Bob: b3-b2 Your turn"]);
});

test("squares of a shape one by one, and a further piece", () => {
  const disc = { prompt: "Which disc?", steps: [cells("c3", [2]), { path: "none", picks: "nothing", squares: [] }] };
  const view = match([cells("L", [0, 1, 2, 5], disc), cells("J", [0, 1, 2, 3], disc), cells("T", [3, 4, 5, 7], disc)]);
  const turn = run(playing(view), [tapped, 0], [tapped, 1], [tapped, 1], [tapped, 5], answer({ at: "L", said: "Picked: L", node: disc }, 1), [tapped, 2]);
  assert.deepEqual(said(turn), ["a3 picked.", "a3 b3 picked.", "a3 picked.", "L picked. Which disc?"]);
});

test("actions of a turn, which the server tells", () => {
  const node = { prompt: "Place or crush?", steps: [cells("a1", [6], true), cells("b1", [7], true)] };
  const view = match(node.steps, { pick: { gathers: true, node } });
  const turn = run(
    playing(view),
    [tapped, 6],
    answer({ at: "a1;", said: "Picked: a1 — 1 action left", node, plies: true }, 1),
    [tapped, 7],
    answer({ at: "a1;b1;", said: "Picked: a1 b1", plies: true }, 2),
    [played],
    after(view, "Ann: a1 b1", "Bob’s turn", { pick: undefined }),
  );
  assert.deepEqual(said(turn), ["Picked: a1 — 1 action left Place or crush?", "Picked: a1 b1", "Ann: a1 b1 Bob’s turn"]);
});

test("what is not picked has its reason, and a lost connection is said once", () => {
  const refused = { cards: [{ lines: ["You must capture."], refused: true }] };
  assert.deepEqual(said(run(playing(match([])), [tapped, 0], hear(refused, { do: "play" }))), ["Pick one.", "You must capture."]);
  assert.deepEqual(said(run(playing(match([])), [connected, true], [connected, true], [connected, false])), ["Connecting…"]);
});

test("a text leaves the page once it was heard, and the same one is said once at a time", () => {
  const timers = [];
  globalThis.document = {
    createElement: () => ({
      children: [],
      text: "",
      setAttribute() {},
      append(...made) {
        for (const each of made) {
          if (typeof each === "string") this.text += each;
          else this.children.push(Object.assign(each, { remove: () => this.children.splice(this.children.indexOf(each), 1) }));
        }
      },
    }),
  };
  const speech = new Speech((then, ms) => timers.push({ then, ms }));
  const [polite, urgent] = [speech.polite, speech.urgent].map((box) => () => box.children.map((each) => each.text));
  speech.say(["Your turn!", "Your turn!"]);
  speech.say(["Bob: a2"]);
  speech.say([]);
  speech.alert(["No."]);
  assert.deepEqual([polite(), urgent()], [["Your turn!", "Bob: a2"], ["No."]]);
  timers[0].then();
  assert.deepEqual(polite(), ["Bob: a2"], "each in its time");
  timers.slice(1).forEach(({ then }) => then());
  assert.deepEqual([polite(), urgent(), timers.length], [[], [], 3]);
  for (const text of ["a1", "b1", "c1", "d1"]) speech.say([text]);
  assert.deepEqual(polite(), ["b1", "c1", "d1"], "quick presses leave the latest");
  assert.ok(timers.every(({ ms }) => ms >= 3000 && ms <= 10000));
});
