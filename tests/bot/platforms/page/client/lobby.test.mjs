import assert from "node:assert/strict";
import test from "node:test";

import { received } from "../../../../../bot/platforms/page/static/frames.js";
import { sections } from "../../../../../bot/platforms/page/static/lobby.js";
import { labelOf, lobbied, waitingFor } from "../../../../../bot/platforms/page/static/matches.js";
import { begun, choose, fields, fitted, noteOf, setUp, unset } from "../../../../../bot/platforms/page/static/newgame.js";
import { initial, moved } from "../../../../../bot/platforms/page/static/state.js";
import { WORDS, run } from "./states.mjs";

const card = (id, kind = "waiting", more = {}) => ({ id, kind, title: `Match ${id}`, state: "Bob’s turn", ...more });
const told = (order, ...cards) => ({ order, cards });
const hear = (state, ...frames) => run(state, ...frames.map((frame, at) => [received, frame, undefined, at * 1000]));
const HELLO = { hello: { name: "Ann", words: WORDS, language: "en", seated: true } };
const opened = (...cards) => hear(initial(), HELLO, { lobby: told(cards.map(({ id }) => id), ...cards) }).state;

test("cards that have changed take the places of the old ones, and the others stay the same objects", () => {
  const before = opened(card("a"), card("b"), card("c"));
  const { lobby } = run(before, [lobbied, told(["c", "d", "a"], card("d"), card("c", "open")), 9]).state;
  assert.deepEqual(lobby.order, ["c", "d", "a"]);
  assert.deepEqual(Object.keys(lobby.cards), ["c", "d", "a"], "what is in no order any more is forgotten");
  assert.equal(lobby.cards.a, before.lobby.cards.a);
  assert.deepEqual([lobby.cards.c.kind, lobby.cards.c.at], ["open", 9]);
  assert.deepEqual(Object.keys(before.lobby.cards), ["a", "b", "c"], "nothing is changed in place");
  assert.deepEqual(run(before, [lobbied, told(["a", "z"]), 9]).state.lobby.order, ["a"], "a card that was never told is left out");
});

test("cards stand under their headings in the order of the server", () => {
  const kinds = ["turn", "turn", "invitation", "waiting", "open", "puzzle", "lesson", "seek", "event", "finished"];
  const { lobby } = opened(...kinds.map((kind, at) => card(`m${at}`, kind)));
  const shown = [...sections(lobby)].map(([head, cards]) => [head, cards.length]);
  assert.deepEqual(shown, [["turn", 2], ["invitation", 1], ["waiting", 1], ["open", 1], ["today", 4], ["finished", 1]]);
});

test("a turn that has come is said once, and counted", () => {
  const first = hear(initial(), HELLO, { lobby: told(["a"], card("a", "turn")) });
  assert.deepEqual(first.effects, [], "what is there when the lobby opens is not said");
  assert.equal(waitingFor(first.state.lobby), 1);
  const turn = card("b", "turn", { state: "Your turn", clock: { left: 90000, text: "1 day" } });
  const { state, effects } = hear(first.state, { lobby: told(["a", "b"], turn) });
  assert.deepEqual(effects, [{ say: "Match b. Your turn. 1 day" }, { feel: "move" }]);
  assert.equal(effects[0].say, labelOf(turn));
  assert.equal(waitingFor(state.lobby), 2);
  assert.deepEqual(hear(state, { lobby: told(["a", "b"], turn) }).effects, []);
  assert.equal(waitingFor(null), 0);
});

test("the lobby that was open last is shown until it is told anew, a match only once it is told", () => {
  const state = opened(card("a"));
  const match = run(state, [moved, "abc123"]).state;
  assert.ok(match.loading);
  const back = run({ ...match, watching: 3 }, [moved, ""]).state;
  assert.deepEqual([back.loading, back.watching], [false, 0]);
  assert.ok(run(initial(), [moved, ""]).state.loading);
});

test("a link that a person has to be sent is with the answer", () => {
  const { cards } = hear(opened(), { cards: [{ lines: ["Send it."] }], link: "https://x/m/a" }).state;
  assert.deepEqual(cards.shown, [{ lines: ["Send it."], link: "https://x/m/a" }]);
});

