// What the page and the server say to each other: written by `python -m scripts.page_types`, from wire.py.

interface PageButton {
  label: string;
  data: string;
  style?: string;
}

interface PageLegend {
  look: string;
  text: string;
}

interface PageBoard {
  files: Array<string>;
  ranks: Array<string>;
  legend: Array<PageLegend>;
  squares: Array<number>;
  alt?: string;
}

interface PageStep {
  path: string;
  picks: string;
  squares: Array<number>;
  label?: string;
  after?: PageNode | boolean;
}

interface PageNode {
  prompt: string;
  steps: Array<PageStep>;
}

interface PagePick {
  at: string;
  node?: PageNode;
  said?: string;
  plies?: boolean;
  gathers?: boolean;
  at_once?: boolean;
  board?: PageBoard;
}

interface PageChair {
  text: string;
  look?: string;
  turn?: boolean;
  mine?: boolean;
  left?: number;
  clock?: string;
  runs?: boolean;
}

interface PageFile {
  name: string;
  data: string;
}

interface PageView {
  lines: Array<string>;
  buttons?: Array<PageButton>;
  board?: PageBoard;
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
  tries?: boolean;
}

interface PageEntry {
  seat: number;
  text: string;
}

interface PageLook {
  at: number;
  said: string;
  board: PageBoard;
}

interface PageHello {
  name: string;
  words: Record<string, string>;
  language: string;
  seated?: boolean;
  note?: string;
}

interface PageFrame {
  re?: string;
  hello?: PageHello;
  view?: PageView;
  log?: Array<PageEntry>;
  log_from?: number;
  pick?: PagePick;
  look?: PageLook;
  cards?: Array<PageView>;
  looks?: Record<string, string>;
  watching?: number;
  go?: string;
  bar?: string;
  over?: string;
}

interface PageBegun {
  line: string;
  bearer: string;
  code: string;
  frames: Array<PageFrame>;
}

interface PageProof {
  kind: string;
  proof?: string;
}

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

interface PageRequest {
  op: string;
  do: "flip" | "look" | "note" | "pick" | "play" | "press" | "theme" | "try" | "type";
  text?: string;
  on?: string;
  seen?: number;
}
