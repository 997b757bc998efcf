import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { createNaming } from "@orch/naming/naming.js";
import fc from "fast-check";
import { readConfiguration } from "./read-configuration.js";

interface Row {
  readonly file: string;
  readonly reload: boolean;
  /** "" where the file is taken. */
  readonly says: string;
}

const rows: readonly Row[] = JSON.parse(readFileSync(new URL("../../testdata/files.json", import.meta.url), "utf8"));
const naming = createNaming("kubernetes");
const read = (file: string, { reload = false, allowsV1 = false } = {}): string => {
  const result = readConfiguration(file, "<dir>/c.yaml", { naming, reload, allowsV1 });
  return result.ok ? "" : result.problem;
};

/** The same without what tells of the reference's language. */
function plain(text: string): string {
  return text
    .replace(' in scheme "pkg/runtime/scheme.go:100"', "")
    .replace(/\[\]string\{([^}]*)\}/, (_, names: string) => `[${names.replaceAll(", ", ",")}]`)
    .replace("v1.Duration{Duration:0}", '"0s"')
    .replace("v1.Duration{Duration:-1000000000}", '"-1s"')
    .replace('parse "unix://%zz": invalid URL escape "%zz"', 'parse "unix://%zz": invalid URL escape')
    .replace(/apiserver\.ProviderConfiguration\{.*\}:/, "<provider>:");
}

const ours = (text: string): string =>
  text.replace(/Invalid value: (\{\}|\["aescbc","identity"\]):/, "Invalid value: <provider>:");

/** Texts of a parser of another language: only who says them is the same. */
const ofTheParser = /yaml: |couldn't get version\/kind/;

for (const { file, reload, says } of rows) {
  test(`the file ${file.slice(0, 200)}${reload ? " with reload" : ""} ${says === "" ? "is taken" : "is refused"}`, () => {
    const said = read(file, { reload });
    const match = ofTheParser.exec(says);
    if (match !== null) {
      const head = says.slice(0, match.index);
      assert.equal(said.slice(0, head.length), head);
      return;
    }
    // The observer wrote objects as YAML.
    if (says.includes("is missing in 'kind:") || says.includes("is missing in 'apiVersion:")) {
      assert.equal(said.slice(0, said.indexOf(" is missing")), says.slice(0, says.indexOf(" is missing")));
      return;
    }
    assert.equal(ours(said), plain(says));
  });
}

const head = { apiVersion: "apiserver.config.k8s.io/v1", kind: "EncryptionConfiguration" };
const kms = (fields: object): object => ({ kms: { name: "k", endpoint: "unix:///k.sock", ...fields } });
const ofProviders = (...providers: readonly object[]): string =>
  JSON.stringify({ ...head, resources: [{ resources: ["secrets"], providers }] });

test("v1 is taken with its gate; its names may repeat unless the file is read again", () => {
  const file = ofProviders(kms({}), kms({ apiVersion: "v1" }));
  assert.equal(read(file, { allowsV1: true }), "");
  assert.match(read(file, { allowsV1: true, reload: true }), /duplicate KMS provider name k, names must be unique/);
});

test("defaults are those of the specification", () => {
  const result = readConfiguration(ofProviders(kms({})), "f", { naming, reload: false, allowsV1: true });
  assert.ok(result.ok);
  assert.deepEqual(result.configuration.rules[0]?.providers, [
    { type: "kms", version: "v1", name: "k", socketPath: "/k.sock", timeoutMs: 3_000, cacheSize: 1_000 },
  ]);
});

test("no problem shows a secret", () => {
  const secret = "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHg==";
  const files = [
    ofProviders({ aescbc: { keys: [{ name: "a", secret }] } }),
    ofProviders({ aescbc: { keys: [{ name: "a", secret }] }, identity: {} }),
    ofProviders({ aescbc: { keys: [{ name: "a", secrets: secret }] } }),
    ofProviders({ aescbc: { keys: [{ name: { secret }, secret: 1 }] } }),
    JSON.stringify({ ...head, resources: [{ resources: [], providers: [{ secretbox: { keys: [{ secret }] } }] }] }),
  ];
  for (const file of files) {
    const said = read(file);
    assert.notEqual(said, "");
    assert.ok(!said.includes(secret), said);
  }
});

test("no file makes it throw", () => {
  const provider = fc.oneof(fc.jsonValue(), fc.constant({ identity: {} }), fc.record({ kms: fc.jsonValue() }));
  const rule = fc.record({ resources: fc.jsonValue(), providers: fc.array(provider) });
  const file = fc.oneof(
    fc.string(),
    fc.array(fc.oneof(rule, fc.jsonValue())).map((resources) => JSON.stringify({ ...head, resources })),
  );
  fc.assert(
    fc.property(file, (text) => void read(text)),
    { numRuns: 300 },
  );
});
