import { wrapObject } from "@orch/codec/protobuf/envelope.js";
import type { JsonObject } from "@orch/schema/descriptor.js";
import type { FakeRequest } from "@orch/service-gateway/testing/fake-exchange.js";
import type { Subject } from "./kinds.js";
import { patchOf, send, sizeOf } from "./requests.js";
import { type Group, type Live, nobody } from "./rows.js";

/** A group of one row, as large as its request. */
export function groupOf(name: string, kind: string, ask: (n: number) => FakeRequest, more: Partial<Group> = {}): Group {
  const live: Live = nobody;
  return { name, kind, live, rows: [{ name: "", ask }], bytes: (n) => sizeOf(ask(n)), ...more };
}

const times = (n: number, of: (i: number) => string, between = ","): string =>
  Array.from({ length: n }, (_, i) => of(i)).join(between);

const map = (members: string): string =>
  `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"sample","namespace":"samples"},${members}}`;

/** JSON texts that no printer writes. */
const jsonForms: ReadonlyMap<string, (n: number) => string> = new Map([
  ["unknown fields", (n) => map(times(n, (i) => `"unknown${i}":1`))],
  ["unknown trees", (n) => map(`"unknown":{${times(n, (i) => `"a${i}":{"b":1}`)}}`)],
  ["unknown in metadata", (n) => map(`"metadata":{"name":"sample",${times(n, (i) => `"unknown${i}":1`)}}`)],
  ["one key again and again", (n) => map(times(n, () => `"data":{}`))],
  ["keys twice", (n) => map(`"data":{${times(n, (i) => `"k${i}":"","k${i}":""`)}}`)],
  ["one key of data again and again", (n) => map(`"data":{${times(n, () => `"k":""`)}}`)],
  ["__proto__ again and again", (n) => map(`"data":{${times(n, () => `"__proto__":""`)}}`)],
  ["keys of digits", (n) => map(`"data":{${times(n, (i) => `"${i * 7919}":""`)}}`)],
  ["keys of a case", (n) => map(times(n, (i) => `"${i % 2 === 0 ? "DATA" : "Data"}${i}":{}`))],
  ["nested lists", (n) => map(`"unknown":${"[".repeat(n)}${"]".repeat(n)}`)],
  ["nested objects", (n) => map(`"unknown":${'{"a":'.repeat(n)}1${"}".repeat(n)}`)],
  ["open lists", (n) => map(`"unknown":${"[".repeat(n)}`)],
  ["many shallow lists", (n) => map(`"unknown":[${times(n, () => "[[[]]]")}]`)],
  ["spaces", (n) => map(`"data":${" ".repeat(n)}{}`)],
  ["escapes", (n) => map(`"data":{"k":"${"\\u0061".repeat(n)}"}`)],
  ["surrogates", (n) => map(`"data":{"k":"${"\\ud800".repeat(n)}"}`)],
  ["a long number", (n) => map(`"data":{"k":${"9".repeat(n)}}`)],
  ["a long fraction", (n) => map(`"metadata":{"name":"sample","generation":1.${"0".repeat(n)}}`)],
  ["a long generation", (n) => map(`"metadata":{"name":"sample","generation":${"9".repeat(n)}}`)],
  ["many numbers", (n) => map(`"unknown":[${times(n, (i) => `${i}e300`)}]`)],
  ["bytes that are no text", (n) => map(`"data":{"k":"${"\xff".repeat(n)}"}`)],
  ["not closed", (n) => map(`"data":{${times(n, (i) => `"k${i}":""`)}`)],
  ["a wrong value at the end", (n) => map(`"data":{${times(n, (i) => `"k${i}":""`)},"k":nul}`)],
]);

