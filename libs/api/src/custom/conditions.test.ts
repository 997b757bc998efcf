import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { createNaming } from "@orch/naming/naming.js";
import { approvalOf } from "../kinds/apiextensions/approval.js";
import type { DefinitionNames, DefinitionSpec } from "../kinds/apiextensions/types.js";
import { judgeApproval, judgeNames, judgeStructure, judgeWaiting, saysSo, withConditions } from "./conditions.js";

const widgets: DefinitionNames = {
  ...{ plural: "widgets", singular: "widget", kind: "Widget", listKind: "WidgetList", shortNames: ["wd"] },
  categories: ["all"],
};

interface Row {
  readonly names: DefinitionNames;
  readonly accepted: DefinitionNames;
  readonly conflict: readonly [reason: string, word: string] | undefined;
}

const gizmos = { plural: "gizmos", singular: "gizmo", kind: "Gizmo", listKind: "GizmoList" };
const rows: readonly Row[] = [
  {
    names: { plural: "gizmos", singular: "widget", kind: "Widget", listKind: "WidgetList" },
    ...{ accepted: { plural: "gizmos" }, conflict: ["ListKindConflict", "WidgetList"] },
  },
  {
    names: { ...gizmos, singular: "widget" },
    accepted: { plural: "gizmos", kind: "Gizmo", listKind: "GizmoList" },
    conflict: ["SingularConflict", "widget"],
  },
  { names: { ...gizmos, shortNames: ["wd", "gz"] }, accepted: gizmos, conflict: ["ShortNamesConflict", "wd"] },
  {
    names: { ...gizmos, listKind: "WidgetList" },
    accepted: { plural: "gizmos", singular: "gizmo", kind: "Gizmo" },
    conflict: ["ListKindConflict", "WidgetList"],
  },
  { names: { ...gizmos, shortNames: ["widgets"] }, accepted: gizmos, conflict: ["ShortNamesConflict", "widgets"] },
  {
    names: { plural: "wd", singular: "wd", kind: "Wd", listKind: "WdList" },
    accepted: { kind: "Wd", listKind: "WdList" },
    conflict: ["SingularConflict", "wd"],
  },
  { names: gizmos, accepted: gizmos, conflict: undefined },
];

describe("names of a definition beside those of widgets", () => {
  for (const { names, accepted, conflict } of rows) {
    test(JSON.stringify(names), () => {
      const judged = judgeNames({ names, status: {}, isCallable: true }, [widgets, undefined]);
      assert.deepEqual(judged?.acceptedNames, accepted);
      const [named, established] = judged?.conditions ?? [];
      const [reason, word] = conflict ?? ["NoConflicts", ""];
      assert.deepEqual([named?.status, named?.reason], [conflict === undefined ? "True" : "False", reason]);
      assert.equal(named?.message, conflict === undefined ? "no conflicts found" : `"${word}" is already in use`);
      assert.equal(established?.reason, conflict === undefined ? "InitialNamesAccepted" : "NotAccepted");
    });
  }

  test("names that are accepted already are not judged again", () => {
    assert.equal(
      judgeNames({ names: widgets, status: { acceptedNames: widgets }, isCallable: true }, [widgets]),
      undefined,
    );
  });

  test("what is established stays so under the names that it has, though a new one is refused", () => {
    const conditions = [{ type: "Established", status: "True" }];
    const judged = judgeNames(
      { names: { ...gizmos, shortNames: ["wd"] }, status: { acceptedNames: gizmos, conditions }, isCallable: true },
      [widgets],
    );
    assert.deepEqual(judged?.acceptedNames, gizmos);
    assert.deepEqual(
      judged?.conditions.map(({ type }) => type),
      ["NamesAccepted"],
    );
  });
});

