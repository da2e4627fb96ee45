import assert from "node:assert/strict";
import test from "node:test";

import { Wire } from "../../../../../bot/platforms/page/static/wire.js";

class Socket {
  sent = [];
  readyState = 0;

  send(text) {
    this.sent.push(JSON.parse(text));
  }

  close() {
    this.closed = true;
  }

  opens() {
    this.readyState = 1;
    this.onopen();
  }

  hears(frame) {
    this.onmessage({ data: JSON.stringify(frame) });
  }
}

const HELLO = { hello: { name: "Ann", words: {}, language: "en" } };

/** A wire with sockets and timers of a test. */
function rig({ sockets = true, fetch = () => Promise.reject(), connect = null } = {}) {
  const made = { sockets: [], timers: new Map(), heard: [], states: [], connects: 0 };
  const net = {
    socket: sockets && (() => made.sockets[made.sockets.push(new Socket()) - 1]),
    fetch,
    wait: (then, ms) => made.timers.set(made.timers.size + 1, { then, ms }) && made.timers.size,
    forget: (timer) => made.timers.has(timer) && (made.timers.get(timer).then = null),
    hidden: () => false,
    seen: () => {},
    luck: () => 1,
    name: () => `request-${++names}`,
  };
  let names = 0;
  made.due = () => [...made.timers.values()].filter((each) => each.then);
  const begun = async () => ({ line: `line-${++made.connects}`, bearer: "", code: "", frames: [HELLO] });
  made.wire = new Wire(connect ?? begun, (frame) => made.heard.push(frame), (lost) => made.states.push(lost), net);
  return made;
}

test("what was asked before the socket opened is sent once it is open", async () => {
  const rigged = rig();
  await rigged.wire.open();
  const op = rigged.wire.ask({ do: "pick", text: "a1" });
  const [socket] = rigged.sockets;
  assert.deepEqual(socket.sent, []);
  socket.opens();
  assert.deepEqual(socket.sent, [{ op, do: "pick", text: "a1" }]);
  assert.deepEqual(rigged.due().map((each) => each.ms), [5000], "a socket that opened is not given up, but an answer is due");
  socket.hears({ re: op });
  assert.deepEqual(rigged.heard, [HELLO, { re: op }]);
});

test("what was not answered is asked again, under its name, after the connection was lost", async () => {
  const rigged = rig();
  await rigged.wire.open();
  rigged.sockets[0].opens();
  const [answered, open] = [rigged.wire.ask({ do: "press" }), rigged.wire.ask({ do: "play" })];
  rigged.sockets[0].hears({ re: answered });
  rigged.sockets[0].onclose();
  assert.deepEqual(rigged.states, [false, true]);
  const [again] = rigged.due();
  assert.equal(again.ms, 250);
  await rigged.wire.open();
  rigged.sockets[1].opens();
  assert.deepEqual(rigged.sockets[1].sent, [{ op: open, do: "play" }]);
});

test("pauses grow while nothing answers, and have an end", async () => {
  const rigged = rig({ connect: () => Promise.reject(new Error("503")) });
  const pauses = [];
  for (let tries = 0; tries < 9; tries++) {
    await rigged.wire.open();
    pauses.push(Math.round(rigged.due().at(-1).ms));
  }
  assert.deepEqual(pauses.slice(0, 3), [250, 375, 563]);
  assert.equal(pauses.at(-1), 2000);
});

test("a socket that does not open is closed, and after two the page polls", async () => {
  const polled = [];
  const answers = [[{ watching: 1 }], null];
  const fetch = async (line, cut, body) => {
    polled.push([line, body && JSON.parse(body).do]);
    const frames = body ? [] : answers.shift();
    return { ok: frames !== null, status: 410, json: async () => frames };
  };
  const rigged = rig({ fetch });
  for (let tries = 0; tries < 2; tries++) {
    await rigged.wire.open();
    const slow = rigged.due().at(-1);
    assert.equal(slow.ms, 4000);
    slow.then();
    assert.ok(rigged.sockets[tries].closed);
    rigged.sockets[tries].onclose();
  }
  rigged.wire.ask({ do: "play" });
  await rigged.wire.open();
  assert.deepEqual(polled, [["line-3", "play"], ["line-3", undefined], ["line-3", undefined]]);
  assert.deepEqual(rigged.heard.at(-1), { watching: 1 });
  assert.ok(rigged.states.at(-1), "a line that is gone is lost");
});

test("nothing of an earlier connection is heard, and nothing after the end", async () => {
  const rigged = rig();
  await rigged.wire.open();
  await rigged.wire.open();
  const heard = rigged.heard.length;
  rigged.sockets[0].hears({ watching: 3 });
  rigged.sockets[0].onclose();
  assert.equal(rigged.heard.length, heard);
  rigged.sockets[1].opens();
  rigged.sockets[1].hears({ over: "match" });
  rigged.sockets[1].onclose();
  assert.deepEqual(rigged.heard.at(-1), { over: "match" });
  assert.ok(!rigged.states.includes(true));
  assert.deepEqual(rigged.due(), []);
});