const yamlHead = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: sample\n";
const yamlForms: ReadonlyMap<string, (n: number) => string> = new Map([
  ["anchors", (n) => `${yamlHead}unknown:\n${times(n, (i) => `- &a${i} x`, "\n")}\n`],
  ["aliases", (n) => `${yamlHead}unknown:\n- &a x\n${times(n, () => "- *a", "\n")}\n`],
  ["anchors and aliases", (n) => `${yamlHead}unknown:\n${times(n, (i) => `- &a${i} x\n- *a${i}`, "\n")}\n`],
  ["aliases of nothing", (n) => `${yamlHead}unknown:\n${times(n, (i) => `- *a${i}`, "\n")}\n`],
  ["merge keys", (n) => `${yamlHead}a: &a {b: c}\nunknown:\n${times(n, () => "- <<: *a", "\n")}\n`],
  ["one merge of many", (n) => `${yamlHead}a: &a {b: c}\nunknown:\n  <<: [${times(n, () => "*a")}]\n`],
  ["nested flow lists", (n) => `${yamlHead}unknown: ${"[".repeat(n)}${"]".repeat(n)}\n`],
  ["open flow lists", (n) => `${yamlHead}unknown: ${"[".repeat(n)}\n`],
  ["nested flow maps", (n) => `${yamlHead}unknown: ${"{a: ".repeat(n)}1${"}".repeat(n)}\n`],
  ["nested dashes", (n) => `${yamlHead}unknown:\n  ${"- ".repeat(n)}x\n`],
  ["complex keys", (n) => `${yamlHead}unknown:\n${times(n, (i) => `  ? [${i}]\n  : x`, "\n")}\n`],
  ["nested complex keys", (n) => `${yamlHead}${"? ".repeat(n)}x\n`],
  ["documents", (n) => `${yamlHead}${"---\n".repeat(n)}`],
  ["comments", (n) => `${yamlHead}${"# x\n".repeat(n)}`],
  ["comments between", (n) => `${yamlHead}data:\n${times(n, (i) => `  k${i}: v # x\n  # y`, "\n")}\n`],
  ["empty lines", (n) => `${yamlHead}${"\n".repeat(n)}data: {}\n`],
  ["empty lines in a flow", (n) => `${yamlHead}data: {${"\n ".repeat(n)}}\n`],
  ["tags", (n) => `${yamlHead}unknown:\n${times(n, () => "- !!str x", "\n")}\n`],
  ["own tags", (n) => `${yamlHead}unknown:\n${times(n, (i) => `- !t${i} x`, "\n")}\n`],
  ["directives", (n) => `${times(n, (i) => `%TAG !t${i}! x`, "\n")}\n---\n${yamlHead}`],
  ["keys twice", (n) => `${yamlHead}data:\n${times(n, (i) => `  k${i}: v\n  k${i}: v`, "\n")}\n`],
  ["one key again and again", (n) => `${yamlHead}data:\n${times(n, () => "  k: v", "\n")}\n`],
  ["keys", (n) => `${yamlHead}data:\n${times(n, (i) => `  k${i}: v`, "\n")}\n`],
  ["a text in lines", (n) => `${yamlHead}data:\n  k: |\n${times(n, () => "    line", "\n")}\n`],
  ["a folded text", (n) => `${yamlHead}data:\n  k: >\n${times(n, () => "    line", "\n")}\n`],
  ["a plain text in lines", (n) => `${yamlHead}data:\n  k: line\n${times(n, () => "    line", "\n")}\n`],
  ["a quoted text in lines", (n) => `${yamlHead}data:\n  k: "line\n${times(n, () => "    line", "\n")}"\n`],
  ["a long word", (n) => `${yamlHead}data:\n  k: ${"a".repeat(n)}\n`],
  ["a long number", (n) => `${yamlHead}data:\n  k: ${"9".repeat(n)}\n`],
  ["a long sexagesimal", (n) => `${yamlHead}data:\n  k: ${"1:".repeat(n)}1\n`],
  ["colons", (n) => `${yamlHead}data:\n  k: ${"a:".repeat(n)}\n`],
  ["spaces", (n) => `${yamlHead}data:\n  k: a${" ".repeat(n)}b\n`],
  ["tabs", (n) => `${yamlHead}data:${"\t".repeat(n)}{}\n`],
  ["escapes", (n) => `${yamlHead}data:\n  k: "${"\\x61".repeat(n)}"\n`],
  ["errors", (n) => `${yamlHead}unknown:\n${times(n, () => "- }", "\n")}\n`],
  ["bad indents", (n) => `${yamlHead}unknown:\n${times(n, (i) => `${" ".repeat(i % 7)}- x`, "\n")}\n`],
]);

const head = (major: number, count: number): Buffer => {
  const bytes = Buffer.alloc(5);
  bytes[0] = major * 32 + 26;
  bytes.writeUInt32BE(count, 1);
  return bytes;
};
const text = (value: string): Buffer => Buffer.concat([head(3, value.length), Buffer.from(value)]);
const many = (n: number, of: (i: number) => Buffer): Buffer =>
  Buffer.concat(Array.from({ length: n }, (_, i) => of(i)));
const tagged = (...parts: readonly Buffer[]): Buffer => Buffer.concat([Buffer.from("d9d9f7", "hex"), ...parts]);
const cborHead = [
  text("apiVersion"),
  text("v1"),
  text("kind"),
  text("ConfigMap"),
  text("metadata"),
  head(5, 1),
  text("name"),
  text("sample"),
];
const cborMap = (count: number, members: Buffer): Buffer => tagged(head(5, count + 3), ...cborHead, members);
const one = Buffer.from([1]);

const cborForms: ReadonlyMap<string, (n: number) => Buffer> = new Map([
  [
    "one key again and again",
    (n) =>
      cborMap(
        n,
        many(n, () => Buffer.concat([text("data"), head(5, 0)])),
      ),
  ],
  [
    "unknown fields",
    (n) =>
      cborMap(
        n,
        many(n, (i) => Buffer.concat([text(`u${i}`), one])),
      ),
  ],
  ["nested lists", (n) => cborMap(1, Buffer.concat([text("u"), many(n, () => Buffer.from([0x81])), one]))],
  ["nested open lists", (n) => cborMap(1, Buffer.concat([text("u"), many(n, () => Buffer.from([0x9f]))]))],
  ["nested tags", (n) => cborMap(1, Buffer.concat([text("u"), many(n, () => Buffer.from([0xc1])), one]))],
  [
    "a text in pieces",
    (n) => cborMap(1, Buffer.concat([text("u"), Buffer.from([0x7f]), many(n, () => text("a")), Buffer.from([0xff])])),
  ],
  [
    "bytes in pieces",
    (n) =>
      cborMap(
        1,
        Buffer.concat([text("u"), Buffer.from([0x5f]), many(n, () => Buffer.from([0x41, 1])), Buffer.from([0xff])]),
      ),
  ],
  [
    "a large integer",
    (n) => cborMap(1, Buffer.concat([text("u"), Buffer.from([0xc2]), head(2, n), Buffer.alloc(n, 1)])),
  ],
  ["many integers", (n) => cborMap(1, Buffer.concat([text("u"), head(4, n), many(n, () => one)]))],
  [
    "an open map",
    (n) =>
      tagged(
        Buffer.from([0xbf]),
        ...cborHead,
        many(n, (i) => Buffer.concat([text(`u${i}`), one])),
        Buffer.from([0xff]),
      ),
  ],
]);

const field = (number: number, bytes: Buffer): Buffer => {
  const size: number[] = [];
  for (let rest = bytes.length; ; rest >>>= 7) {
    size.push(rest < 128 ? rest : (rest & 127) | 128);
    if (rest < 128) break;
  }
  return Buffer.concat([Buffer.from([number * 8 + 2, ...size]), bytes]);
};
const entry = (i: number): Buffer => Buffer.concat([field(1, Buffer.from(`k${i}`)), field(2, Buffer.from("v"))]);
const nestedFields = (n: number): Buffer => {
  let bytes: Buffer = Buffer.alloc(0);
  for (let i = 0; i < Math.min(n, 5000); i++) bytes = field(14, bytes);
  return bytes;
};

/** ConfigMap: metadata is 1, data 2, binaryData 3; labels are 11 of metadata, finalizers 14. */
const protobufForms: ReadonlyMap<string, (n: number) => Buffer> = new Map([
  ["metadata again and again", (n) => many(n, (i) => field(1, field(11, entry(i))))],
  ["lists in metadata again and again", (n) => many(n, (i) => field(1, field(14, Buffer.from(`f${i}`))))],
  ["one key again and again", (n) => many(n, () => field(2, entry(0)))],
  ["keys", (n) => many(n, (i) => field(2, entry(i)))],
  ["unknown fields", (n) => many(n, () => field(15, Buffer.from("x")))],
  ["unknown numbers", (n) => many(n, () => Buffer.from([0x78, 1]))],
  ["open groups", (n) => many(n, () => Buffer.from([0x7b]))],
  ["groups", (n) => Buffer.concat([many(n, () => Buffer.from([0x7b])), many(n, () => Buffer.from([0x7c]))])],
  ["nested fields", nestedFields],
  ["empty", (n) => Buffer.alloc(n)],
]);

/** The metadata's name. */
const named = field(1, field(1, Buffer.from("sample")));

/** Bodies in every encoding that only an attacker writes, as new objects and as patches. */
export function* groupsOfBodies(subject: Subject): Generator<Group> {
  const at = "/api/v1/namespaces/samples/configmaps?dryRun=All&fieldValidation=";
  const create = (type: string, body: string | Buffer, validation = "Warn") =>
    send("POST", at + validation, { type, body });
  for (const [what, form] of jsonForms) {
    for (const validation of ["Warn", "Strict", "Ignore"]) {
      yield groupOf(`body json ${what} ${validation}`, "body", (n) => create("application/json", form(n), validation));
    }
  }
  for (const [what, form] of yamlForms) {
    for (const validation of ["Warn", "Strict"]) {
      yield groupOf(`body yaml ${what} ${validation}`, "body", (n) => create("application/yaml", form(n), validation));
    }
  }
  for (const [what, form] of cborForms) {
    yield groupOf(`body cbor ${what}`, "body", (n) => create("application/cbor", form(n)));
  }
  const wrapped = (raw: Buffer): Buffer =>
    wrapObject({ apiVersion: "v1", kind: "ConfigMap" }, Buffer.concat([named, raw]));
  for (const [what, form] of protobufForms) {
    const type = "application/vnd.kubernetes.protobuf";
    yield groupOf(`body protobuf ${what}`, "body", (n) => create(type, wrapped(form(n))));
  }
  const live: Live = { by: "plant", kind: subject.kind, object: () => withData(subject, 1) };
  for (const [what, form] of jsonForms) {
    for (const type of ["merge", "strategic"] as const) {
      yield groupOf(`body ${type} ${what}`, "body", (n) => patchOf(type, subject, form(n)), { live });
    }
  }
  for (const [what, form] of new Map([...jsonForms, ...yamlForms])) {
    yield groupOf(`body apply ${what}`, "body", (n) => patchOf("apply", subject, form(n)), { live });
  }
}

/** A ConfigMap with n keys. */
export function withData({ object }: Subject, n: number): JsonObject {
  return { ...object, data: Object.fromEntries(Array.from({ length: n }, (_, i) => [`k${i}`, "v"])) };
}
