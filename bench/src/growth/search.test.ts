import assert from "node:assert/strict";
import { test } from "node:test";
import { type Group, nobody } from "./rows.js";
import { search } from "./search.js";
import type { Server } from "./server.js";

/** A server whose CPU is counted in steps: so many for a body of n bytes. */
function serverOf(stepsOf: (bytes: number) => number, code = 200): Server {
  let spent = 0;
  return {
    cpu: () => spent,
    ask({ body = "" }) {
      spent += stepsOf(Buffer.byteLength(body)) / 1e6;
      return Promise.resolve({ code, headers: [], body: Buffer.alloc(0), header: () => [] });
    },
    plant: () => Promise.resolve(true),
    forget: () => Promise.resolve(),
    faults: [],
    stop: () => Promise.resolve(),
  };
}

const group: Group = {
  name: "a thing",
  kind: "things",
  live: nobody,
  rows: [{ name: "create", ask: (n) => ({ target: "", body: "x".repeat(n) }) }],
  bytes: (n) => n,
};

async function found(server: Server, kib = 200) {
  const quiet = { progress: () => {}, found: () => {} };
  const findings = await search(server, [group], { bytes: kib * 1024, ...quiet });
  return findings.map(({ wrong, n }) => ({ wrong, n }));
}

test("work that grows with the square is found, and nothing larger is asked", async () => {
  const findings = await found(serverOf((bytes) => bytes ** 2 / 10));
  assert.deepEqual(findings, [{ wrong: "grew 16.0 times", n: 49_152 }]);
});

test("work that grows with the body is not wrong", async () => {
  assert.deepEqual(await found(serverOf((bytes) => bytes * 300)), [{ wrong: undefined, n: 196_608 }]);
});

test("one step that is steep alone is not wrong", async () => {
  const steep = (bytes: number): number => bytes * (bytes > 150_000 ? 300 : 150);
  assert.deepEqual(await found(serverOf(steep), 1000), [{ wrong: undefined, n: 786_432 }]);
});

test("what is slow for its size is asked with larger bodies than were wanted", async () => {
  const [finding] = await found(
    serverOf((bytes) => bytes * 2000),
    48,
  );
  assert.equal(finding?.n, 786_432);
});

test("an answer of 500 is wrong", async () => {
  assert.deepEqual(await found(serverOf((bytes) => bytes, 500)), [{ wrong: "answered 500", n: 12_288 }]);
});
