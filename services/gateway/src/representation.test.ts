import assert from "node:assert/strict";
import { test } from "node:test";
import { createNegotiator, objectOffers, objectTransforms } from "@orch/codec/negotiate.js";
import { createNaming, dialects } from "@orch/naming/naming.js";
import { ApiError } from "@orch/status/api-error.js";
import { formOf, representationOf } from "./representation.js";
import { fakeExchange } from "./testing/fake-exchange.js";

const orch = createNaming("orch");

function negotiatorOf(naming = orch, cbor = true) {
  return createNegotiator(objectOffers(naming, { cbor }), objectTransforms(naming));
}

interface Asked {
  readonly accept: string | undefined;
  readonly verb?: string;
  readonly query?: string;
  readonly agent?: string;
  readonly cbor?: boolean;
}

/** `content type | form`, `pretty` where it is indented; or the error's code and text. */
function answer({ accept, verb = "get", query = "", agent, cbor = true }: Asked, naming = orch): string {
  const headers = {
    ...(accept === undefined ? {} : { accept }),
    ...(agent === undefined ? {} : { "user-agent": agent }),
  };
  const { request } = fakeExchange({ target: query === "" ? "/" : `/?${query}`, headers });
  try {
    const representation = representationOf(negotiatorOf(naming, cbor), request, verb);
    const form = formOf(representation, request, verb);
    return `${representation.contentType} | ${form}${representation.pretty ? " pretty" : ""}`;
  } catch (error) {
    const { code, message } = ApiError.from(error);
    return `${code} ${message}`;
  }
}

const protobuf = "application/vnd.orch.protobuf";
const as = (kind: string, type = "application/json", v = "v1"): string => `${type};as=${kind};g=meta.orch;v=${v}`;
const partial = "PartialObjectMetadata";
const all = `application/json, application/yaml, ${protobuf}, application/cbor`;
const notAcceptable = "406 406: Not Acceptable\n\nAvailable representations:";

// rules: Media types and headers; Behavior rules, 1 and 2.
const objects: readonly (readonly [accept: string | undefined, answer: string])[] = [
  [undefined, "application/json | "],
  ["*/*", "application/json | "],
  ["application/yaml", "application/yaml | "],
  [protobuf, `${protobuf} | protobuf`],
  [`${protobuf}, application/json`, `${protobuf} | protobuf`],
  [`${protobuf};q=0.5, application/json`, "application/json | "],
  ["application/cbor", "application/cbor | cbor"],
  ["application/cbor-seq, application/json", "application/json | "],
  ["text/html, application/xml;q=0.9, */*;q=0.8", "application/json | "],
  ["text/html", `${notAcceptable} ${all}`],
  ["application/vnd.kubernetes.protobuf", `${notAcceptable} ${all}`],
  [as("Table"), "application/json | json;Table;v1;Metadata"],
  [as("Table", "application/json", "v1beta1"), "application/json | json;Table;v1beta1;Metadata"],
  [as("Table", "application/json", "v1alpha1"), `${notAcceptable} ${all}`],
  [as("Table", "application/yaml"), "application/yaml | json;Table;v1;Metadata"],
  [as("Table", protobuf), `${notAcceptable} ${all}`],
  [`${as("Table", protobuf)}, ${as("Table")}, application/json`, "application/json | json;Table;v1;Metadata"],
  [`${as("Table", "application/json", "v9")}, application/json`, "application/json | "],
  ["application/json;as=Table;g=meta.k8s.io;v=v1, application/json", "application/json | "],
  [as("Chair"), `${notAcceptable} ${all}`],
  [as(partial), "application/json | json;PartialObjectMetadata;v1"],
  [as(partial, protobuf), `${protobuf} | protobuf;PartialObjectMetadata;v1`],
  [as(partial, "application/cbor", "v1beta1"), "application/cbor | cbor;PartialObjectMetadata;v1beta1"],
  [as(partial, "application/yaml"), "application/yaml | json;PartialObjectMetadata;v1"],
];
for (const [accept, expected] of objects) {
  test(`an object for ${accept}`, () => assert.equal(answer({ accept }), expected));
}

