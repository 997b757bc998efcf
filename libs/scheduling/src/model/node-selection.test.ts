import assert from "node:assert/strict";
import { test } from "node:test";
import { compileNodeSelector, nodeSelectionOf } from "./node-selection.js";
import type { RawNodeTerm, RawRequirement } from "./objects.js";

const n1 = {
  name: "n1",
  labels: new Map([
    ["zone", "a"],
    ["gen", "3"],
  ]),
};
const term = (...matchExpressions: readonly RawRequirement[]): RawNodeTerm => ({ matchExpressions });
const is = (key: string, operator: string, ...values: readonly string[]): RawRequirement => ({ key, operator, values });

const rows: readonly (readonly [rule: string, terms: readonly RawNodeTerm[], matches: boolean])[] = [
  ["3 is greater than 2", [term(is("gen", "Gt", "2"))], true],
  ["3 is not greater than 3", [term(is("gen", "Gt", "3"))], false],
  ["3 is less than 10, by number", [term(is("gen", "Lt", "10"))], true],
  ["a value that is excluded", [term(is("zone", "NotIn", "a"))], false],
  ["an absent label is in no list", [term(is("x", "NotIn", "a"))], true],
  ["an absent label exists not", [term(is("x", "DoesNotExist"))], true],
  ["an empty term matches nothing", [{}], false],
  ["no terms match nothing", [], false],
  ["a term that cannot be read matches nothing", [term(is("gen", "Gt", "x"))], false],
  ["beside another one it does no harm", [term(is("gen", "Gt", "x")), term(is("zone", "In", "a"))], true],
  ["a bound beyond 64 bits cannot be read", [term(is("gen", "Lt", "9223372036854775808"))], false],
  ["the largest bound can", [term(is("gen", "Lt", "9223372036854775807"))], true],
  ["nor does a long way to write it", [term(is("gen", "Gt", "0000000000000000000000002"))], true],
  ["requirements of a term hold together", [term(is("zone", "In", "a"), is("gen", "In", "4"))], false],
  ["the field is the name", [{ matchFields: [is("metadata.name", "In", "n1")] }], true],
];
for (const [rule, nodeSelectorTerms, matches] of rows) {
  test(`node selector: ${rule}`, () => {
    assert.equal(compileNodeSelector({ nodeSelectorTerms })(n1), matches);
  });
}

test("names that required terms allow alone", () => {
  const names = (...terms: readonly RawNodeTerm[]) => {
    const required = { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: terms } };
    const found = nodeSelectionOf(undefined, required)?.names;
    return found === undefined ? undefined : [...found];
  };
  const named = (...values: readonly string[]) => is("metadata.name", "In", ...values);
  assert.deepEqual(names({ matchFields: [named("a")] }, { matchFields: [named("b")] }), ["a", "b"]);
  assert.deepEqual(names({ matchFields: [named("a"), named("b")] }), []);
  assert.equal(names({ matchFields: [named("a")] }, term(is("zone", "In", "a"))), undefined);
});
