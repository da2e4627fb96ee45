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
  files: string[];
  ranks: string[];
  legend: PageLegend[];
  squares: number[];
  alt?: string;
}

interface PageStep {
  path: string;
  picks: string;
  squares: number[];
  label?: string;
  after?: PageNode | boolean;
}

interface PageNode {
  prompt: string;
  steps: PageStep[];
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
  lines: string[];
  buttons?: PageButton[];
  board?: PageBoard;
  pick?: PagePick;
  refused?: boolean;
  files?: PageFile[];
  on?: string;
  back?: string;
  code?: string;
  r?: number;
  after?: string[];
  chairs?: PageChair[];
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
  log?: PageEntry[];
  log_from?: number;
  pick?: PagePick;
  look?: PageLook;
  cards?: PageView[];
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
  frames: PageFrame[];
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
