import { printYaml } from "@orch/codec/yaml/yaml.js";
import { createTwoFilesPatch, FILE_HEADERS_ONLY } from "diff";

/** One side of a difference. */
export interface Side {
  /** `configmap/hello at revision 12`. */
  readonly title: string;
  /** Undefined where there was no object. */
  readonly object: Readonly<Record<string, unknown>> | undefined;
}

/** Two states are compared for so long, in milliseconds; after that one is shown to take the place of the other. */
const longestMs = 2000;

/** Two states of an object as a unified difference of their YAML; "" where they are the same but for what every write changes. */
export function unified(from: Side, to: Side, { colour }: { readonly colour: boolean }): string {
  const [before, after] = [textOf(from), textOf(to)];
  if (before === after) return "";
  const options = { context: 3, timeout: longestMs, headerOptions: FILE_HEADERS_ONLY };
  const patch =
    createTwoFilesPatch(from.title, to.title, before, after, "", "", options) ?? replaced({ from, to, before, after });
  const [older = "", newer = "", ...rest] = patch.split("\n");
  // The library ends a header with a tab where a time could stand.
  const lines = [older.trimEnd(), newer.trimEnd(), ...rest];
  return (colour ? lines.map(coloured) : lines).join("\n");
}

interface Texts {
  readonly from: Side;
  readonly to: Side;
  readonly before: string;
  readonly after: string;
}

function replaced({ from, to, before, after }: Texts): string {
  const lines = (text: string, sign: string): string => text.replace(/^(?=.)/gm, sign);
  return `--- ${from.title}\n+++ ${to.title}\n${lines(before, "-")}${lines(after, "+")}`;
}

function textOf({ object }: Side): string {
  return object === undefined ? "" : printYaml(withoutCounted(object));
}

/** Without what only the server counts. */
export function withoutCounted(object: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const { metadata } = object;
  if (typeof metadata !== "object" || metadata === null) return { ...object };
  const { managedFields: _fields, resourceVersion: _version, ...rest } = metadata as Record<string, unknown>;
  return { ...object, metadata: rest };
}

const colours: Readonly<Record<string, string>> = { "+": "32", "-": "31", "@": "36" };

function coloured(line: string): string {
  const colour = colours[line[0] ?? ""];
  return colour === undefined ? line : `\u001b[${colour}m${line}\u001b[0m`;
}
