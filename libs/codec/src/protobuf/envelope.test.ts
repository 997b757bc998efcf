import assert from "node:assert/strict";
import { test } from "node:test";
import { DecodeError } from "@orch/schema/decode.js";
import { field, type MessageType, message } from "@orch/schema/descriptor.js";
import { unrecognizedBody } from "../decoded.js";
import { pod, podFromReference, podType } from "../testing/pod.js";
import { decodeMessage } from "./decode.js";
import { encodeMessage } from "./encode.js";
import {
  parseProtobuf,
  protobufItemSize,
  protobufList,
  unwrapObject,
  watchEventFrame,
  wrapObject,
} from "./envelope.js";

const hex = (text: string): Buffer => Buffer.from(text.replaceAll(" ", ""), "hex");
const v1Pod = { apiVersion: "v1", kind: "Pod" };
const listMeta = message({
  name: "ListMeta",
  fields: () => [
    field({ name: "selfLink", number: 1, type: { kind: "string" }, omitempty: true }),
    field({ name: "resourceVersion", number: 2, type: { kind: "string" }, omitempty: true }),
    field({ name: "continue", number: 3, type: { kind: "string" }, omitempty: true }),
    field({ name: "remainingItemCount", number: 4, type: { kind: "int64" }, pointer: true, omitempty: true }),
  ],
});
const listType: MessageType = message({
  name: "PodList",
  object: true,
  fields: () => [
    field({ name: "metadata", number: 1, type: listMeta, omitempty: true }),
    field({
      name: "items",
      number: 2,
      type: { kind: "list", item: podType, listType: "atomic", keys: [], wrapped: false },
    }),
  ],
});

test("an object is wrapped as the reference does it", () => {
  assert.deepEqual(wrapObject(v1Pod, encodeMessage(podType, pod)), podFromReference);
  assert.equal(
    wrapObject(v1Pod, hex("0a00")).toString("hex"),
    hex("6b387300 0a09 0a02 7631 1203 506f64 1202 0a00 1a00 2200").toString("hex"),
  );
  assert.deepEqual(unwrapObject(wrapObject(v1Pod, Buffer.alloc(0))), {
    ok: true,
    typeMeta: v1Pod,
    raw: Buffer.alloc(0),
    contentType: "",
    contentEncoding: "",
  });
});

test("a list is the same bytes in pieces as at once", () => {
  for (const count of [0, 1, 3, 200]) {
    const metadata = { resourceVersion: "42", remainingItemCount: 7 };
    const item = encodeMessage(podType, pod);
    const typeMeta = { apiVersion: "v1", kind: "PodList" };
    const whole = wrapObject(typeMeta, encodeMessage(listType, { metadata, items: Array(count).fill(pod) }));
    const sizes = Array<number>(count).fill(item.length);
    const bytes = count * protobufItemSize(item.length);
    const { head, itemHeader, tail } = protobufList(typeMeta, { type: listMeta, value: metadata }, bytes);
    const pieces = sizes.flatMap((size) => [itemHeader(size), item]);
    assert.deepEqual(Buffer.concat([head, ...pieces, tail]), whole);
  }
});

test("an event of a watch is a length and a message around an enveloped object", () => {
  assert.equal(
    watchEventFrame("ADDED", hex("6b387300")).toString("hex"),
    hex("0000000f 0a05 4144444544 1206 0a04 6b387300").toString("hex"),
  );
  const frame = watchEventFrame("MODIFIED", podFromReference);
  assert.equal(frame.readUInt32BE(0), frame.length - 4);
  assert.deepEqual(frame.subarray(frame.length - podFromReference.length), podFromReference);
});

test("an envelope that can not be read says why", () => {
  const rows: readonly (readonly [string, string])[] = [
    ["", "empty data"],
    ["6b387300", "empty body"],
    ["6b3873", "provided data does not appear to be a protobuf message, expected prefix [107 56 115 0]"],
    [
      Buffer.from('{"kind":"Pod"}').toString("hex"),
      "provided data does not appear to be a protobuf message, expected prefix [107 56 115 0]",
    ],
    ["6b387300 0a", "proto: unexpected end of data"],
    ["6b387300 0a05 0a01", "proto: unexpected end of data"],
    ["6b387300 0801", "proto: wrong wire type 0 for field Unknown, expected 2"],
    ["6b387300 0a02 0801", "proto: wrong wire type 0 for field TypeMeta, expected 2"],
    ["6b387300 1203 0a00", "proto: unexpected end of data"],
  ];
  for (const [body, problem] of rows) assert.deepEqual(unwrapObject(hex(body)), { ok: false, problem });
});

test("fields of the envelope may come in any order, more than once and with unknown ones", () => {
  const body = hex("6b387300 22 01 61 1a 01 62 12 02 0a00 0a05 1203 506f64 0a04 0a02 7631 2801 0a02 1801 1201 00");
  assert.deepEqual(unwrapObject(body), {
    ok: true,
    typeMeta: v1Pod,
    raw: hex("00"),
    contentType: "a",
    contentEncoding: "b",
  });
});

test("a body is read as the tree that JSON would give, with what the envelope says it is", () => {
  const read = parseProtobuf(podType, podFromReference);
  assert.deepEqual(read, {
    ok: true,
    value: { ...v1Pod, ...decodeMessage(podType, encodeMessage(podType, pod)) },
    duplicates: [],
  });
  const unnamed = parseProtobuf(podType, wrapObject({ apiVersion: "", kind: "" }, Buffer.alloc(0)));
  assert.ok(unnamed.ok);
  assert.deepEqual(unnamed.value, { metadata: {}, spec: {}, status: {} });
});

test("the caller may refuse a body by its envelope, before it is read as the wrong type", () => {
  const body = wrapObject({ apiVersion: "v1", kind: "Node" }, hex("ff"));
  const check = ({ kind }: { readonly kind: string }): void => {
    throw new RangeError(`a ${kind}`);
  };
  assert.throws(() => parseProtobuf(podType, body, { check }), /^RangeError: a Node$/);
  assert.throws(() => parseProtobuf(podType, body), DecodeError);
});

test("an object that is JSON in its envelope is read as JSON, a compressed one is refused", () => {
  const json = Buffer.from('{"metadata":{"name":"a"}}');
  const type = Buffer.from("application/json");
  const body = Buffer.concat([
    hex("6b387300 0a05 1203 506f64"),
    Buffer.from([0x12, json.length]),
    json,
    Buffer.from([0x22, type.length]),
    type,
  ]);
  assert.deepEqual(parseProtobuf(podType, body), {
    ok: true,
    value: { kind: "Pod", metadata: { name: "a" } },
    duplicates: [],
  });
  const refused = parseProtobuf(podType, Buffer.concat([body, hex("1a04 677a6970")]));
  assert.ok(!refused.ok);
  assert.equal(refused.problem, 'content encoding "gzip" is not supported');
});

test("an unreadable body becomes a 400 that shows its first bytes", () => {
  const read = parseProtobuf(podType, Buffer.from("hello"));
  assert.ok(!read.ok);
  assert.equal(
    unrecognizedBody("Pod", read).message,
    "the object provided is unrecognized (must be of type Pod): provided data does not appear to be a protobuf " +
      "message, expected prefix [107 56 115 0] (68656c6c6f)",
  );
});
