import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { ResourceRoute } from "../path.js";
import { createWriteCosts } from "./write-costs.js";

const route = (name = "", resource = "configmaps"): ResourceRoute => ({
  ...{ type: "resource", path: "", group: "", version: "v1", resource, subresource: "" },
  ...{ namespace: "default", name, watch: false },
});
const sent = (headers: Readonly<Record<string, string>>) => ({ header: (name: string) => headers[name] });
const announced = (bytes: number) => sent({ "content-length": String(bytes) });
const large = 1_000_000;

describe("what writes cost", () => {
  test("an ordinary write is one seat, a large one a seat for each 100 kB", () => {
    const costs = createWriteCosts();
    assert.equal(costs.seats("create", route(), announced(2000)), 1);
    assert.equal(costs.seats("create", route(), announced(large)), 10);
    assert.equal(costs.seats("delete", route("a"), sent({})), 1);
  });

  test("what the last large one took is what the next is taken for, and a small one is not", () => {
    const costs = createWriteCosts();
    costs.learn("create", route(), { bytes: large, answered: 0, tookMs: 1000 });
    assert.equal(costs.seats("create", route(), announced(large)), 100);
    assert.equal(costs.seats("create", route(), announced(large / 2)), 50);
    assert.equal(costs.seats("create", route(), announced(2000)), 1);
    assert.equal(costs.seats("create", route("", "secrets"), announced(large)), 10);
    costs.learn("create", route(), { bytes: large, answered: 0, tookMs: 10 });
    assert.equal(costs.seats("create", route(), announced(large)), 10);
  });

  test("a body that does not say its length is taken for the last one", () => {
    const costs = createWriteCosts();
    const chunked = sent({ "transfer-encoding": "chunked" });
    assert.equal(costs.seats("create", route(), chunked), 1);
    costs.learn("create", route(), { bytes: large, answered: 0, tookMs: 10 });
    assert.equal(costs.seats("create", route(), chunked), 10);
  });

  test("a small change of a large object costs what the object does, until that is small", () => {
    const costs = createWriteCosts();
    costs.learn("patch", route("big"), { bytes: 20, answered: large, tookMs: 50 });
    assert.equal(costs.seats("patch", route("big"), announced(20)), 10);
    assert.equal(costs.seats("patch", route("other"), announced(20)), 1);
    costs.learn("update", route("big"), { bytes: 20, answered: 200, tookMs: 1 });
    assert.equal(costs.seats("patch", route("big"), announced(20)), 1);
  });

  test("no more are remembered than a thousand", () => {
    const costs = createWriteCosts();
    for (let i = 0; i <= 1000; i++) costs.learn("patch", route(`o${i}`), { bytes: 20, answered: large, tookMs: 1 });
    assert.equal(costs.seats("patch", route("o0"), announced(20)), 1);
    assert.equal(costs.seats("patch", route("o1"), announced(20)), 10);
  });
});
