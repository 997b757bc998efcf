import { type ConfigurationDocument, readDocument, splitDocuments } from "@orch/codec/configuration-document.js";
import { printYaml } from "@orch/codec/yaml/yaml.js";
import type { Naming } from "@orch/naming/naming.js";
import type { JsonObject } from "@orch/schema/descriptor.js";
import { type Changed, fromSecondBeta, fromThirdBeta } from "./version-steps.js";

/** What a document loses or gains on its way to the next version. */
interface Step {
  readonly to: string;
  readonly change: (kind: string, fields: JsonObject, naming: Naming) => Changed;
}

/** From which version a document goes to which. A file goes one step: its oldest document says which. */
const steps: ReadonlyMap<string, Step> = new Map([
  ["v1beta2", { to: "v1beta3", change: fromSecondBeta }],
  ["v1beta3", { to: "v1beta4", change: fromThirdBeta }],
]);
const versions = [...steps.keys(), "v1beta4"];

/** Kinds of the bootstrapper that older versions had. */
const kinds = ["InitConfiguration", "ClusterConfiguration", "JoinConfiguration"];

export interface Migrated {
  readonly text: string;
  /** What no later version has. */
  readonly warnings: readonly string[];
}

/**
 * A file in a later version: what it says, and no more. A v1beta2 file becomes a v1beta3 one, a v1beta3 file a v1beta4 one.
 * Documents of other kinds stay as they are.
 * @throws Error for a file that cannot be read, or of a version that is not known
 */
export function migrate(text: string, naming: Naming): Migrated {
  const group = naming.configurationGroup("orchadm");
  const documents = splitDocuments(text).map((each) => ({ before: each, document: documentOf(each) }));
  const versionOf = ({ apiVersion }: ConfigurationDocument): string | undefined =>
    apiVersion.startsWith(`${group}/`) ? apiVersion.slice(group.length + 1) : undefined;
  const own = documents.flatMap(({ document }) => versionOf(document) ?? []);
  if (own.length === 0) throw new Error(`no document of ${group} was found`);
  const unknown = own.find((version) => !versions.includes(version));
  if (unknown !== undefined) {
    throw new Error(`${group}/${unknown.slice(0, 100)} is no version that can be read: ${versions.join(", ")} are`);
  }
  const oldest = versions.find((version) => own.includes(version)) ?? "";
  const step = steps.get(oldest);
  const warnings: string[] = [];
  const texts = documents.map(({ before, document }) => {
    const { kind, fields } = document;
    if (step === undefined || versionOf(document) !== oldest || !kinds.includes(kind)) return withEnd(before);
    const changed = step.change(kind, fields, naming);
    warnings.push(...changed.lost.map((what) => `${kind}: ${what}`));
    return printYaml({ ...changed.fields, apiVersion: `${group}/${step.to}` });
  });
  return { text: texts.join("---\n"), warnings };
}

function documentOf(text: string): ConfigurationDocument {
  const read = readDocument(text);
  if (!read.ok) throw new Error(read.problem);
  const [problem] = read.document.problems;
  if (problem !== undefined) throw new Error(problem);
  return read.document;
}

const withEnd = (text: string): string => (text.endsWith("\n") ? text : `${text}\n`);
