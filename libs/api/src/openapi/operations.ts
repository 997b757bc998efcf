import type { Naming } from "@orch/naming/naming.js";
import { field, type MessageType, message, type Type } from "@orch/schema/descriptor.js";
import type { Catalog, Kind } from "../catalog.js";
import type { Docs } from "./docs.js";
import type { HistoryTypes } from "./history-types.js";
import type { Parameter } from "./parameters.js";
import type { GroupVersionKind } from "./schemas.js";

export const methods = ["get", "put", "post", "delete", "options", "head", "patch"] as const;
export type Method = (typeof methods)[number];

/** One method at one path, as both versions of the document tell it. */
export interface Operation {
  readonly method: Method;
  readonly id: string;
  readonly tag: string;
  readonly description: string;
  /** `list`, `post`, `connect`…; none for what is no resource. */
  readonly action: string | undefined;
  readonly kind: GroupVersionKind | undefined;
  readonly parameters: readonly Parameter[];
  readonly body: Body | undefined;
  readonly consumes: readonly string[];
  readonly produces: readonly string[];
  readonly answers: readonly Answer[];
}

export interface Body {
  readonly type: Type;
  readonly required: boolean;
}

export interface Answer {
  readonly code: number;
  readonly description: string;
  readonly type: Type | undefined;
  /** What it is where a parameter asks for that; version 2 has a word for one type alone. */
  readonly other?: Type;
}

export interface PathItem {
  readonly path: string;
  readonly operations: readonly Operation[];
}

/** The paths of one version 3 document: `api/v1`, `apis/apps`, `version`. */
export interface Section {
  readonly name: string;
  readonly paths: readonly PathItem[];
}

/** What a build answers: the documents promise nothing else. */
export interface Offers {
  readonly subresources: ReadonlySet<string>;
  /** Of objects, the default first. */
  readonly mediaTypes: readonly string[];
  /** Whether lists may be sorted and restricted to fields and to what one may see; they may not where absent. */
  readonly listExtensions?: boolean;

  /** Whether objects of a kind have a history; none has where absent. */
  readonly hasHistory?: (kind: Kind) => boolean;
}

export interface Context {
  readonly catalog: Catalog;
  readonly naming: Naming;
  readonly docs: Docs;
  readonly offers: Offers;
  readonly typeNamed: (name: string) => MessageType;
  /** Of documents about the past; absent where no kind has one. */
  readonly history?: HistoryTypes | undefined;
}

/** Parameters that every operation of a path has stand at the path; sorted by name as in the reference. */
export function sharedParameters({ operations }: PathItem): readonly Parameter[] {
  const [first, ...others] = operations;
  const everywhere = (p: Parameter): boolean => others.every((o) => o.parameters.some((q) => sameParameter(p, q)));
  return byName((first?.parameters ?? []).filter(everywhere));
}

export function ownParameters(operation: Operation, shared: readonly Parameter[]): readonly Parameter[] {
  return byName(operation.parameters.filter((p) => !shared.some((q) => sameParameter(p, q))));
}

function sameParameter(a: Parameter, b: Parameter): boolean {
  return a.in === b.in && a.name === b.name && a.description === b.description;
}

function byName(parameters: readonly Parameter[]): readonly Parameter[] {
  return [...parameters].sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : a.in < b.in ? -1 : 1));
}

/** `rbac.authorization.<suffix>` → `rbacAuthorization`; the group without a name is `core`. */
export function groupWord(naming: Naming, group: string): string {
  if (group === "") return "core";
  const suffix = naming.group("");
  const bare = group.endsWith(suffix) ? group.slice(0, -suffix.length) : group;
  const [first = "", ...rest] = bare.split(/[.-]/);
  return first + rest.map(capital).join("");
}

export function capital(word: string): string {
  return word.slice(0, 1).toUpperCase() + word.slice(1);
}

export const unauthorized: Answer = { code: 401, description: "Unauthorized", type: undefined };

export function ok(type: Type, ...more: readonly ("Created" | "Accepted")[]): readonly Answer[] {
  const codes = { Created: 201, Accepted: 202 } as const;
  return [
    { code: 200, description: "OK", type },
    ...more.map((description) => ({ code: codes[description], description, type })),
    unauthorized,
  ];
}

export function kindOf(kind: Kind): GroupVersionKind {
  return { group: kind.group, kind: kind.kind, version: kind.version };
}

/** Streams of the same media types, as they are named in answers to a watch. */
export function streamTypes(mediaTypes: readonly string[]): readonly string[] {
  const named: Readonly<Record<string, string>> = { "application/cbor": "application/cbor-seq" };
  const streamed = mediaTypes.filter((type) => type !== "application/yaml");
  return streamed.map((type) => named[type] ?? `${type};stream=watch`);
}

/** The body of `/version`. */
export const versionInfo: MessageType = message({
  name: "apimachinery.pkg.version.Info",
  fields: () =>
    ["major", "minor", "gitVersion", "gitCommit", "gitTreeState", "buildDate", "goVersion", "compiler", "platform"].map(
      (name) => field({ name, type: { kind: "string" }, required: true }),
    ),
});
