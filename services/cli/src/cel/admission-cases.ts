import { loadCatalog } from "@orch/api/catalog.js";
import { decodeObject, setDefaults, toHub, validateCreate } from "@orch/api/writes.js";
import { evaluateMutation } from "@orch/cel/admission/mutate.js";
import { compilePolicy, compileWebhookConditions, type PolicySource } from "@orch/cel/admission/policy.js";
import { matchConditions } from "@orch/cel/admission/run.js";
import { type AdmissionSubject, activate } from "@orch/cel/admission/subject.js";
import { type TypedKind, typeWarnings } from "@orch/cel/admission/type-check.js";
import { runPolicy } from "@orch/cel/admission/validate.js";
import { scriptedAuthorizer } from "@orch/cel/cases/expression.js";
import type { Got } from "@orch/cel/cases/run.js";
import { viewOfJsonSchema } from "@orch/cel/schema/json-schema.js";
import { createNaming, type Dialect } from "@orch/naming/naming.js";
import { applyMergePatch } from "@orch/patch/merge-patch.js";
import { applyPolicyPatch } from "@orch/patch/policy-patch.js";
import { isObject } from "./document.js";

type Fields = { readonly [name: string]: unknown };

const fieldsOf = (value: unknown): Fields => (isObject(value) ? value : {});
const text = (value: unknown): string => (typeof value === "string" ? value : "");
const stored = { release: "1.32", isStored: () => true } as const;

/** A row of kind `policy`: a validating policy's spec and a request, or the types that it is checked against. */
export function runPolicyCase(row: Fields, dialect: Dialect): Got {
  const { spec: given, request, types } = fieldsOf(row["policy"]);
  const spec: PolicySource & Fields = fieldsOf(given);
  const errors = policyErrors(spec, dialect);
  const about = errors.length > 0 ? { create_errors: errors } : {};
  // What was refused is run all the same: a server may have stored it before.
  const policy = compilePolicy(spec, { dialect, ...stored });
  if (types !== undefined) {
    const kinds = typedKinds(fieldsOf(types), spec);
    const warnings = typeWarnings(spec, kinds, { dialect, ...stored });
    return { ...about, ...(warnings.length > 0 && { type_warnings: warnings }) };
  }
  if (request === undefined) return about;
  const calls: unknown[] = [];
  const subject = subjectOf(fieldsOf(request), { row, dialect, calls });
  const failurePolicy = spec["failurePolicy"] === "Ignore" ? "Ignore" : "Fail";
  const outcome = runPolicy(policy, subject, { failurePolicy });
  const { decisions, annotations, cost } = outcome;
  return {
    ...about,
    cost: cost ?? "exhausted",
    ...(decisions === undefined && { no_decisions: true }),
    ...(decisions !== undefined && decisions.length > 0 && { decisions }),
    ...(annotations.length > 0 && { audit: annotations }),
    ...(calls.length > 0 && { authorizer_calls: calls }),
  };
}

/** A row of kind `mutation`: a mutating policy's spec and a request, whose object is changed. */
export function runMutationCase(row: Fields, dialect: Dialect): Got {
  const { spec: given, request } = fieldsOf(row["mutation"]);
  const spec: PolicySource & Fields = fieldsOf(given);
  const errors = policyErrors(spec, dialect);
  const about = errors.length > 0 ? { create_errors: errors } : {};
  if (request === undefined) return about;
  const policy = compilePolicy(spec, { dialect, ...stored });
  let { object } = fieldsOf(request);
  for (const expression of policy.mutations) {
    const subject = subjectOf({ ...fieldsOf(request), object }, { row, dialect, calls: [] });
    const mutation = evaluateMutation(expression, activate(subject, policy.variables));
    if (mutation.type === "error") return { ...about, error: mutation.error };
    if (mutation.type === "ApplyConfiguration") {
      // Of a kind whose type is not known, lists are set as they are.
      object = applyMergePatch(object, mutation.object);
      continue;
    }
    const patched = applyPolicyPatch(object, mutation.operations);
    if (!patched.ok) return { ...about, error: patched.error };
    object = patched.document;
  }
  return { ...about, object };
}

