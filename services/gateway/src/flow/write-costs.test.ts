import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { Target } from "@orch/status/target.js";
import { createWriteCosts } from "./write-costs.js";

const target = (name = "", resource = "configmaps"): Target => ({
  ...{ group: "", version: "v1", resource, subresource: "" },
  ...{ namespace: "default", name },
});
const sent = (headers: Readonly<Record<string, string>>) => ({ header: (name: string) => headers[name] });
const announced = (bytes: number) => sent({ "content-length": String(bytes) });
const large = 1_000_000;

describe("what writes cost", () => {
  test("an ordinary write is one seat, a large one a seat for each 100 kB", () => {
    const costs = createWriteCosts();
    assert.equal(costs.seats("create", target(), announced(2000)), 1);
    assert.equal(costs.seats("create", target(), announced(large)), 10);
    assert.equal(costs.seats("delete", target("a"), sent({})), 1);
  });

  test("what the last large one took is what the next is taken for, and a small one is not", () => {
    const costs = createWriteCosts();
    costs.learn("create", target(), { bytes: large, answered: 0, tookMs: 1000 });
    assert.equal(costs.seats("create", target(), announced(large)), 100);
    assert.equal(costs.seats("create", target(), announced(large / 2)), 50);
    assert.equal(costs.seats("create", target(), announced(2000)), 1);
    assert.equal(costs.seats("create", target("", "secrets"), announced(large)), 10);
    costs.learn("create", target(), { bytes: large, answered: 0, tookMs: 10 });
    assert.equal(costs.seats("create", target(), announced(large)), 10);
  });

  test("a body that does not say its length is taken for the last one", () => {
    const costs = createWriteCosts();
    const chunked = sent({ "transfer-encoding": "chunked" });
    assert.equal(costs.seats("create", target(), chunked), 1);
    costs.learn("create", target(), { bytes: large, answered: 0, tookMs: 10 });
    assert.equal(costs.seats("create", target(), chunked), 10);
  });

  test("a small change of a large object costs what the object does, until that is small", () => {
    const costs = createWriteCosts();
    costs.learn("patch", target("big"), { bytes: 20, answered: large, tookMs: 50 });
    assert.equal(costs.seats("patch", target("big"), announced(20)), 10);
    assert.equal(costs.seats("patch", target("other"), announced(20)), 1);
    costs.learn("update", target("big"), { bytes: 20, answered: 200, tookMs: 1 });
    assert.equal(costs.seats("patch", target("big"), announced(20)), 1);
  });

  test("no more are remembered than a thousand", () => {
    const costs = createWriteCosts();
    for (let i = 0; i <= 1000; i++) costs.learn("patch", target(`o${i}`), { bytes: 20, answered: large, tookMs: 1 });
    assert.equal(costs.seats("patch", target("o0"), announced(20)), 1);
    assert.equal(costs.seats("patch", target("o1"), announced(20)), 10);
  });
});
