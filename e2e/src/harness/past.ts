import assert from "node:assert/strict";
import { isRecord } from "@orch/client/objects.js";
import type { Answer, Http } from "./http.js";

export const maps = (namespace = "default"): string => `/api/v1/namespaces/${namespace}/configmaps`;

export const map = (name: string, value: string, more: object = {}) => ({
  ...{ kind: "ConfigMap", apiVersion: "v1", metadata: { name, ...more } },
  data: { value },
});

/** The items of a document about the past. */
export function rows(answer: Answer): readonly Readonly<Record<string, unknown>>[] {
  assert.equal(answer.status, 200, answer.text);
  const items = answer.at("items");
  assert.ok(Array.isArray(items));
  return items.filter(isRecord);
}

export const revisionOf = (answer: Answer): string => {
  assert.ok(answer.status < 300, answer.text);
  return String(answer.at("metadata.resourceVersion"));
};

/** Writes three states of an object; gives their revisions. */
export async function threeStates(http: Http, name: string, namespace = "default") {
  const first = revisionOf(await http.post(maps(namespace), map(name, "one")));
  const path = `${maps(namespace)}/${name}`;
  const second = revisionOf(await http.patch(path, "merge", { data: { value: "two" } }));
  const third = revisionOf(await http.patch(path, "merge", { data: { more: "three" } }));
  return { path, first, second, third };
}
