import { isRecord } from "@orch/client/objects.js";
import { readDocument, strictProblem, unknownKind } from "@orch/codec/configuration-document.js";
import {
  checkNames,
  duration,
  inner,
  objects,
  type Place,
  text,
  texts,
  wholeNumber,
} from "@orch/codec/configuration-fields.js";
import type { Naming } from "@orch/naming/naming.js";
import { points, type Stage, type StageSelector, targets } from "./stage.js";

const kind = "NodeSimulatorConfiguration";
const fields = ["name", "at", "to", "after", "jitter", "exitCode", "selector"];

export type ReadStages =
  | { readonly ok: true; readonly stages: readonly Stage[] }
  | { readonly ok: false; readonly problem: string };

/** One document of the group `nodesimulator.config`. */
export function readStages(file: string, naming: Naming): ReadStages {
  const read = readDocument(file);
  if (!read.ok) return read;
  const { document } = read;
  const apiVersion = `${naming.configurationGroup("nodesimulator.config")}/v1alpha1`;
  if (document.apiVersion !== apiVersion || document.kind !== kind) {
    return { ok: false, problem: `${unknownKind(document)}; this program reads ${kind} of ${apiVersion}` };
  }
  const problems = [...document.problems];
  const root: Place = { fields: document.fields, path: "", problems };
  checkNames(root, ["apiVersion", "kind", "stages"]);
  const stages = objects(root, "stages").map(stageOf);
  return problems.length === 0 ? { ok: true, stages } : { ok: false, problem: strictProblem(problems) };
}

function stageOf(place: Place): Stage {
  checkNames(place, fields);
  const refuse = (field: string, why: string): void => void place.problems.push(`${place.path}.${field}: ${why}`);
  const oneOf = <T extends string>(field: string, values: readonly T[], otherwise: T): T => {
    const given = text(place, field);
    const found = values.find((value) => value === given);
    if (found === undefined) refuse(field, `must be one of ${values.join(", ")}, not ${JSON.stringify(given)}`);
    return found ?? otherwise;
  };
  const name = text(place, "name");
  if (name === "") refuse("name", "is needed");
  const at = oneOf("at", points, "Ready");
  const to = oneOf("to", targets, "Ended");
  const exitCode = wholeNumber(place, "exitCode") ?? 0;
  if (exitCode < 0 || exitCode > 255) refuse("exitCode", "must be between 0 and 255");
  return {
    ...{ name, at, to, exitCode },
    afterMs: notNegative(place, "after"),
    jitterMs: notNegative(place, "jitter"),
    selector: selectorOf(place),
  };
}

function notNegative(place: Place, field: string): number {
  const ms = duration(place, field) ?? 0;
  if (ms < 0) place.problems.push(`${place.path}.${field}: must not be negative`);
  return ms;
}

function selectorOf(place: Place): StageSelector {
  const selector = inner(place, "selector", ["namespaces", "ownerKinds", "matchLabels"]);
  if (selector === undefined) return { namespaces: [], ownerKinds: [], matchLabels: {} };
  return {
    namespaces: texts(selector, "namespaces"),
    ownerKinds: texts(selector, "ownerKinds"),
    matchLabels: labelsOf(selector),
  };
}

function labelsOf(selector: Place): Readonly<Record<string, string>> {
  const given = selector.fields["matchLabels"] ?? {};
  if (!isRecord(given)) {
    selector.problems.push(`${selector.path}.matchLabels: must be an object`);
    return {};
  }
  const entries = Object.entries(given).map(([key, value]): [string, string] => {
    if (typeof value === "string") return [key, value];
    selector.problems.push(`${selector.path}.matchLabels.${key}: must be a string`);
    return [key, ""];
  });
  return Object.fromEntries(entries);
}
