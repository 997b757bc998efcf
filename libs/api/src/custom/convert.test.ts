import assert from "node:assert/strict";
import { test } from "node:test";
import { createNaming } from "@orch/naming/naming.js";
import { toldSpan } from "@orch/status/testing/told-span.js";
import { type Kind, loadCatalog } from "../catalog.js";
import type { AnyObject } from "../object.js";
import { createConverter, mostOfQuestion, type WebhookCall } from "./convert.js";
import { createLiveCatalog } from "./live-catalog.js";

const naming = createNaming("kubernetes");
const group = "example.com";

function widgets(): Kind {
  const names = { plural: "widgets", kind: "Widget" };
  const live = createLiveCatalog(loadCatalog(naming));
  live.changed({
    kind: "CustomResourceDefinition",
    apiVersion: "apiextensions.k8s.io/v1beta1",
    metadata: { name: `widgets.${group}`, resourceVersion: "1" },
    spec: {
      ...{ group, names, scope: "Namespaced" },
      versions: ["v1", "v2"].map((name) => ({ name, served: true, storage: name === "v1" })),
      conversion: {
        strategy: "Webhook",
        webhookClientConfig: { url: "https://a" },
        conversionReviewVersions: ["v1"],
      },
    },
    status: { acceptedNames: names, conditions: [{ type: "Established", status: "True" }] },
  });
  return live.now.find(group, "v2", "widgets") ?? assert.fail("no such kind");
}

const to = widgets();
const object = (name: string, more: object = {}): AnyObject => ({
  ...{ kind: "Widget", apiVersion: `${group}/v1`, metadata: { name, namespace: "n", uid: name } },
  ...more,
});

interface Asked {
  readonly request: { readonly uid: string; readonly objects: readonly AnyObject[] };
}

function converter(answer: (asked: Asked) => object) {
  const asked: number[] = [];
  const spans: WebhookCall["span"][] = [];
  const call = async ({ body, span }: WebhookCall): Promise<Buffer> => {
    spans.push(span);
    const review: Asked = JSON.parse(body.toString());
    asked.push(review.request.objects.length);
    const response = { uid: review.request.uid, result: { status: "Success" }, ...answer(review) };
    return Buffer.from(JSON.stringify({ kind: "ConversionReview", apiVersion: "apiextensions.k8s.io/v1", response }));
  };
  const convert = createConverter({ group: "apiextensions.k8s.io", call, newUid: () => "u" });
  return { asked, spans, convert };
}

const well = ({ request: { objects } }: Asked) => ({
  convertedObjects: objects.map((one) => ({ ...one, apiVersion: to.apiVersion })),
});

test("a question that is traced has a span of its own, which the webhook's caller is given", async () => {
  const { spans, convert } = converter(well);
  const span = toldSpan();
  await convert(to, [object("a"), object("b")], span);
  await convert(to, [object("a")]);
  assert.deepEqual(
    spans.map((one) => one?.traceparent),
    ["00-Call conversion webhook", undefined],
  );
  const attributes = {
    "custom-resource-definition": `widgets.${group}`,
    "desired-api-version": to.apiVersion,
    "object-count": 2,
    UID: "u",
  };
  assert.deepEqual(span.told, [
    `root: child Call conversion webhook ${JSON.stringify(attributes)}`,
    "Call conversion webhook: event Request completed",
    "Call conversion webhook: end",
  ]);
  const failing = toldSpan();
  await assert.rejects(converter(() => ({ convertedObjects: [] })).convert(to, [object("a")], failing));
  assert.match(failing.told.at(-1) ?? "", /: end conversion webhook for .* returned 0 objects, expected 1$/);
});

test("many objects are several questions, bounded in their number and in bytes", async () => {
  const { asked, convert } = converter(well);
  const many = Array.from({ length: 2 * mostOfQuestion.objects + 1 }, (_, i) => object(`n${i}`));
  const made = await convert(to, many);
  assert.deepEqual(
    made.map(({ metadata }) => metadata.name),
    many.map(({ metadata }) => metadata.name),
  );
  const large = (name: string): AnyObject => object(name, { x: "x".repeat(0.4 * mostOfQuestion.bytes) });
  const huge = object("huge", { x: "x".repeat(2 * mostOfQuestion.bytes) });
  await convert(to, [large("a"), large("b"), large("c"), huge, large("d")]);
  assert.deepEqual(asked, [500, 500, 1, 2, 1, 1, 1]);
});

const long = "x".repeat(100_000);
const lies: readonly (readonly [what: string, answer: (asked: Asked) => object])[] = [
  ["a message", () => ({ result: { status: "Failure", message: long } })],
  ["a status", () => ({ result: { status: long } })],
  ["a uid", () => ({ uid: long })],
  ["an object without kind", () => ({ convertedObjects: [{ long }] })],
  ["a version", () => ({ convertedObjects: [object("a", { apiVersion: long })] })],
  ["a kind", () => ({ convertedObjects: [object("a", { apiVersion: to.apiVersion, kind: long })] })],
  ["a name", () => ({ convertedObjects: [{ ...object(long), apiVersion: to.apiVersion }] })],
  [
    "a label",
    () => ({
      convertedObjects: [
        { ...object("a"), apiVersion: to.apiVersion, metadata: { ...object("a").metadata, labels: { [long]: long } } },
      ],
    }),
  ],
];

for (const [what, answer] of lies) {
  test(`what a webhook chose is cut in what is told of it: ${what}`, async () => {
    await assert.rejects(converter(answer).convert(to, [object("a")]), ({ message }: Error) => message.length < 2000);
  });
}
