import assert from "node:assert/strict";
import { test } from "node:test";
import { tlsFlags } from "./flags.js";
import { byServerName } from "./server-names.js";

const none: readonly string[] = [];

test("a name finds what is for it", () => {
  const find = byServerName([
    { value: "own", given: none, own: ["a.example", "*.own.example", "both.example"] },
    { value: "given", given: ["b.example", "*.example", "both.example"], own: ["c.example"] },
    { value: "later", given: ["b.example", "*.deep.example"], own: none },
  ]);
  const rows = [
    ["a.example", "own"],
    ["A.Example.", "own"],
    ["b.example", "given"],
    ["both.example", "given"],
    ["c.example", "given"],
    ["x.own.example", "own"],
    ["x.y.own.example", undefined],
    ["own.example", "given"],
    ["x.deep.example", "later"],
    ["example", undefined],
    ["elsewhere.test", undefined],
    ["", undefined],
    ["__proto__", undefined],
  ] as const;
  for (const [name, value] of rows) assert.equal(find(name), value, name);
});

test("names that were given take the place of those that the certificate is for", () => {
  const find = byServerName([{ value: "given", given: ["b.example"], own: ["c.example"] }]);
  assert.equal(find("c.example"), undefined);
});

test("pairs are read as the reference writes them", () => {
  const flag = tlsFlags["tls-sni-cert-key"];
  const first = flag.read("a.crt,a.key", undefined);
  assert.ok(first.ok);
  assert.deepEqual(flag.read("b.crt,b.key:*.Foo.example,foo.example", first.value), {
    ok: true,
    value: [
      { cert: "a.crt", key: "a.key", names: [] },
      { cert: "b.crt", key: "b.key", names: ["*.foo.example", "foo.example"] },
    ],
  });
  for (const text of ["", "a.crt", "a.crt,", ",a.key", "a,b,c", ":x", "a.crt:a.key"]) {
    assert.deepEqual(
      flag.read(text, undefined),
      { ok: false, problem: "must be certificate,key[:name,name...]" },
      text,
    );
  }
  for (const name of ["10.0.0.1", "*", "a..b", "*.*.example", "a b", "-a", "fd00::1", ""]) {
    const read = flag.read(`a.crt,a.key:${name}`, undefined);
    assert.ok(!read.ok && /is no host name that a client asks for/.test(read.problem), name);
  }
});
