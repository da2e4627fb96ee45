import assert from "node:assert/strict";
import test from "node:test";

import { flipped } from "../../../../../bot/platforms/page/static/doing.js";
import { received } from "../../../../../bot/platforms/page/static/frames.js";
import { turnsOf } from "../../../../../bot/platforms/page/static/moves.js";
import { autoplayed, placeOf, position, stepped, ticked, tookBack, wentTo } from "../../../../../bot/platforms/page/static/replay.js";
import { paced } from "../../../../../bot/platforms/page/static/replaybar.js";
import { tapped } from "../../../../../bot/platforms/page/static/selection.js";
import { moved } from "../../../../../bot/platforms/page/static/state.js";
import { BOARD, cells, match, playing, run } from "./states.mjs";

const LONG = 200; // entries of the log
const VIEW = match([cells("a2", [3])], { turns: LONG });
const LOG = Array.from({ length: LONG }, (_, at) => ({ seat: at % 2, text: `m${at + 1}` }));
const MOST = 9; // positions of an answer

const begun = (log = LOG) => run(playing(VIEW), [received, { log }, undefined, 0]).state;

/** The server's answer to what was asked for. */
function reel(asked, most = MOST) {
  const [first, last] = asked.text.split(":").map(Number);
  const step = last < first ? -1 : 1;
  const count = Math.min(most, Math.abs(last - first) + 1);
  const moments = Array.from({ length: count }, (_, by) => first + by * step).map((at) => ({ at, said: `said ${at}`, squares: BOARD.squares }));
  const { files, ranks, legend } = BOARD;
  return [received, { re: "1", reel: { files, ranks, legend, moments } }, { do: "look" }, 0];
}

/** Do one thing after another; what is asked for is answered. */
function answered(state, acts, most = MOST) {
  const all = { state, effects: [], asked: [] };
  const queue = [...acts];
  while (queue.length) {
    const done = run(all.state, queue.shift());
    all.state = done.state;
    all.effects.push(...done.effects);
    all.asked.push(...done.asked);
    queue.unshift(...done.asked.filter((each) => each.do === "look").map((each) => reel(each, most)));
  }
  return all;
}

test("a step back asks for several positions, and shows the one that it leads to once it is there", () => {
  const asked = run(begun(), [stepped, -1]);
  assert.deepEqual(asked.asked, [{ do: "look", text: "199:191" }]);
  assert.deepEqual([position(asked.state), asked.state.look], [199, null]);
  const shown = run(asked.state, reel(asked.asked[0]));
  assert.deepEqual(shown.state.look, { at: 199, said: "said 199", board: BOARD });
  assert.deepEqual(shown.effects, [{ say: "Move 199 of 200. said 199" }]);
  const next = run(shown.state, [stepped, -1]);
  assert.deepEqual([next.asked, next.state.look.at], [[], 198], "it is at hand");
});

test("each position is at hand before it is stepped to, whichever way", () => {
  for (const most of [MOST, 5]) {
    let { state } = answered(begun(), [[wentTo, 100]], most);
    for (const by of [...Array(30).fill(-1), ...Array(60).fill(1)]) {
      const at = position(state) + by;
      assert.ok(state.seen[at], `${at} is at hand`);
      ({ state } = answered(state, [[stepped, by]], most));
      assert.equal(state.look.at, at);
    }
  }
});

test("one answer is waited for, however far a slider is drawn meanwhile", () => {
  const drawn = run(begun(), [wentTo, 150], [wentTo, 120], [wentTo, 40]);
  assert.deepEqual([drawn.asked.length, position(drawn.state)], [1, 40]);
  const first = run(drawn.state, reel(drawn.asked[0]));
  assert.deepEqual([first.state.look, first.asked], [null, [{ do: "look", text: "40:32" }]]);
  assert.equal(run(first.state, reel(first.asked[0])).state.look.at, 40);
  const back = run(drawn.state, [stepped, Infinity], reel(drawn.asked[0]));
  assert.equal(back.state.look, null, "an answer does not lead away from the present");
});

test("the positions at hand are bounded, and those near the board stay", () => {
  const jumps = Array.from({ length: 20 }, (_, at) => [wentTo, at * 10]);
  const { state } = answered(begun(), jumps);
  assert.equal(Object.keys(state.seen).length, 64);
  assert.ok(state.seen[190] && !state.seen[0]);
});

test("the present is reached by the last step, by a jump and by a tap, which picks nothing", () => {
  const last = answered(begun(), [[wentTo, LONG - 1]]).state;
  for (const act of [[stepped, 1], [stepped, Infinity], [wentTo, LONG]]) {
    const now = run(last, act);
    assert.deepEqual([now.state.look, now.effects], [null, [{ say: "Your turn!" }]]);
  assert.ok(!run(begun([]), [autoplayed]).state.auto, "nothing was played");
  }
  assert.deepEqual([run(last, [tapped, 3]).state.look, run(last, [tapped, 3]).asked], [null, []]);
  assert.deepEqual(run(answered(begun(), [[wentTo, 0]]).state, [stepped, -1]).state.look.at, 0);
  assert.equal(placeOf(last, 0), "Start");
});