const preset = (value, players = [2], rates = false) => ({ value, label: value, players, rates });
const choice = (value) => ({ value, label: value });
const OFFER = {
  words: {},
  quick: [{ label: "Chess, Bob", setup: { game: "chess", preset: "big", opponent: "person", person: "bob", rated: true } }],
  games: [
    { value: "go", label: "Go", presets: [preset("9x9", [2, 3, 4], true), preset("19x19")] },
    { value: "chess", label: "Chess", presets: [preset("small"), preset("big", [2], true)] },
  ],
  levels: [choice("1"), choice("2")],
  clocks: [choice("none"), choice("1d")],
  people: [choice("cem"), choice("bob")],
};
const names = (setup, offer = OFFER) => fields(offer, setup).map(({ name }) => name);

test("the form begins with what was played last, and offers only what goes together", () => {
  const state = run({ ...opened(), offer: OFFER }, [setUp]).state;
  assert.deepEqual(state.setup, { game: "chess", preset: "big", opponent: "person", clock: "none", person: "bob", rated: true });
  assert.deepEqual(names(state.setup), ["opponent", "person", "game", "preset", "clock", "rated"]);
  const computer = run(state, [choose, "opponent", "computer"]).state.setup;
  assert.deepEqual(computer, { game: "chess", preset: "big", opponent: "computer", clock: "none", level: 2 });
  assert.deepEqual(names(computer), ["opponent", "level", "game", "preset", "clock"]);
  const other = run(state, [choose, "game", "go"], [choose, "opponent", "friend"], [choose, "players", "4"]).state.setup;
  assert.deepEqual(other, { game: "go", preset: "9x9", opponent: "friend", clock: "none", players: 4 }, "four are not rated");
  assert.deepEqual(names({ ...other, players: 2, rated: false }), ["opponent", "game", "preset", "players", "clock", "rated"]);
});

test("a setup that is not offered becomes the first that is", () => {
  const alone = { ...OFFER, people: [] };
  const setup = fitted(alone, { game: "hex", preset: "11", opponent: "person", person: "bob", players: 7, rated: true });
  assert.deepEqual(setup, { game: "go", preset: "9x9", opponent: "friend", clock: "none", players: 2, rated: true });
  const [opponent] = fields(alone, setup);
  assert.deepEqual(opponent.choices.map(({ value }) => value), ["computer", "friend", "open"], "there is no one to choose");
});

test("of a level that plays like a lower one the form says so", () => {
  const weaker = { 2: "level 2 plays like level 1" };
  const offer = { ...OFFER, games: OFFER.games.map((game) => (game.value === "go" ? { ...game, weaker } : game)) };
  const state = run({ ...opened(), offer }, [setUp], [choose, "game", "go"], [choose, "opponent", "computer"], [choose, "level", "2"]).state;
  assert.equal(noteOf(offer, state.setup), weaker[2]);
  for (const [name, value] of [["game", "chess"], ["opponent", "friend"], ["level", "1"]])
    assert.equal(noteOf(offer, run(state, [choose, name, value]).state.setup), "", name);
});

test("what is known of a setting is said for as many players as it has at first", () => {
  const [go, chess] = OFFER.games;
  const weaker = { 2: "level 2 plays like level 1" };
  const offer = { ...OFFER, games: [{ ...go, weaker, presets: [{ ...go.presets[0], note: "a draw" }, go.presets[1]] }, chess] };
  const state = run({ ...opened(), offer }, [setUp], [choose, "game", "go"], [choose, "opponent", "computer"], [choose, "level", "2"]).state;
  assert.equal(noteOf(offer, state.setup), "a draw level 2 plays like level 1");
  for (const [name, value, said] of [["level", "1", "a draw"], ["players", "4", weaker[2]], ["preset", "19x19", weaker[2]], ["opponent", "open", "a draw"]])
    assert.equal(noteOf(offer, run(state, [choose, name, value]).state.setup), said, name);
});

test("a game that begins closes the form", () => {
  const state = run({ ...opened(), offer: OFFER }, [setUp]).state;
  const { state: next, asked } = run(state, [begun, state.setup]);
  assert.deepEqual(asked, [{ do: "new", setup: state.setup }]);
  assert.deepEqual([next.setup, next.notice], [null, WORDS.moving]);
  assert.equal(run(state, [unset]).state.setup, null);
});
