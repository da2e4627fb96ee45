// What a frame of the server changes.

/** @import { Change, Effect, State } from "./state.js" */

import { lobbied } from "./lobby.js";
import { looked } from "./replay.js";
import { extended, promptOf, unanswered } from "./selection.js";
import { and, answered, change, cleared, noticed, offers } from "./state.js";

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
  if (frame.look) next = and(next, looked, frame.look);
  if (about?.do === "note") next = and(next, noticed, state.words.noted);
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
const logged = (state, log, from) => change({ ...state, log: [...state.log.slice(0, from), ...log] });

/** The match as it is. @param {State} state @param {PageView} view @param {number} at */
function viewed(state, view, at) {
  const before = state.view;
  const match = { ...view, after: view.after ?? [], chairs: view.chairs ?? [], turns: view.turns ?? 0, r: view.r ?? 0 };
  const advanced = before !== null && before.turns !== match.turns;
  /** @type {State} */
  let next = { ...state, view: match, clocked: at, sending: false, loading: false };
  if (before?.r !== match.r) next = { ...next, menu: [], hushed: offers(next).text && next.hushed };
  if (!before) next = { ...next, cards: { shown: [], asked: false } };
  if (!before || (!state.scene && (advanced || !match.pick))) next = cleared(next);
  if (!advanced) return change(next);
  next = { ...next, look: null, scene: next.scene?.on ? next.scene : null };
  return change(next, { say: [...match.lines.slice(1), ...match.after].join(" ") }, ...felt(match, before.turns < match.turns, state.sending));
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
  let next = unanswered({ ...state, sending: false, notice: "", scene: scene ?? state.scene, typing }, about?.id);
  if (scene || (refused && about?.do === "play")) next = cleared(next);
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