test("a refused answer leaves the board as it is, and the next step asks again", () => {
  const refused = run(begun(), [stepped, -1], [received, { re: "1", cards: [{ lines: ["Too fast."], refused: true }] }, { do: "look" }, 0]);
  assert.deepEqual([position(refused.state), refused.state.reeling], [LONG, false]);
  assert.equal(run(refused.state, [stepped, -1]).asked.length, 1);
});

test("a board that is turned, or a new connection, has the position fetched anew", () => {
  const back = answered(begun(), [[wentTo, 10]]).state;
  const hello = { name: "Ann", words: back.words, language: "en", seated: true };
  for (const again of [[received, { re: "2" }, { do: "flip" }, 0], [received, { hello }, undefined, 0]]) {
    const fresh = run(back, [flipped], again);
    assert.deepEqual([fresh.asked.at(-1).text, fresh.state.look.at], ["10:2", 10]);
    assert.deepEqual(Object.keys(fresh.state.seen), []);
  }
});

test("an undone move takes its positions with it, and another match takes all", () => {
  const { state } = answered(begun(), [[wentTo, 100]]);
  const undone = run(state, [received, { log: [{ seat: 0, text: "other" }], log_from: 96 }, undefined, 0]).state;
  assert.deepEqual([undone.log.length, Object.keys(undone.seen).map(Number).filter((at) => at > 96)], [97, []]);
  assert.ok(undone.seen[96]);
  assert.deepEqual(run(state, [moved, "xyz987"]).state.seen, {});
});

test("a match is played through from its start to its end, a position at each tick", () => {
  const log = LOG.slice(0, 12);
  let now = answered(begun(log), [[autoplayed]]);
  const seen = [];
  while (now.state.auto) {
    seen.push(now.state.look.at);
    assert.deepEqual(now.effects.filter((each) => each.tick), [{ tick: 1200 }]);
    now = answered(now.state, [[ticked]]);
  }
  assert.deepEqual(seen, [...log.keys()]);
  assert.deepEqual([now.state.look, now.effects], [null, [{ say: "Your turn!" }]]);
});

test("playing through waits for positions that are not there yet, and ends with any step or tap", () => {
  const auto = run(begun(), [autoplayed]);
  assert.deepEqual(auto.effects, [{ ask: { do: "look", text: "0:8" } }]);
  assert.equal(run(auto.state, [ticked]).state, auto.state, "nothing is left out");
  const { state } = answered(auto.state, [reel(auto.asked[0]), [ticked]]);
  assert.deepEqual([state.auto, state.look.at], [true, 1]);
  for (const act of [[autoplayed], [stepped, -1], [wentTo, 5], [tapped, 3]]) {
    const stopped = run(state, act).state;
    assert.ok(!stopped.auto && stopped.look, "the position stays on the board");
    assert.equal(run(stopped, [ticked]).state, stopped, "a late tick does nothing");
  }
  assert.deepEqual(run(state, [paced]).effects, [{ tick: 500 }]);
  assert.deepEqual(run(state, [paced], [paced]).effects.at(-1), { tick: 2400 });
});

test("going back to an earlier position is asked for, and the present one is shown for the answers", () => {
  const { state } = answered(begun(), [[wentTo, 10]]);
  const back = run(state, [tookBack, 10]);
  assert.deepEqual([back.asked, back.state.look], [[{ do: "takeback", text: "10" }], null]);
});

test("a turning point is said with its position", () => {
  const marks = [{ at: 10, kind: "turning", text: "Turn 5: better b2-b3" }];
  const marked = run(begun(), [received, { marks }, undefined, 0]).state;
  assert.deepEqual(answered(marked, [[wentTo, 10]]).effects.at(-1), { say: "Move 10 of 200. said 10. Turn 5: better b2-b3" });
});

test("entries of one turn stand together, and two players share a row", () => {
  const rows = (seats, two) => turnsOf(seats.map((seat) => ({ seat, text: "" })), two).map(({ seat, row, from, to }) => [row, seat, from, to]);
  assert.deepEqual(rows([0, 0, 1, 1, 0], true), [[1, 0, 0, 2], [1, 1, 2, 4], [2, 0, 4, 5]]);
  assert.deepEqual(rows([1, 0, 1], true), [[1, 1, 0, 1], [2, 0, 1, 2], [2, 1, 2, 3]]);
  assert.deepEqual(rows([0, 1, 2, 0], false), [[1, 0, 0, 1], [2, 1, 1, 2], [3, 2, 2, 3], [4, 0, 3, 4]]);
});
