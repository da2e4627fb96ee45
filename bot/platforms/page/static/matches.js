// The cards of the list of matches, which follow what happens.

/** @import { Change, Lobby, LobbyCard, State } from "./state.js" */

import { change } from "./state.js";

/**
 * Cards that have changed have come, and the order of all; `at` is the time in ms.
 * @param {State} state
 * @param {PageLobby} told
 * @param {number} at
 * @returns {Change}
 */
export function lobbied(state, { order, cards: changed, due }, at) {
  const before = state.lobby?.cards ?? {};
  /** @type {Record<string, LobbyCard>} */
  const all = { ...before };
  for (const card of changed) all[card.id] = { ...card, at };
  const known = order.filter((id) => all[id]);
  const cards = Object.fromEntries(known.map((id) => [id, all[id]]));
  const called = known.map((id) => cards[id]).filter(({ id, kind }) => state.lobby && kind === "turn" && before[id]?.kind !== kind);
  const next = { ...state, lobby: { order: known, cards, due } };
  if (!called.length || state.code) return change(next);
  return change(next, { say: called.map(labelOf).join(". ") }, { feel: "move" });
}

/** How many matches wait for the reader's move. @param {Lobby | null} lobby */
export const waitingFor = (lobby) => Object.values(lobby?.cards ?? {}).filter(({ kind }) => kind === "turn").length;

/** What a card says, in one line. @param {LobbyCard} card */
export const labelOf = ({ title, state, about, clock: time }) => [title, state, about, time?.text].filter(Boolean).join(". ");
