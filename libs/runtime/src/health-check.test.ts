import assert from "node:assert/strict";
import { test } from "node:test";
import { flagsOf, healthAddress } from "./health-check.js";

const commandLine = (...words: readonly string[]): string => words.map((word) => `${word}\0`).join("");

test("a check finds the flags of the program in its command line", () => {
  const flags = ["--metrics-port=9002", "--bind-address", "::"];
  for (const before of [
    ["node", "/orch/main.js"],
    ["node", "--max-old-space-size=512", "/orch/main.js"],
    ["node", "/orch/main.js", "serve"],
    ["/run/podman-init", "--", "node", "/orch/main.js"],
  ]) {
    assert.deepEqual(flagsOf(commandLine(...before, ...flags)), flags, before.join(" "));
  }
  assert.deepEqual(flagsOf(commandLine("node", "/orch/main.js")), []);
});

test("health is told where the program listens", () => {
  const rows: readonly (readonly [Readonly<Record<string, unknown>>, string | undefined])[] = [
    [{ "secure-port": 6443, "bind-address": "127.0.0.1" }, "https://127.0.0.1:6443/"],
    [{ "secure-port": 6443, "bind-address": "0.0.0.0", "rpc-cert-file": "" }, "https://127.0.0.1:6443/"],
    [{ "metrics-port": 9002, "bind-address": "0.0.0.0", "rpc-cert-file": "" }, "http://127.0.0.1:9002/"],
    [{ "metrics-port": 9002, "bind-address": "::", "rpc-cert-file": "/a.crt" }, "https://[::1]:9002/"],
    [{ "metrics-port": 9002, "bind-address": "fd00::7", "rpc-cert-file": "/a.crt" }, "https://[fd00::7]:9002/"],
    [{ "metrics-port": 0, "bind-address": "127.0.0.1" }, undefined],
    [{ "secure-port": 0, "bind-address": "127.0.0.1" }, undefined],
  ];
  for (const [values, address] of rows) {
    assert.equal(healthAddress(new Map(Object.entries(values))), address, JSON.stringify(values));
  }
});
