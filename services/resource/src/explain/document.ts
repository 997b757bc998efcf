import { readReason } from "@orch/auth/rbac/read-reason.js";
import { explainGroup } from "@orch/naming/naming.js";
import type { WriteExplain } from "@orch/rpc/messages.js";
import { complete } from "@orch/schema/complete.js";
import { isObject, type JsonObject } from "@orch/schema/descriptor.js";
import { jsonText } from "@orch/status/json-text.js";
import { readJson } from "@orch/status/read-json.js";
import { managerOf } from "../write/fields/field-management.js";
import { surfaceOf } from "../write/surface.js";
import type { Write } from "../write/write.js";
import type { Asked, Explaining, Step, ToldStage } from "./explaining.js";
import { changedOwners } from "./owners.js";
import { type TellDifference, tellingDifferences } from "./told-differences.js";

/** What a write would come to: an object as it would be answered, or a Status. */
export type Outcome =
  | { readonly type: "stored"; readonly code: number; readonly object: Buffer }
  | { readonly type: "refused"; readonly status: object };

export interface Explained {
  readonly explaining: Explaining;
  readonly asked: WriteExplain;
  readonly outcome: Outcome;
  readonly warnings: readonly string[];
}

const mostFields = 500;

/** A WriteExplanation, as JSON. */
export async function explanationOf(write: Write, explained: Explained): Promise<Buffer> {
  const { explaining, asked, outcome, warnings } = explained;
  const { request, requested } = write;
  const { user, namespace, subresource } = request;
  const name = request.name === "" ? (explaining.latest?.metadata.name ?? "") : request.name;
  const tell = tellingDifferences(asked.mayRead);
  const stages = await stagesOf(write, explained, tell);
  const head = {
    kind: "WriteExplanation",
    apiVersion: `${explainGroup}/v1alpha1`,
    metadata: { ...(name === "" ? {} : { name }), ...(namespace === "" ? {} : { namespace }) },
    request: {
      verb: request.verb,
      apiVersion: requested.apiVersion,
      ...{ resource: requested.plural, ...(subresource === "" ? {} : { subresource }) },
      user: { name: user.name, groups: user.groups },
      fieldManager: managerOf(write, request.options["fieldManager"] ?? ""),
    },
    authorization: authorizationOf(write, asked),
    outcome: outcomeOf(explained),
    ...refusalOf(explained),
    ...(warnings.length === 0 ? {} : { warnings }),
    stages,
    ...ownersOf(explaining, outcome, asked),
  };
  if (outcome.type === "refused") return Buffer.from(`${jsonText(head)}\n`);
  // As it would be answered, to the byte.
  return Buffer.concat([Buffer.from(`${jsonText(head).slice(0, -1)},"object":`), outcome.object, Buffer.from("}\n")]);
}

/** Who lets the writer do it; roles are named where RBAC does. */
function authorizationOf({ deps, request }: Write, { reason }: WriteExplain): object {
  if (reason === "" && request.user.groups.includes(deps.naming.mastersGroup)) {
    return { allowed: true, reason: `members of the group ${deps.naming.mastersGroup} may do everything` };
  }
  return { allowed: true, reason: reason === "" ? "the authorizer gave no reason" : reason, ...readReason(reason) };
}

function outcomeOf({ outcome, explaining }: Explained): string {
  if (outcome.type === "refused") return "refused";
  if (outcome.code === 201) return "created";
  // What changes nothing comes to no stage, or to none that changes anything.
  const { live } = explaining;
  return live !== undefined && isUnchanged(live, outcome.object) ? "unchanged" : "changed";
}

function isUnchanged(live: JsonObject, object: Buffer): boolean {
  const text = (tree: unknown): string => jsonText(sorted(tree));
  return text(live) === text(readJson(object.toString("utf8")));
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (!isObject(value)) return value;
  const names = Object.keys(value).sort();
  return Object.fromEntries(names.map((name) => [name, sorted(value[name])]));
}

function refusalOf({ explaining, outcome }: Explained): object {
  if (outcome.type !== "refused") return {};
  const stage = explaining.stages.at(-1);
  const by = stage?.steps.findLast((step) => step.outcome === "denied" || step.outcome === "failed")?.by;
  return { refusal: { stage: stage?.name ?? "read", ...(by === undefined ? {} : { by }), status: outcome.status } };
}

async function stagesOf(write: Write, explained: Explained, tell: TellDifference): Promise<readonly object[]> {
  const told: object[] = [];
  for (const stage of explained.explaining.stages) {
    const steps: object[] = [];
    for (const step of stage.steps) steps.push(await stepOf(step, explained.asked, tell));
    told.push({
      name: stage.name,
      ...versionsOf(write, stage),
      ...(await tell(...(stage.name === "store" ? lastPair(explained) : pairOf(write, stage)))),
      ...(steps.length === 0 ? {} : { asked: steps }),
      ...(stage.moreSteps ? { moreAsked: true } : {}),
    });
  }
  return told;
}

type Pair = readonly [before: unknown, after: unknown];

/** A wanted state stands there without the zeros that clients read in the live one. */
function pairOf(write: Write, { name, before, after }: ToldStage): Pair {
  if (name !== "change" || after === undefined) return [before, after];
  return [before, complete(surfaceOf(write).kind.type, after)];
}

/** What the last stage made of the object, and what it would be stored and answered as. */
function lastPair({ explaining: { latest }, outcome }: Explained): Pair {
  if (outcome.type === "refused" || latest === undefined) return [undefined, undefined];
  return [plain(latest), readJson(outcome.object.toString("utf8"))];
}

/** A tree as it would be read from JSON. */
const plain = (tree: unknown): unknown => readJson(jsonText(tree));

function versionsOf({ kind, requested }: Write, { name }: ToldStage): object {
  if (name === "convert" && kind !== requested) return { from: requested.apiVersion, to: kind.apiVersion };
  if (name === "store" && kind.stored !== kind) return { from: kind.apiVersion, to: kind.stored.apiVersion };
  return {};
}

async function stepOf(step: Step, asked: WriteExplain, tell: TellDifference): Promise<object> {
  const { by, outcome, message = "", before, after } = step;
  return {
    ...nameOf(by),
    outcome,
    ...(message === "" || !isToldTo(outcome, asked) ? {} : { message }),
    ...(before === undefined || after === undefined ? {} : await tell(before, after)),
  };
}

/** What is noted for the audit event alone is for its readers; a failure that is passed over may tell of the live object. */
function isToldTo(outcome: Step["outcome"], { mayRead }: WriteExplain): boolean {
  return outcome !== "audited" && (mayRead || outcome !== "failedOpen");
}

function nameOf(by: Asked): object {
  const { type, ...rest } = by;
  return { type, ...rest };
}

function ownersOf({ live, latest }: Explaining, outcome: Outcome, { mayRead }: WriteExplain): object {
  const after = outcome.type === "stored" ? readJson(outcome.object.toString("utf8")) : latest;
  if (!mayRead) return { ownersLeftOut: true };
  if (!isObject(after)) return {};
  const { fields, more } = changedOwners(live?.metadata.managedFields, managedFieldsOf(after), mostFields);
  return fields.length === 0 ? {} : { owners: fields, ...(more ? { moreOwners: true } : {}) };
}

function managedFieldsOf({ metadata }: JsonObject): readonly unknown[] {
  const entries = isObject(metadata) ? metadata["managedFields"] : undefined;
  return Array.isArray(entries) ? entries : [];
}
