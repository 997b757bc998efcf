import assert from "node:assert/strict";
import { test } from "node:test";
import { viewOfJsonSchema } from "../schema/json-schema.js";
import { type TypesOfPolicy, typeWarnings } from "./type-check.js";

const options = { dialect: "kubernetes", release: "1.32", isStored: () => true } as const;
const typed = (apiVersion: string, kind: string, spec: object) => ({
  ...{ apiVersion, kind, name: kind },
  view: viewOfJsonSchema({ type: "object", properties: { spec: { type: "object", properties: spec } } }),
});
const integer = { type: "integer" };
const deployment = typed("apps/v1", "Deployment", { replicas: integer });
const limit = typed("example.com/v1", "Limit", { max: integer });
const comparing = (field: string) => ({
  paramKind: { apiVersion: "example.com/v1", kind: "Limit" },
  validations: [{ expression: `object.spec.replicas < params.spec.${field}` }],
});
const told = (field: string, params: Pick<TypesOfPolicy, "params">): readonly string[] =>
  typeWarnings(comparing(field), [deployment], { ...options, ...params }).map(({ warning }) => warning);

test("parameters are of the kind that the policy names", () => {
  assert.deepEqual(told("max", { params: limit }), []);
  assert.deepEqual(told("nope", { params: limit }), [
    "apps/v1, Kind=Deployment: ERROR: <input>:1:35: undefined field 'nope'\n | object.spec.replicas < params.spec.nope\n | ..................................^\n",
  ]);
});

test("parameters of which nobody knows the type may be anything", () => {
  assert.deepEqual(told("nope", {}), []);
});

test("parameters of a kind that is not there are not declared", () => {
  assert.match(told("max", { params: undefined }).join(), /1:24: undeclared reference to 'params'/);
});