test("a definition whose webhook nobody can trust waits for readable certificates", () => {
  const judged = judgeNames({ names: gizmos, status: {}, isCallable: false }, [widgets]);
  assert.deepEqual(
    judged?.conditions.map(({ type, status, reason }) => [type, status, reason]),
    [
      ["NamesAccepted", "True", "NoConflicts"],
      ["Established", "False", "InvalidCABundle"],
    ],
  );
  const waiting = withConditions({ acceptedNames: gizmos }, judged?.conditions ?? [], "1");
  assert.equal(judgeWaiting({ status: waiting, isCallable: false }), undefined);
  assert.equal(judgeWaiting({ status: waiting, isCallable: true })?.reason, "InitialNamesAccepted");
  const emptied = { acceptedNames: gizmos, conditions: [] };
  assert.equal(judgeWaiting({ status: emptied, isCallable: true }), undefined);
});

describe("schemas without structure are told of", () => {
  const loose = { properties: { a: { type: "string" } } };
  const said = (spec: DefinitionSpec): readonly string[] | undefined => {
    const condition = judgeStructure(spec);
    return condition && [condition.status, condition.reason, condition.message];
  };
  const versions = [{ name: "v1" }, { name: "v2" }];
  const [first, second] = [0, 1].map((i) => `spec.versions[${i}].schema.openAPIV3Schema.type: Required value`);
  const keeps = "spec.preserveUnknownFields: Invalid value: true: must be false";

  test("once for each version, with unknown fields that are kept everywhere", () => {
    const message = `[${keeps}, ${first}: must not be empty at the root, ${second}: must not be empty at the root]`;
    const spec = { preserveUnknownFields: true, validation: { openAPIV3Schema: loose }, versions };
    assert.deepEqual(said(spec), ["True", "Violations", message]);
  });

  test("one that cannot be looked into at all alone", () => {
    const validation = { openAPIV3Schema: { ...loose, $ref: "#/a" } };
    assert.deepEqual(said({ preserveUnknownFields: true, versions: [{ name: "v1" }], validation }), [
      "Unknown",
      "StructuralError",
      "failed to check validation schema for version v1: OpenAPIV3Schema '$ref' is not supported",
    ]);
  });

  test("a definition without schemas for what it keeps", () => {
    assert.deepEqual(said({ preserveUnknownFields: true, versions }), ["True", "Violations", keeps]);
  });

  test("and nothing is of one that prunes: it was held to structure when it came", () => {
    assert.equal(said({ preserveUnknownFields: false, versions, validation: { openAPIV3Schema: loose } }), undefined);
  });
});

test("the approval of a protected group is told by its annotation, and that of others not at all", () => {
  const naming = createNaming("kubernetes");
  const said = (group: string, annotation?: string) => {
    const annotations = annotation === undefined ? {} : { annotations: { "api-approved.kubernetes.io": annotation } };
    const condition = judgeApproval(approvalOf({ spec: { group }, metadata: annotations }, naming));
    return condition && [condition.status, condition.reason, condition.message];
  };
  assert.equal(said("example.com", "unapproved"), undefined);
  assert.deepEqual(said("x.k8s.io", "unapproved, test"), [
    "False",
    "UnapprovedAnnotation",
    'not approved: "unapproved, test"',
  ]);
  const url = "https://example.com/approved";
  assert.deepEqual(said("x.k8s.io", url), ["True", "ApprovedAnnotation", `approved in ${url}`]);
  assert.deepEqual(said("x.kubernetes.io")?.slice(0, 2), ["False", "MissingAnnotation"]);
  assert.deepEqual(said("k8s.io", "xyz")?.slice(0, 2), ["False", "InvalidAnnotation"]);
});

test("the time of a condition moves with its status alone", () => {
  const condition = { type: "Established", status: "True", reason: "A", message: "a" } as const;
  const first = withConditions({}, [condition], "1");
  assert.ok(saysSo(first, [condition]));
  const other = { ...condition, reason: "B" };
  assert.ok(!saysSo(first, [other]));
  const second = withConditions(first, [other], "2");
  assert.deepEqual(second.conditions, [{ ...other, lastTransitionTime: "1" }]);
  const third = withConditions(second, [{ ...other, status: "False" }], "3");
  assert.deepEqual(
    third.conditions?.map(({ lastTransitionTime }) => lastTransitionTime),
    ["3"],
  );
});
