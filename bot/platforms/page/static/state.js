// What the page knows, as one plain object that is never changed in place, and what a change of it is: the next state, and
// effects as data, which page.js carries out once the state is drawn.

/** @import { Sound } from "./sound.js" */

/**
 * A half-made move after one more step.
 * @typedef {object} Picked
 * @property {number} id names it, for the answer about it
 * @property {string} at what is picked, as the server reads it
 * @property {PageNode | null} node what can be picked next; null: the turn is whole, or the server has not said it yet
 * @property {number[]} squares
 * @property {number[]} held the squares of the piece that the next step moves
 * @property {DrawnBoard | null} board the board with what is picked; null: as it is
 * @property {string} said
 * @property {boolean} plies whether whole plies are picked
 * @property {boolean} whole whether this is the end of a ply
 * @property {number[] | null} early squares tapped before the server has said what comes next
 * @property {boolean} [again] whether it was picked in an earlier position
 */

/**
 * How a square is drawn: `piece` is the look whose piece stands there, empty: none; `faded`: it is seen through.
 * @typedef {PageLegend & { piece?: string, faded?: boolean }} DrawnSquare
 */

/** @typedef {Omit<PageBoard, "legend"> & { legend: DrawnSquare[] }} DrawnBoard a board as it is drawn before the server answers */

/**
 * Answers under the board.
 * @typedef {object} Answers
 * @property {Card[]} shown
 * @property {boolean} asked whether the reader asked for them
 */

/** @typedef {PageView & { keys?: boolean, link?: string }} Card an answer; `keys`: with the switch of the letter keys */

/** @typedef {PageCard & { at: number }} LobbyCard an entry of the lobby, and when it was told, in ms */

/**
 * The list of matches.
 * @typedef {object} Lobby
 * @property {string[]} order
 * @property {Record<string, LobbyCard>} cards
 * @property {string} [due] until when nothing is due, where that is not soon
 */

/** @typedef {PageView & { after: string[], chairs: PageChair[], turns: number, r: number }} Match */

/** @typedef {{ at: number, said: string, board: PageBoard }} Look the match as it was after so many entries of its log */

/**
 * @typedef {object} State
 * @property {Record<string, string>} words
 * @property {string} code the match; empty: the list of matches
 * @property {boolean} loading whether there is nothing new to draw yet
 * @property {boolean} lost whether the connection is lost
 * @property {string} over why the server ended the connection
 * @property {boolean} seated whether the reader is known, and no spectator
 * @property {string | null} note what the reader noted; null: they do not play
 * @property {Match | null} view the match as it is
 * @property {PageEntry[]} log
 * @property {number} watching
 * @property {number} clocked when the clocks were told, in ms
 * @property {Look | null} look the position that is looked at, where it is not the present one
 * @property {number | null} wanted the position that is looked at once the server has said how it looks
 * @property {Record<number, Look>} seen the positions at hand
 * @property {boolean} reeling whether positions are asked for
 * @property {number} way 1 where later positions may be looked at next, -1 where earlier ones
 * @property {boolean} auto whether the match is played through
 * @property {number} pace how quickly that is: 0, 1, 2
 * @property {PageMark[]} marks what an analysis has found
 * @property {PageView | null} story what a reader who can ask for no story is told
 * @property {PageView | null} scene a card whose board is shown in place of the match: a puzzle, a hint, a line that is tried
 * @property {Answers} cards
 * @property {string} notice a word beside the title
 * @property {Picked[]} stack what is picked: an entry for each step back
 * @property {number} count of all entries of the stack so far, which names them
 * @property {number[]} taps touched squares of a step that covers several
 * @property {boolean} sending whether a move is on its way
 * @property {boolean} flipped whether the board is turned
 * @property {boolean} silent whether the letter keys are off
 * @property {boolean} sound whether sounds are on
 * @property {PageButton[]} menu what the server has for the menu, once it was opened
 * @property {boolean} typing whether there is the field of a typed move
 * @property {string} hushed the offers that are put away, by what they say
 * @property {Lobby | null} lobby the list of matches, as it was when it was open last
 * @property {PageNew | null} offer what the form of a new game offers
 * @property {PageSetup | null} setup what is chosen there; null: it is not open
 * @property {boolean} sends whether the host can pass a link on
 */

/**
 * What is to be done after a change; each has one of these.
 * @typedef {object} Effect
 * @property {Omit<PageRequest, "op">} [ask] ask the server
 * @property {number} [id] names the entry of the stack that the answer is about
 * @property {boolean} [menu] the answer goes into the menu
 * @property {string} [say] have a screen reader say it, once it has said what it is at
 * @property {string} [alert] likewise, at once: what went wrong
 * @property {Feel} [feel] let the device buzz
 * @property {Sound} [sound] play a sound, if sounds are on
 * @property {"board" | "typed" | "note" | "sheet"} [focus] put the keyboard there
 * @property {boolean} [typed] empty the field of a typed move
 * @property {string} [copy] put a text where it can be pasted
 * @property {string} [send] pass a link on by the host
 * @property {string} [go] open a match, or the list of matches
 * @property {number} [tick] go on to play the match through, in so many ms
 * @property {boolean} [forget] forget the session
 * @property {boolean} [remember] store whether the letter keys are off, and sounds on
 */

/** @typedef {"pick" | "move" | "good" | "bad"} Feel a square, a move, an end that is not lost, a refusal or a loss */

