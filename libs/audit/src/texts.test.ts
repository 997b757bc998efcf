import assert from "node:assert/strict";
import { test } from "node:test";
import type { UserInfo } from "@orch/auth/user.js";
import { createNaming } from "@orch/naming/naming.js";
import { readJson } from "@orch/status/read-json.js";
import { createListPrinter } from "./event-list.js";
import { legacyLine } from "./legacy-line.js";
import { auditIdOf, readEvent } from "./read-line.js";
import { createEventWriter, EventRecord, type RecordedRequest } from "./record.js";
import { sourceAddresses } from "./source-addresses.js";
import { createTimeFormat } from "./times.js";
import { createFitting } from "./truncate.js";

const naming = createNaming("kubernetes");
const writer = createEventWriter(naming, createTimeFormat());
const user: UserInfo = {
  name: "ann",
  uid: "u-1",
  groups: ["dev", "system:authenticated"],
  extra: { scopes: ["a", "b"] },
};
const nobody: UserInfo = { name: "", uid: "", groups: [], extra: {} };
const base: RecordedRequest = {
  ...{ id: "id-1", uri: "/api/v1/namespaces/n/pods?limit=5", verb: "list", sourceAddresses: ["127.0.0.1"] },
  ...{ userAgent: "client/1.0", received: Date.UTC(2026, 0, 2, 3, 4, 5) + 6.789 },
  objectRef: { resource: "pods", namespace: "n", name: "", group: "", version: "v1", subresource: "" },
};

type Level = "Metadata" | "Request" | "RequestResponse";
const record = (of: Partial<RecordedRequest> = {}, level: Level = "Metadata", who = user): EventRecord =>
  new EventRecord(
    writer,
    { level, omitStages: new Set(), omitManagedFields: false },
    { ...base, ...of },
    who === nobody ? undefined : who,
  );
const lineOf = (one: EventRecord): Buffer => Buffer.from(one.line("ResponseComplete", base.received + 1));

test("an event has its fields in the reference's order", () => {
  const one = record();
  one.impersonate({ ...user, name: "bob", uid: "", groups: [], extra: {} });
  one.responseStatus = { code: 200 };
  one.annotate("z/b", "2");
  one.annotate("a/a", "1");
  one.annotate("z/b", "later");
  one.requestObject = '{"a":1}';
  one.responseObject = '{"b":2}';
  assert.equal(
    lineOf(one).toString(),
    '{"kind":"Event","apiVersion":"audit.k8s.io/v1","level":"Metadata","auditID":"id-1","stage":"ResponseComplete",' +
      '"requestURI":"/api/v1/namespaces/n/pods?limit=5","verb":"list",' +
      '"user":{"username":"ann","uid":"u-1","groups":["dev","system:authenticated"],"extra":{"scopes":["a","b"]}},' +
      '"impersonatedUser":{"username":"bob"},"sourceIPs":["127.0.0.1"],"userAgent":"client/1.0",' +
      '"objectRef":{"resource":"pods","namespace":"n","apiVersion":"v1"},"responseStatus":{"metadata":{},"code":200},' +
      '"requestObject":{"a":1},"responseObject":{"b":2},' +
      '"requestReceivedTimestamp":"2026-01-02T03:04:05.006789Z","stageTimestamp":"2026-01-02T03:04:05.007789Z",' +
      '"annotations":{"a/a":"1","z/b":"2"}}',
  );
});

test("whatever a client sends, an event is one line of JSON with a short user agent", () => {
  const hostile = '"}\n\u2028\\\u0000{"x":"</script>';
  const one = record({ id: 'a"\\b', uri: hostile, userAgent: `${hostile}${"A".repeat(60_000)}`, verb: hostile });
  one.responseStatus = { code: 500, status: "Failure", message: hostile };
  const line = lineOf(one);
  assert.ok(!line.includes("\n"));
  assert.ok(line.length < 4_000, `${line.length}`);
  const event = readEvent(line);
  assert.equal(event?.requestURI, hostile);
  assert.match(event?.userAgent ?? "", /A\.\.\.TRUNCATED$/);
  assert.equal(auditIdOf(line), 'a"\\b');
});

test("the id of a line that is no event is empty, and what cannot be read is nothing", () => {
  for (const line of ["", "{}", "x", '{"auditID":', '{"auditID":"', '{"auditID":"\\', '{"auditID":7}', "[1]", "null"]) {
    assert.equal(auditIdOf(Buffer.from(line)), "", line);
    assert.ok(readEvent(Buffer.from(line))?.auditID !== "x");
  }
  assert.equal(readEvent(Buffer.from("[1]")), undefined);
  assert.equal(readEvent(Buffer.from("{")), undefined);
});

