// What a frame of the server changes.

/** @import { Change, Effect, Match, State } from "./state.js" */

import { lobbied } from "./matches.js";
import { reeled, turned, unreeled } from "./replay.js";
import { extended, promptOf, reconsidered, unanswered } from "./selection.js";
import { and, answered, change, cleared, noticed, offers, pickable, present } from "./state.js";

/** @typedef {{ do: PageRequest["do"], id?: number, menu?: boolean }} About what was asked for, and whether for the menu */

/**
 * A frame has come. It answers a request, or none; `at` is the time in ms.
 * @param {State} state
 * @param {PageFrame} frame
 * @param {About | undefined} about
 * @param {number} at
 * @returns {Change}
 */
export function received(state, frame, about, at) {
  let next = change({ ...state, watching: frame.watching ?? state.watching });
  if (frame.hello) next = and(next, greeted, frame.hello);
  if (frame.log) next = and(next, logged, frame.log, frame.log_from ?? 0);
  if (frame.view) next = and(next, viewed, frame.view, at);
  if (frame.pick) next = and(next, extended, frame.pick, about?.id);
  else if (about?.id) next = change(unanswered(next.state, about.id), ...next.effects);
  if (frame.reel) next = and(next, reeled, frame.reel);
  else if (about?.do === "look") next = and(next, unreeled);
  else if (about?.do === "flip" || about?.do === "theme" || frame.hello) next = and(next, turned);
  if (frame.marks) next = change({ ...next.state, marks: frame.marks }, ...next.effects);
  if (frame.story) next = change({ ...next.state, story: frame.story }, ...next.effects);
  if (about?.do === "note" && !frame.cards) next = and(next, noticed, state.words.noted, { say: state.words.noted });
  if (frame.bar) next = and(next, noticed, frame.bar);
  if (frame.lobby) next = and(next, lobbied, frame.lobby, at);
  if (frame.new) next = change({ ...next.state, offer: frame.new }, ...next.effects);
  if (frame.cards) next = and(next, carded, frame.link ? frame.cards.map((card) => ({ ...card, link: frame.link })) : frame.cards, about);
  if (frame.go) next = change(next.state, ...next.effects, { go: frame.go });
  if (frame.over && frame.over !== "busy") next = and(next, ended, frame.over);
  return next;
}

/** @param {State} state @param {PageHello} hello */
function greeted(state, hello) {
  return change({
    ...state,
    words: hello.words,
    seated: !!hello.seated,
    note: hello.note ?? null,
    loading: state.loading && !!state.code,
    lost: false,
    cards: { shown: [], asked: false },
  });
}

/** Entries of the log, from one on. @param {State} state @param {PageEntry[]} log @param {number} from */
function logged(state, log, from) {
  const seen = Object.fromEntries(Object.entries(state.seen).filter(([at]) => Number(at) <= from));
  return change({ ...state, seen, log: [...state.log.slice(0, from), ...log] });
}

/** The match as it is. @param {State} state @param {PageView} view @param {number} at */
function viewed(state, view, at) {
  const before = state.view;
  const match = { ...view, after: view.after ?? [], chairs: view.chairs ?? [], turns: view.turns ?? 0, r: view.r ?? 0 };
  const advanced = before !== null && before.turns !== match.turns;
  /** @type {State} */
  let next = { ...state, view: match, clocked: at, sending: state.sending && !!before && !advanced, loading: false };
  const over = !!match.end && !before?.end;
  if (before?.r !== match.r) next = { ...next, menu: [], hushed: offers(next).text && next.hushed };
  if (!before) next = { ...next, cards: { shown: [], asked: false } };
  if (!before || (!state.scene && !pickable(next))) next = cleared(next);
  const ahead = match.ahead?.said ?? "";
  const told = before && ahead !== (before.ahead?.said ?? "") ? [ahead || (advanced ? "" : state.words.unprepared)] : [];
  if (!advanced && !over) return change(next, ...(told[0] ? [{ say: told[0] }] : []));
  let kept = change(state.scene ? next : cleared(next));
  const goes = match.pick || !before?.pick; // else their turn has ended: what they picked for it is not for the next one
  if (before && goes && !state.scene && !state.sending) kept = reconsidered(next, before.r);
  next = { ...present(kept.state), scene: next.scene?.on ? next.scene : null };
  const other = before ? answeredBy(state, before.turns, match) : [];
  const say = [...other, ...match.lines.slice(1), ...told, ...match.after].filter(Boolean).join(" ");
  return change(next, { say }, ...(before ? felt(match, before.turns < match.turns, state.sending) : []), ...kept.effects);
}

/** What others did before the last turn, if that was not seen: a prepared move has answered it. @param {State} state @param {number} from @param {Match} match */
function answeredBy({ log }, from, { chairs }) {
  const last = log.at(-1)?.seat;
  const others = log.slice(from, log.findLastIndex((each) => each.seat !== last) + 1).filter(({ seat }) => chairs[seat] && !chairs[seat].mine);
  return others.map(({ seat, text }, at) => (at && others[at - 1].seat === seat ? text : `${chairs[seat].name ?? chairs[seat].text}: ${text}`));
}

/**
 * What is felt and heard of what happened; of the reader's own move it was felt when it was made.
 * @param {PageView} match
 * @param {boolean} forward whether it is a move, and not one taken back
 * @param {boolean} own
 * @returns {Effect[]}
 */
function felt({ event, end }, forward, own) {
  const over = event === "end";
  /** @type {Effect[]} */
  const effects = over ? [{ feel: end?.outcome === "lost" ? "bad" : "good" }] : own ? [] : [{ feel: "move" }];
  return event && (forward || over) ? [...effects, { sound: event }] : effects;
}

/** Answers; one with a board takes the place of the match. @param {State} state @param {PageView[]} cards @param {About} [about] */
function carded(state, cards, about) {
  const refused = cards.some((card) => card.refused);
  if (about?.menu && !refused) return change({ ...state, menu: cards.flatMap((card) => card.buttons ?? []) });
  const scene = cards.find((card) => card.board);
  const typing = state.typing && (refused || about?.do !== "type");
  let next = { ...state, sending: false, notice: "", scene: scene ?? state.scene, typing };
  if (scene || about?.do === "ahead" || (refused && about?.do === "play")) next = cleared(next);
  /** @type {Effect[]} */
  const effects = refused && about ? [{ feel: "bad" }] : [];
  if (about?.do === "type" && !refused) effects.push({ typed: true }, { focus: "board" });
  if (scene) effects.push({ say: [...scene.lines, promptOf(next)].join(" ") });
  const others = cards.filter((card) => card !== scene);
  const asks = about?.do === "press" && others.some((card) => card.buttons?.length);
  const told = and(change(next, ...effects), answered, others, !!about);
  return asks ? change(told.state, ...told.effects, { focus: "sheet" }) : told;
}

/** @param {State} state @param {string} over */
function ended(state, over) {
  return change({ ...state, over, loading: false }, ...(over === "session" ? [{ forget: true }] : []));
}
