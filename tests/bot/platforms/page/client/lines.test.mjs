// The connection of the page, in virtual time: a line that dies without a word, a page that is seen again, servers that are busy.

import assert from "node:assert/strict";
import { beforeEach, mock, test } from "node:test";

import { Wire, network } from "../../../../../bot/platforms/page/static/wire.js";

class Socket {
  static all = [];
  constructor() {
    this.readyState = 0;
    this.sent = [];
    Socket.all.push(this);
  }
  open() {
    this.readyState = 1;
    this.onopen();
  }
  send(text) {
    this.sent.push(JSON.parse(text));
  }
  say(frame) {
    this.onmessage({ data: JSON.stringify(frame) });
  }
  close() {
    this.readyState = 3;
  }
}

const settled = async () => {
  for (let each = 0; each < 20; each++) await null;
};

/** Let virtual time pass. */
async function pass(ms) {
  for (let passed = 0; passed < ms; passed += 50) {
    mock.timers.tick(50);
    await settled();
  }
}

const random = Math.random;
let events, states, heard, connects, fails;

beforeEach(() => {
  mock.timers.reset();
  mock.timers.enable({ apis: ["setTimeout"] });
  mock.method(Math, "random", () => 0.5);
  events = new EventTarget();
  const on = events.addEventListener.bind(events);
  Object.assign(globalThis, { self: globalThis, addEventListener: on, WebSocket: Socket });
  globalThis.document = { hidden: false, addEventListener: on };
  globalThis.location = { href: "https://page.test/" };
  Socket.all = [];
  states = [];
  heard = [];
  connects = 0;
  fails = null;
});

function wired() {
  const connect = async () => {
    connects++;
    if (fails) throw fails;
    return { line: `line-${connects}`, frames: [{ hello: {} }] };
  };
  return new Wire(connect, (frame) => heard.push(frame), (lost) => states.push(lost ? "lost" : "open"), network());
}

async function opened() {
  const wire = wired();
  wire.open();
  await settled();
  Socket.all.at(-1).open();
  return [wire, Socket.all.at(-1)];
}

/** Answer every check of a socket for so many ms. */
async function answering(socket, ms) {
  for (let passed = 0; passed < ms; passed += 50) {
    await pass(50);
    for (const { op } of socket.sent.splice(0)) socket.say({ re: op });
  }
}

test("a request without an answer is asked again on a new connection after 5 s", async () => {
  const [wire, dead] = await opened();
  const op = wire.ask({ do: "play", text: "a2/a3" });
  await pass(4950);
  assert.deepEqual(states, ["open"]);
  await pass(50);
  assert.deepEqual(states, ["open", "lost"]);
  await pass(250);
  const fresh = Socket.all.at(-1);
  assert.notEqual(fresh, dead);
  fresh.open();
  assert.deepEqual(fresh.sent, [{ op, do: "play", text: "a2/a3" }], "by the same name");
  dead.onclose();
  fresh.say({ re: op });
  assert.equal(wire.waiting.size, 0);
  await pass(1000);
  assert.equal(connects, 2, "what the dead line still does is not heeded");
});

test("an answer that takes long is waited for as long as the server shows that it is at it", async () => {
  const [wire, socket] = await opened();
  wire.ask({ do: "press", text: "hint" });
  for (let each = 0; each < 10; each++) {
    await pass(4000);
    socket.say({});
  }
  assert.deepEqual(states, ["open"]);
  await pass(5000);
  assert.deepEqual(states, ["open", "lost"]);
});

test("of a page that is seen, a dead line is noticed within 10 s", async () => {
  const [, socket] = await opened();
  await answering(socket, 60000);
  assert.deepEqual(states, ["open"]);
  assert.equal(connects, 1);
  await pass(10000);
  assert.deepEqual(states.slice(0, 2), ["open", "lost"]);
});

test("a page that is not seen sends nothing, and waits for the server's frame", async () => {
  const [, socket] = await opened();
  document.hidden = true;
  for (let each = 0; each < 5; each++) {
    await pass(20000);
    socket.say({});
  }
  assert.deepEqual(socket.sent, []);
  await pass(24950);
  assert.deepEqual(states, ["open"]);
  await pass(50);
  assert.deepEqual(states, ["open", "lost"]);
});

for (const event of ["visibilitychange", "focus", "online"]) {
  test(`${event} checks at once`, async () => {
    const [wire, socket] = await opened();
    document.hidden = true;
    await pass(15000);
    document.hidden = false;
    events.dispatchEvent(new Event(event));
    events.dispatchEvent(new Event(event));
    assert.deepEqual(socket.sent.map((each) => each.do), ["check"], "once");
    await pass(5000);
    assert.deepEqual(states, ["open", "lost"]);
    fails = new Error();
    await pass(4000);
    const before = connects;
    events.dispatchEvent(new Event(event));
    assert.equal(connects, before + 1, "while it is lost, it connects at once");
    wire.stop();
  });
}

test("a device that is offline says so at once, and is back once it is online", async () => {
  await opened();
  fails = new Error();
  events.dispatchEvent(new Event("offline"));
  assert.deepEqual(states, ["open", "lost"]);
  await pass(3000);
  fails = null;
  events.dispatchEvent(new Event("online"));
  await settled();
  assert.equal(states.at(-1), "open");
});

test("an ended connection stays ended", async () => {
  const [wire, socket] = await opened();
  socket.say({ over: "off" });
  events.dispatchEvent(new Event("focus"));
  await pass(60000);
  assert.equal(connects, 1);
  assert.equal(wire.waiting.size, 0);
});

test("what a page says when it connects is not asked again", async () => {
  const [wire, socket] = await opened();
  wire.ask({ do: "flip" });
  wire.ask({ do: "theme", text: "dark" });
  wire.ask({ do: "look", text: "1" });
  socket.onclose();
  await pass(250);
  Socket.all.at(-1).open();
  assert.deepEqual(Socket.all.at(-1).sent.map((each) => each.do), ["look"]);
});

test("a server that says when to come again is not asked before, whatever the page does", async () => {
  fails = Object.assign(new Error("429"), { wait: 7000 });
  const wire = wired();
  wire.open();
  await settled();
  events.dispatchEvent(new Event("focus"));
  await pass(8700);
  assert.equal(connects, 1);
  await pass(100);
  assert.equal(connects, 2, "after 7 s and a quarter");
});

test("pages that are told the same come back apart", async () => {
  mock.method(Math, "random", random);
  fails = Object.assign(new Error("503"), { wait: 1000 });
  for (let each = 0; each < 200; each++) wired().open();
  await settled();
  const most = [];
  for (let passed = 0; passed < 1600; passed += 50) {
    const before = connects;
    await pass(50);
    most.push(connects - before);
  }
  assert.equal(connects, 400);
  assert.ok(Math.max(...most) < 60, `${most}`);
});

test("without WebSockets, a poll that is never answered is left, and so is a request", async () => {
  delete globalThis.WebSocket;
  const calls = [];
  globalThis.fetch = (url, how) => {
    calls.push({ method: "GET", ...how, url });
    return new Promise((_, failed) => how.signal.addEventListener("abort", () => failed(how.signal.reason)));
  };
  const wire = wired();
  wire.open();
  await settled();
  wire.ask({ do: "look", text: "1" });
  await pass(5000);
  assert.deepEqual(states, ["open", "lost"]);
  assert.deepEqual(calls.map((call) => [call.method, call.signal.aborted]), [["GET", true], ["POST", true]]);
  wire.stop();
});
