import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import type { WriteRequest } from "@orch/rpc/messages.js";
import { openBed, type Subject } from "./testing/bed.js";
import { refusal } from "./testing/refusal.js";

const start = async (t: TestContext): Promise<Subject> => (await openBed(t, "orch")).start();
const patch = (type: string, options: Readonly<Record<string, string>> = {}): Partial<WriteRequest> => ({
  verb: "patch",
  contentType: `application/${type}`,
  options: { fieldManager: "me", ...options },
});

test("Strict refuses unknown fields with 400 in patches as in bodies", async (t) => {
  const { write } = await start(t);
  await write({}, { metadata: { name: "a" } });
  const strict = { fieldValidation: "Strict" };
  const surplus = { surplus: 1, metadata: { odd: 1 } };
  const why =
    '400 ConfigMap in version "v1" cannot be handled as a ConfigMap: ' +
    'strict decoding error: unknown field "metadata.odd", unknown field "surplus"';
  const rows: readonly (readonly [Partial<WriteRequest>, object])[] = [
    [patch("merge-patch+json", strict), surplus],
    [patch("strategic-merge-patch+json", strict), surplus],
    [
      patch("json-patch+json", strict),
      [
        { op: "add", path: "/surplus", value: 1 },
        { op: "add", path: "/metadata/odd", value: 1 },
      ],
    ],
  ];
  for (const [request, body] of rows) {
    assert.equal(await refusal(write({ ...request, name: "a" }, body)), why, request.contentType);
  }
  const unknown = await refusal(
    write({ ...patch("json-patch+json", strict), name: "a" }, [
      { op: "test", path: "/kind", value: "ConfigMap", why: 1 },
    ]),
  );
  assert.match(unknown, /^400 .*: strict decoding error: json patch unknown field "\[0\].why"$/);
  const configuration = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "a" }, surplus: 1 };
  assert.match(
    await refusal(write({ ...patch("apply-patch+yaml", strict), name: "a" }, configuration)),
    /^400 .*surplus/,
  );
});

test("what a schema of items or of values does not know is dropped without a word", async (t) => {
  const { write } = await start(t);
  const definitions = { group: "apiextensions.orch", resource: "customresourcedefinitions", namespace: "" };
  const strict = { ...definitions, options: { fieldManager: "me", fieldValidation: "Strict" } };
  const definition = (spec: object) => ({
    apiVersion: "apiextensions.orch/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: "widgets.example.com" },
    spec: {
      group: "example.com",
      scope: "Namespaced",
      names: { plural: "widgets", kind: "Widget" },
      versions: [
        {
          name: "v1",
          served: true,
          storage: true,
          schema: { openAPIV3Schema: { type: "object", properties: { spec } } },
        },
      ],
    },
  });
  const text = { type: "string", odd: 1 };
  assert.match(await refusal(write(strict, definition(text))), /unknown field ".*properties.spec.odd"$/);
  await write(strict, definition({ type: "array", items: text }));
});

test("the endpoints of a slice must be named, whichever way it is written", async (t) => {
  const { write, read } = await start(t);
  const slices = { group: "discovery.orch", resource: "endpointslices" };
  const slice = (name: string, more: object) => ({
    apiVersion: "discovery.orch/v1",
    kind: "EndpointSlice",
    metadata: { name },
    addressType: "IPv4",
    ...more,
  });
  const why = /^422 .* is invalid: endpoints: Required value$/;
  const applying = { ...slices, ...patch("apply-patch+yaml"), name: "applied" };
  assert.match(await refusal(write(slices, slice("a", {}))), why);
  assert.match(await refusal(write(applying, slice("applied", {}))), why);
  for (const endpoints of [[], null]) {
    const made = read(await write(slices, slice(endpoints === null ? "null" : "empty", { endpoints })));
    assert.deepEqual(made["endpoints"], null);
  }
  assert.deepEqual(read(await write(applying, slice("applied", { endpoints: [] })))["endpoints"], null);
  await write(slices, slice("a", { endpoints: [] }));
  const named = { ...slices, name: "a" };
  assert.match(await refusal(write({ ...named, verb: "update" }, slice("a", {}))), why);
  const removal = [{ op: "remove", path: "/endpoints" }];
  assert.match(await refusal(write({ ...named, ...patch("json-patch+json") }, removal)), why);
  for (const type of ["merge-patch+json", "strategic-merge-patch+json"]) {
    const ports = { ports: [{ port: 80, name: type.length > 20 ? "b" : "a" }] };
    assert.deepEqual(read(await write({ ...named, ...patch(type) }, ports))["endpoints"], null);
  }
});

test("an address of an ingress whose port says no protocol is taken, and its ingress changed after it", async (t) => {
  const { write, read } = await start(t);
  const ingresses = { group: "networking.orch", resource: "ingresses" };
  const defaultBackend = { service: { name: "s", port: { number: 80 } } };
  await write(ingresses, { metadata: { name: "i" }, spec: { defaultBackend } });
  const status = { loadBalancer: { ingress: [{ ip: "10.0.0.1", ports: [{ port: 80 }] }] } };
  await write({ ...ingresses, ...patch("merge-patch+json"), name: "i", subresource: "status" }, { status });
  const change = { spec: { ingressClassName: "c" } };
  const reply = await write({ ...ingresses, ...patch("merge-patch+json"), name: "i" }, change);
  assert.deepEqual(read(reply)["spec"], { ...change.spec, defaultBackend });
});