/** A row of kind `webhook`: match conditions and a request. */
export function runWebhookCase(row: Fields, dialect: Dialect): Got {
  const { match_conditions: texts, request, failure_policy: failurePolicy } = fieldsOf(row["webhook"]);
  const conditions = Array.isArray(texts) ? texts.map((one, i) => ({ name: `c${i}`, expression: text(one) })) : [];
  const compiled = compileWebhookConditions(conditions, "webhooks[0].matchConditions", { dialect, ...stored });
  const wrong = conditions.flatMap(({ expression }, i) => {
    const at = `webhooks[0].matchConditions[${i}].expression`;
    if (expression.trim() === "") return [`${at}: Required value`];
    const problem = compiled.find((one) => one.at === at)?.problem;
    return problem === undefined ? [] : [`${at}: Invalid value: ${JSON.stringify(expression)}: ${problem}`];
  });
  if (wrong.length > 0) return { create_errors: wrong };
  const calls: unknown[] = [];
  const match = matchConditions(compiled, activate(subjectOf(fieldsOf(request), { row, dialect, calls }), []));
  const asked = calls.length > 0 ? { authorizer_calls: calls } : {};
  if (match.matches === true) return { matches: true, ...asked };
  if (match.matches === false) return { matches: false, failed_condition: `c${match.failed}`, ...asked };
  return { matches: false, ...(failurePolicy !== "Ignore" && { error: match.error }), ...asked };
}

const policyName = "policy.example.com";
const rules = [{ operations: ["*"], apiGroups: ["*"], apiVersions: ["*"], resources: ["*"] }];

/** Everything wrong with a policy of such a spec, in the order of the fields. */
function policyErrors(spec: Fields, dialect: Dialect): readonly string[] {
  const naming = createNaming(dialect);
  const [name, version] = "mutations" in spec ? ["Mutating", "v1alpha1"] : ["Validating", "v1"];
  const group = naming.group("admissionregistration");
  const kind = loadCatalog(naming).kind(`${group}/${version}`, `${name}AdmissionPolicy`);
  if (kind === undefined) throw new TypeError(`the catalog has no ${name}AdmissionPolicy`);
  const again = "mutations" in spec ? { reinvocationPolicy: "Never" } : {};
  const whole = { failurePolicy: "Fail", matchConstraints: { resourceRules: rules }, ...again, ...spec };
  const tree = { apiVersion: kind.apiVersion, kind: kind.kind, metadata: { name: policyName }, spec: whole };
  const object = toHub(kind, setDefaults(kind, decodeObject(kind, tree).object));
  return validateCreate(kind, object)
    .filter(({ field }) => field.startsWith("spec"))
    .toSorted((a, b) => (a.field < b.field ? -1 : a.field > b.field ? 1 : 0))
    .map(({ field, message }) => `${field}: ${message}`);
}

interface Around {
  readonly row: Fields;
  readonly dialect: Dialect;
  readonly calls: unknown[];
}

/** A request as expressions see it: what is empty is not there. */
function subjectOf(request: Fields, { row, dialect, calls }: Around): AdmissionSubject {
  const shown = fieldsOf(request["object"] ?? request["old_object"]);
  const [group = "", version = ""] = apiVersionParts(text(shown["apiVersion"]));
  const kind = { group, version, kind: text(shown["kind"]) };
  const resource = { group, version, resource: `${kind.kind.toLowerCase()}s` };
  const name = text(request["name"]);
  const namespace = text(request["namespace"]);
  const told = {
    kind,
    resource,
    requestKind: kind,
    requestResource: resource,
    ...(name !== "" && { name }),
    ...(namespace !== "" && { namespace }),
    operation: text(request["operation"]) || "CREATE",
    userInfo: {
      username: text(request["user"]) || "alice",
      groups: request["groups"] ?? ["system:authenticated"],
      ...(request["extra"] !== undefined && { extra: request["extra"] }),
    },
    dryRun: request["dry_run"] === true,
    options: null,
  };
  const target = { group, resource: resource.resource, subresource: "", namespace, name };
  return {
    object: request["object"] ?? null,
    oldObject: request["old_object"] ?? null,
    request: told,
    namespace: request["namespace_object"] ?? null,
    params: request["params"],
    authorizer: scriptedAuthorizer(fieldsOf(row["authorizer"]), { dialect, calls, target }),
  };
}

function apiVersionParts(apiVersion: string): readonly string[] {
  return apiVersion.includes("/") ? apiVersion.split("/") : ["", apiVersion];
}

/** The kinds that the rules of a policy name, of those whose types are known. */
function typedKinds(types: Fields, spec: Fields): readonly TypedKind[] {
  const constraints = fieldsOf(spec["matchConstraints"])["resourceRules"];
  const named = Array.isArray(constraints) ? constraints.flatMap((rule) => fieldsOf(rule)["resources"] ?? []) : ["*"];
  return Object.entries(types).flatMap(([key, schema]) => {
    const [group = "", version = "", kind = ""] = key.split("/");
    const isNamed = named.includes("*") || named.includes(`${kind.toLowerCase()}s`);
    if (!isNamed) return [];
    return [{ apiVersion: `${group}/${version}`, kind, name: `${kind}<N>`, view: viewOfJsonSchema(fieldsOf(schema)) }];
  });
}