/** @typedef {{ state: State, effects: Effect[] }} Change */

/** @typedef {<More extends unknown[]>(next: (state: State, ...more: More) => Change, ...more: More) => void} Act makes a change */

/**
 * The state before the server has said anything.
 * @returns {State}
 */
export function initial(code = "", silent = false, sound = false, sends = false) {
  return {
    words: {},
    code,
    loading: true,
    lost: false,
    over: "",
    seated: false,
    note: null,
    view: null,
    log: [],
    watching: 0,
    clocked: 0,
    look: null,
    wanted: null,
    seen: {},
    reeling: false,
    way: -1,
    auto: false,
    pace: 1,
    marks: [],
    story: null,
    scene: null,
    cards: { shown: [], asked: false },
    notice: "",
    stack: [],
    count: 0,
    taps: [],
    sending: false,
    flipped: false,
    silent,
    sound,
    menu: [],
    typing: false,
    hushed: "",
    lobby: null,
    offer: null,
    setup: null,
    sends,
  };
}

/**
 * @param {State} state
 * @param {Effect[]} effects
 * @returns {Change}
 */
export const change = (state, ...effects) => ({ state, effects });

/**
 * A change, and then another.
 * @template {unknown[]} Arguments
 * @param {Change} first
 * @param {(state: State, ...more: Arguments) => Change} next
 * @param {Arguments} more
 * @returns {Change}
 */
export function and(first, next, ...more) {
  const { state, effects } = next(first.state, ...more);
  return { state, effects: [...first.effects, ...effects] };
}

/** What is on the board: a scene, or else the match. @param {State} state */
export const here = (state) => state.scene ?? state.view;

/** What is on the board, in a few words. @param {State} state */
export const titleOf = (state) => here(state)?.title ?? here(state)?.lines[0]?.replace(` · #${state.code}`, "");

/** Whether a move can be prepared while others think. @param {Pick<State, "view" | "scene">} state */
export const preparing = ({ scene, view }) => !scene && !view?.pick && !!view?.ahead?.pick;

/** What can be picked on the board: a move, or one that is prepared. @param {State} state */
export const pickable = (state) => (preparing(state) ? state.view?.ahead?.pick : here(state)?.pick);

/** What a request about the board is sent with. @param {State} state */
export const on = (state) => (state.scene ? { on: state.scene.on } : preparing(state) ? { on: "ahead" } : {});

/** The names of a board's squares, as they are seen. @param {PageBoard} board */
export const squareNames = (board) => board.ranks.flatMap((rank) => board.files.map((file) => file + rank));

/** Nothing picked, and the present position. @param {State} state @returns {State} */
export const cleared = (state) => ({ ...present(state), stack: [], taps: [] });

/** The present position. @param {State} state @returns {State} */
export const present = (state) => ({ ...state, look: null, wanted: null, auto: false });

/**
 * What is asked, or can be done now beside a move, and in which words.
 * @param {Pick<State, "view" | "scene">} state
 */
export function offers({ view, scene }) {
  const buttons = ((!scene && view?.board && view.buttons) || []).filter(({ end }) => !end);
  const lines = buttons.length ? (view?.after.slice(1) ?? []) : [];
  return { lines, buttons, text: [...lines, ...buttons.map(({ label }) => label)].join(" ") };
}

/** Whether the list of matches is open. @param {State} state */
export const atHome = (state) => !state.code && !state.scene;

/** No answers, offers and field above the action bar. @param {State} state */
export const dismissed = (state) =>
  change({ ...state, cards: { shown: [], asked: false }, typing: false, hushed: offers(state).text });

/** A word beside the title. @param {State} state @param {string} notice @param {Effect[]} effects */
export const noticed = (state, notice, ...effects) => change({ ...state, notice }, ...effects);

/** Another match, or the list of matches, before the server has said anything of it. @param {State} state @param {string} code */
export const moved = (state, code) =>
  change({
    ...cleared(state),
    code,
    loading: !!code || !state.lobby,
    setup: null,
    over: "",
    view: null,
    scene: null,
    log: [],
    watching: 0,
    seen: {},
    reeling: false,
    marks: [],
    story: null,
    sending: false,
    typing: false,
    notice: "",
  });

/** The connection is there, or lost. @param {State} state @param {boolean} lost */
export const connected = (state, lost) => {
  const next = { ...state, lost, notice: lost ? (state.words.reconnecting ?? "") : "" };
  return change(next, ...(next.notice !== state.notice && lost ? [{ say: next.notice }] : []));
};

/** The lines of a card that the page does not show anyway. @param {Card} card @param {State} state */
export function unknown({ lines, refused }, { view }) {
  const known = view ? [view.lines[0], ...(refused ? [] : view.after)] : [];
  return lines.filter((line) => !known.includes(line));
}

/** Answers under the board; the reader asked for them, or not. @param {State} state @param {Card[]} shown */
export function answered(state, shown, asked = true) {
  const next = { ...state, cards: { shown, asked } };
  const text = shown.flatMap((card) => unknown(card, state)).join(" ");
  if (!text) return change(next);
  return change(next, shown.some((card) => card.refused) ? { alert: text } : { say: text });
}

/** The match, or the list of matches, that is to be opened. @param {State} state @param {string} code */
export const went = (state, code) => change(state, { go: code });

/** A button pressed. @param {State} state @param {string} data */
export const pressed = (state, data) => change(state, { ask: { do: "press", text: data } });