test("a body says what the path has not said", () => {
  const one = record();
  one.completeObject({ name: "p", namespace: "other", uid: "7", resourceVersion: "3" });
  assert.deepEqual(readEvent(lineOf(one))?.objectRef, {
    ...{ resource: "pods", namespace: "n", name: "p", uid: "7", apiVersion: "v1", resourceVersion: "3" },
  });
});

test("a request whose sender did not prove who he is has a user without a name", () => {
  assert.deepEqual(readEvent(lineOf(record({}, "Metadata", nobody)))?.user, {});
});

test("addresses are those that were claimed, then the connection's", () => {
  const rows: readonly (readonly [forwardedFor: string | undefined, realIp: string | undefined, string[]])[] = [
    [undefined, undefined, ["127.0.0.1"]],
    ["1.2.3.4, 5.6.7.8", undefined, ["1.2.3.4", "5.6.7.8", "127.0.0.1"]],
    [undefined, "9.9.9.9", ["9.9.9.9", "127.0.0.1"]],
    ["9.9.9.9", "9.9.9.9", ["9.9.9.9", "127.0.0.1"]],
    ["junk, , 1.2.3.4,::1", "junk", ["1.2.3.4", "::1", "127.0.0.1"]],
    ["127.0.0.1", undefined, ["127.0.0.1"]],
  ];
  for (const [forwardedFor, realIp, wanted] of rows) {
    assert.deepEqual(sourceAddresses({ forwardedFor, realIp, remote: "::ffff:127.0.0.1" }), wanted);
  }
  const many = sourceAddresses({ forwardedFor: "1.1.1.1,".repeat(9_000), realIp: undefined, remote: "::1" });
  assert.ok(many.length < 40);
});

test("the format legacy is a line of words", () => {
  const received = record({ uri: "/version", verb: "get", objectRef: undefined });
  const line = legacyLine(readEvent(Buffer.from(received.line("RequestReceived", base.received))) ?? {});
  assert.equal(
    line,
    '2026-01-02T03:04:05.006789Z AUDIT: id="id-1" stage="RequestReceived" ip="127.0.0.1" method="get" user="ann" groups="\\"dev\\",\\"system:authenticated\\"" as="<self>" asgroups="<lookup>" user-agent="client/1.0" namespace="<none>" uri="/version" response="<deferred>"',
  );
  const other = record();
  other.impersonate({ ...user, name: "bob", groups: ["g"] });
  other.responseStatus = { code: 404 };
  const text = legacyLine(readEvent(lineOf(other)) ?? {});
  assert.match(text, / as="bob" asgroups="\\"g\\"" user-agent="client\/1\.0" namespace="n" .* response="404"$/);
  assert.match(legacyLine({}), / ip="<unknown>" method="" user="<none>" groups="<none>" /);
});

test("events that are too large lose their bodies, and are left out where that does not help", () => {
  const fit = createFitting({ maxEventSize: 1_500, maxBatchSize: 3_000 }, naming);
  const small = lineOf(record());
  const bodied = record({}, "RequestResponse");
  bodied.requestObject = JSON.stringify({ a: "x".repeat(2_000) });
  bodied.annotate("a/b", "c");
  const long = lineOf(record({ uri: `/${"x".repeat(2_000)}` }, "Request"));
  const { batches, dropped } = fit([small, lineOf(bodied), long, small, small, small, small, small]);
  assert.equal(dropped, 1);
  assert.deepEqual(
    batches.map((batch) => batch.length),
    batches.length === 2 ? [batches[0]?.length, batches[1]?.length] : [],
  );
  for (const batch of batches) assert.ok(batch.reduce((sum, { length }) => sum + length, 0) <= 3_000);
  const cut = readEvent(batches[0]?.[1] ?? Buffer.alloc(0));
  assert.equal(cut?.requestObject, undefined);
  assert.deepEqual(cut?.annotations, { "a/b": "c", "audit.k8s.io/truncated": "true" });
});

test("in a list events are what the list says they are", () => {
  const printed = createListPrinter(naming)([lineOf(record()), lineOf(record({ id: "id-2" }))]);
  const list: { readonly items?: readonly Record<string, unknown>[] } = readJson(printed.toString());
  const { items = [], ...head } = list;
  assert.deepEqual(head, { kind: "EventList", apiVersion: "audit.k8s.io/v1", metadata: {} });
  assert.deepEqual(
    items.map(({ kind, apiVersion, auditID }) => ({ kind, apiVersion, auditID })),
    ["id-1", "id-2"].map((auditID) => ({ kind: undefined, apiVersion: undefined, auditID })),
  );
});