test("a list's form is asked for by a list, an object's by what answers an object", () => {
  const rows: readonly (readonly [verb: string, kind: string, answer: string])[] = [
    ["list", `${partial}List`, "application/json | json;PartialObjectMetadata;v1"],
    ["list", partial, `${notAcceptable} application/json;as=${partial}List`],
    ["get", `${partial}List`, `${notAcceptable} application/json;as=${partial}`],
    ["create", partial, "application/json | json;PartialObjectMetadata;v1"],
    ["update", `${partial}List`, `${notAcceptable} application/json;as=${partial}`],
    ["watch", partial, "application/json | json;PartialObjectMetadata;v1"],
    ["list", "Table", "application/json | json;Table;v1;Metadata"],
    ["watch", "Table", "application/json | json;Table;v1;Metadata"],
  ];
  for (const [verb, kind, expected] of rows) {
    assert.equal(answer({ accept: as(kind), verb }), expected, `${verb} ${kind}`);
  }
});

const streamed = `application/json, ${protobuf}, application/cbor`;
// A watch has a media type of its own, and none in YAML.
const watches: readonly (readonly [accept: string | undefined, answer: string])[] = [
  [undefined, "application/json | "],
  ["*/*", "application/json | "],
  ["application/json;stream=watch", "application/json | "],
  [protobuf, `${protobuf};stream=watch | protobuf`],
  [`${protobuf};stream=watch`, `${protobuf};stream=watch | protobuf`],
  ["application/cbor", "application/cbor-seq | cbor"],
  [as("Table"), "application/json | json;Table;v1;Metadata"],
  [as(partial, "application/cbor"), "application/cbor-seq | cbor;PartialObjectMetadata;v1"],
  ["application/yaml", `${notAcceptable} ${streamed}`],
  ["application/yaml, application/json", `${notAcceptable} ${streamed}`],
];
for (const [accept, expected] of watches) {
  test(`a watch for ${accept}`, () => assert.equal(answer({ accept, verb: "watch" }), expected));
}

test("without its gate CBOR is as unknown as any other type", () => {
  const rest = `application/json, application/yaml, ${protobuf}`;
  assert.equal(answer({ accept: "application/cbor", cbor: false }), `${notAcceptable} ${rest}`);
  assert.equal(answer({ accept: "application/cbor, application/json", cbor: false }), "application/json | ");
});

test("what a table's rows carry is a parameter of the query", () => {
  const rows: readonly (readonly [query: string, answer: string])[] = [
    ["", "application/json | json;Table;v1;Metadata"],
    ["includeObject=", "application/json | json;Table;v1;Metadata"],
    ["includeObject=None", "application/json | json;Table;v1;None"],
    ["includeObject=Metadata", "application/json | json;Table;v1;Metadata"],
    ["includeObject=Object", "application/json | json;Table;v1;Object"],
    [
      "includeObject=none",
      `400 Unable to convert to Table as requested: includeObject: Invalid value: "none": must be 'Metadata', 'Object', 'None', or empty`,
    ],
  ];
  for (const [query, expected] of rows) assert.equal(answer({ accept: as("Table"), verb: "list", query }), expected);
  assert.equal(
    answer({ accept: undefined, query: "includeObject=none" }),
    "application/json | ",
    "no table, no matter",
  );
});

test("JSON is indented where that is asked for, and for people who look at it", () => {
  const rows: readonly (readonly [asked: Partial<Asked>, pretty: boolean])[] = [
    [{}, false],
    [{ query: "pretty=true" }, true],
    [{ query: "pretty" }, true],
    [{ query: "pretty=0" }, false],
    [{ accept: "application/json;pretty=1" }, true],
    [{ accept: "application/json;pretty=1", query: "pretty=false" }, false],
    [{ agent: "curl/8.5.0" }, true],
    [{ agent: "Mozilla/5.0 (X11)" }, true],
    [{ agent: "curl/8.5.0", query: "pretty=false" }, false],
    [{ agent: "client-go" }, false],
    [{ agent: "curl/8.5.0", accept: protobuf }, false],
    [{ agent: "curl/8.5.0", verb: "watch" }, false],
  ];
  for (const [asked, pretty] of rows) {
    assert.equal(answer({ accept: undefined, ...asked }).endsWith(" pretty"), pretty, JSON.stringify(asked));
  }
});

test("each dialect has its own words and not the other's", () => {
  for (const dialect of dialects) {
    const naming = createNaming(dialect);
    const table = `application/json;as=Table;g=${naming.metaGroup};v=v1`;
    assert.equal(answer({ accept: table }, naming), "application/json | json;Table;v1;Metadata");
    assert.equal(answer({ accept: naming.protobufMediaType }, naming), `${naming.protobufMediaType} | protobuf`);
    for (const other of dialects.filter((d) => d !== dialect).map((d) => createNaming(d))) {
      assert.match(answer({ accept: table }, other), /^406 /);
      assert.match(answer({ accept: naming.protobufMediaType }, other), /^406 /);
    }
  }
});
