import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import type { AnyObject } from "@orch/api/object.js";
import { isObject, type JsonObject } from "@orch/schema/descriptor.js";
import { requestOfLine } from "../../testing/request-line.js";
import { thingsCluster } from "../../testing/things.js";

/** A line of `testdata/webhook-reviews.jsonl`. */
interface Row {
  readonly about: string;
  readonly write: string;
  readonly contentType?: string;
  readonly body?: object;
  readonly user?: string;
  readonly code: number;
  readonly reviews: readonly JsonObject[];
}

const path = new URL("../../../testdata/webhook-reviews.jsonl", import.meta.url);
const rows: readonly Row[] = readFileSync(path, "utf8")
  .trim()
  .split("\n")
  .map((line) => JSON.parse(line));

const group = "wh.example.com";
const rule = { operations: ["*"], apiGroups: [group], apiVersions: ["v1"], resources: ["things", "things/*"] };

function userOf(name = "admin") {
  const first = name === "admin" ? "system:masters" : "dev";
  return { name, uid: `uid-${name}`, groups: [first, "system:authenticated"], extra: { scopes: ["a", "b"] } };
}

const varying: Readonly<Record<string, string>> = { uid: "<uid>", creationTimestamp: "<time>", resourceVersion: "<n>" };

/** Without what varies, and without managers. */
function shown(object: unknown, generated: boolean): unknown {
  if (!isObject(object)) return object;
  const { managedFields: _managers, ...metadata } = Object(object["metadata"]);
  const told = Object.entries(metadata).map(([name, value]) => [name, varying[name] ?? value] as const);
  const named = generated ? { name: "<name>" } : {};
  return { ...object, metadata: { ...Object.fromEntries(told), ...named } };
}

function reviewOf({ uid: _uid, object, oldObject, ...rest }: JsonObject): JsonObject {
  const generated = Object(Object(object).metadata).generateName !== undefined;
  const review = { ...rest, object: shown(object, generated), oldObject: shown(oldObject, generated) };
  return generated ? { ...review, name: "<name>" } : review;
}

const mergePatch = { verb: "patch", contentType: "application/merge-patch+json" } as const;

/** What is written in place of a state names it. */
function withVersion({ metadata: { resourceVersion } }: AnyObject, body: object | undefined): object {
  return { ...body, metadata: { ...Object(body).metadata, resourceVersion } };
}

test("webhooks are sent what the reference sends", async (t) => {
  const one = await thingsCluster(t);
  const things = requestOfLine(`POST /apis/${group}/v1/namespaces/obs/things`);
  const body = (name: string) => ({ apiVersion: `${group}/v1`, kind: "Thing", metadata: { name }, spec: {} });
  for (const name of ["c1", "c2"]) await one.make(things, body(name));
  await one.make(things, { ...body("s"), metadata: { name: "s", labels: { tier: "gold" } } });
  await one.make({ ...things, ...mergePatch, name: "s" }, { spec: { n: 1 } });
  await one.configure("Validating", "v", [{ rules: [rule] }]);
  for (const { about, write, contentType, body: given, user, code, reviews } of rows) {
    const line = requestOfLine(write);
    const whole = line.verb === "update" ? withVersion(await one.make({ ...line, ...mergePatch }, {}), given) : given;
    one.asked.length = 0;
    const isCollection = line.verb === "delete" && line.name === "";
    const said = await one.says(
      {
        ...{ ...line, user: userOf(user) },
        ...(isCollection ? { verb: "deletecollection" } : {}),
        ...(contentType === undefined ? {} : { contentType }),
      },
      whole,
    );
    assert.equal(said.slice(0, 3), code < 300 ? "ok" : String(code), `${about}: ${said}`);
    const sent = one.asked.map(({ request }) => reviewOf(request));
    assert.deepEqual(sent, reviews.map(reviewOf), about);
  }
});
