// What the page and the server say to each other: written by `python -m scripts.page_types`, from wire.py.

/** Something to press: `data` is what a chat's button carries. */
interface PageButton {
  label: string;
  data: string;
  style?: string;
  end?: boolean;
}

/** How a square can look, by the key of its SVG elements, and what then stands on it, in words. */
interface PageLegend {
  look: string;
  text: string;
}

/** A board as it is seen. */
interface PageBoard {
  files: Array<string>;
  ranks: Array<string>;
  legend: Array<PageLegend>;
  squares: Array<number>;
  alt?: string;
}

/** One way on from a half-made move. */
interface PageStep {
  path: string;
  picks: string;
  squares: Array<number>;
  label?: string;
  after?: PageNode | boolean;
}

/** What is to be picked next. */
interface PageNode {
  prompt: string;
  steps: Array<PageStep>;
}

/** A half-made move. */
interface PagePick {
  at: string;
  node?: PageNode;
  said?: string;
  plies?: boolean;
  gathers?: boolean;
  at_once?: boolean;
  board?: PageBoard;
  fades?: Array<number>;
  puts?: Record<string, Array<string>>;
}

/** A move that the reader prepares while others think, which no one else sees. */
interface PageAhead {
  pick?: PagePick;
  moves?: string;
  squares?: Array<number>;
  said?: string;
  dropped?: boolean;
}

/** A span in which a clock stands still; what is shown meanwhile. */
interface PageRest {
  start: number;
  end: number;
  text: string;
}

/** The time that a player has left. */
interface PageClock {
  left: number;
  runs?: boolean;
  text?: string;
  rests?: Array<PageRest>;
}

/** A seat: who sits there and what is to be said of them. */
interface PageChair {
  text: string;
  name?: string;
  side?: string;
  score?: string;
  note?: string;
  out?: boolean;
  actions_left?: number;
  actions?: number;
  look?: string;
  turn?: boolean;
  mine?: boolean;
  clock?: PageClock;
}

/** A file to download; `data` is in Base64. */
interface PageFile {
  name: string;
  data: string;
}

/** The end of a match. */
interface PageEnd {
  result: string;
  why?: string;
  rating?: string;
  outcome?: "" | "drawn" | "lost" | "won";
}

/** An address to follow. */
interface PageLink {
  label: string;
  url: string;
}

/** A message as one reader sees it: an answer, a refusal, a menu, or a match. With a board, the first line is its title. */
interface PageView {
  lines: Array<string>;
  buttons?: Array<PageButton>;
  board?: PageBoard;
  small?: PageBoard;
  panels?: Array<PageBoard>;
  pick?: PagePick;
  refused?: boolean;
  files?: Array<PageFile>;
  on?: string;
  back?: string;
  code?: string;
  r?: number;
  after?: Array<string>;
  chairs?: Array<PageChair>;
  turns?: number;
  share?: string;
  invite?: string;
  joins?: Array<PageLink>;
  menu?: string;
  tries?: boolean;
  title?: string;
  players?: string;
  rated?: boolean;
  event?: "" | "capture" | "end" | "move";
  ahead?: PageAhead;
  end?: PageEnd;
}

/** An entry of the log: the index of the seat, and what it did. */
interface PageEntry {
  seat: number;
  text: string;
}

/** A match as it was after so many entries of its log; `squares` as in `PageBoard`. */
interface PageMoment {
  at: number;
  said: string;
  squares: Array<number>;
}

/** Positions of a match, one after another, with one legend. */
interface PageReel {
  files: Array<string>;
  ranks: Array<string>;
  legend: Array<PageLegend>;
  moments: Array<PageMoment>;
}

/** A turning point of a match that was analysed: how many entries its log had after the turn. */
interface PageMark {
  at: number;
  kind: "lost" | "turning";
  text: string;
}

/** An entry of the lobby: a match, an invitation, or something else that one can do. */
interface PageCard {
  id: string;
  kind: "event" | "finished" | "invitation" | "lesson" | "open" | "puzzle" | "seek" | "turn" | "waiting";
  title: string;
  state?: string;
  about?: string;
  code?: string;
  clock?: PageClock;
  board?: PageBoard;
  buttons?: Array<PageButton>;
  go?: string;
  press?: string;
}

/** The lobby. Only cards that are new, or have changed since the last frame of the connection, are sent. */
interface PageLobby {
  order: Array<string>;
  cards: Array<PageCard>;
  due?: string;
}

/** Something to choose in the form of a new game. */
interface PageChoice {
  value: string;
  label: string;
}

/** A ready-made setting of a game: its board, its variant. */
interface PagePreset {
  value: string;
  label: string;
  players: Array<number>;
  rates?: boolean;
  note?: string;
}

/** A game, with its settings; the first one is chosen at first. */
interface PageGame {
  value: string;
  label: string;
  presets: Array<PagePreset>;
  weaker?: Record<string, string>;
}

/** A new game: what is chosen in the form, or what the form offers. */
interface PageSetup {
  game: string;
  preset?: string;
  opponent?: "computer" | "friend" | "open" | "person";
  level?: number;
  person?: string;
  players?: number;
  clock?: string;
  rated?: boolean;
}

/** A new game for one tap: the same again, or one against the computer. */
interface PageQuick {
  label: string;
  setup: PageSetup;
}

/** What the form of a new game offers, and its words. */
interface PageNew {
  words: Record<string, string>;
  quick: Array<PageQuick>;
  games: Array<PageGame>;
  levels: Array<PageChoice>;
  clocks: Array<PageChoice>;
  people: Array<PageChoice>;
}

/** The answer to a page that connects: who reads, the words of the page, and what they noted about the match, if they play. */
interface PageHello {
  name: string;
  words: Record<string, string>;
  language: string;
  seated?: boolean;
  note?: string;
}

/** What the server says. `re` names the request it answers; `looks` are those that the page does not have yet. */
interface PageFrame {
  re?: string;
  hello?: PageHello;
  view?: PageView;
  log?: Array<PageEntry>;
  log_from?: number;
  pick?: PagePick;
  reel?: PageReel;
  marks?: Array<PageMark>;
  story?: PageView;
  cards?: Array<PageView>;
  looks?: Record<string, string>;
  watching?: number;
  go?: string;
  bar?: string;
  lobby?: PageLobby;
  new?: PageNew;
  link?: string;
  over?: string;
}

/** The answer to a request. It has to name it: what is not answered is asked again after each reconnect. */
interface PageReply extends PageFrame {
  re: string;
}

/** The answer to the first frame of a page: the line, what proves who reads from then on, the match, what is to be seen. */
interface PageBegun {
  line: string;
  bearer: string;
  code: string;
  frames: Array<PageFrame>;
}

/** How a page proves who reads it: `link` with the token of a one-time link, a platform with what that vouches by. */
interface PageProof {
  kind: string;
  proof?: string;
}

/** The first frame of a page. */
interface PageConnect {
  proof?: PageProof;
  bearer?: string;
  code?: string;
  key?: string;
  theme?: string;
  locale?: string;
  r?: number;
  flip?: boolean;
}

/** What a page asks for. */
interface PageRequest {
  op: string;
  do: "ahead" | "check" | "flip" | "look" | "new" | "note" | "pick" | "play" | "press" | "rules" | "takeback" | "theme" | "try" | "type";
  text?: string;
  on?: string;
  seen?: number;
  setup?: PageSetup;
}
