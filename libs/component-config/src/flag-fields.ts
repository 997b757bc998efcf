import { readDocument, splitDocuments } from "@orch/codec/configuration-document.js";
import type { JsonObject } from "@orch/schema/descriptor.js";
import type { Configuration } from "./configuration.js";
import { differences, valueAt, withValueAt } from "./paths.js";
import { readConfigurations } from "./read-configurations.js";

export interface FlagFields<T> {
  readonly of: Configuration<T>;
  /** Flags of the program by the fields that stand for them, in the words of the hub. */
  readonly fields: Readonly<Record<string, string>>;
  /** Fields that are acted on and stand for no flag; what is below them, too. */
  readonly others?: readonly string[];
  /** Fields that nobody can act on, and what is said where a document sets one to true, whatever its default is. */
  readonly impossible?: Readonly<Record<string, string>>;
}

export interface Occurrence {
  readonly name: string;
  readonly text: string;
}

/** The value of a flag as files have it. */
export type FlagValue = string | number | boolean | readonly (string | number | boolean)[] | JsonObject;

/**
 * A configuration some of whose fields stand for flags of a program: what it says of them, what it says that nobody acts
 * on, and the configuration with other values of those flags. Fits `ComponentFile` of libs/runtime.
 */
export function flagFields<T extends JsonObject>({ of, fields, others = [], impossible = {} }: FlagFields<T>) {
  const defaults = of.defaults();
  const flags = Object.entries(fields);

  const occurrencesIn = (value: JsonObject): readonly Occurrence[] => {
    const changed = new Set(differences(value, defaults));
    return flags
      .filter(([, path]) => changed.has(path))
      .flatMap(([name, path]) => textsOf(valueAt(value, path)).map((text) => ({ name, text })));
  };
  const print = (value: T, values: Readonly<Record<string, FlagValue>>) => {
    // An empty flag stands for the default of its field.
    const given = flags.filter(([name]) => values[name] !== undefined && values[name] !== "");
    const changed = given.reduce<JsonObject>((all, [name, path]) => withValueAt(all, path, values[name]), value);
    // What a start would make of it: zero may stand for a default.
    const read = readDocument(of.printFields(changed));
    const again = read.ok ? of.decode(read.document) : undefined;
    const whole = again?.ok === true ? (of.from(again.document) ?? value) : value;
    return { text: of.print(whole), occurrences: occurrencesIn(whole) };
  };

  return {
    read(texts: readonly string[]) {
      const read = texts.length === 0 ? nothing : readConfigurations(texts.join("\n---\n"), [of]);
      if (!read.ok) return read;
      const value = read.documents.map(of.from)[0] ?? defaults;
      const known = new Set([...Object.values(fields), ...Object.keys(impossible)]);
      const isActedOn = (path: string): boolean =>
        known.has(path) || others.some((other) => path === other || path.startsWith(`${other}.`));
      const idle = differences(value, defaults).filter((path) => !isActedOn(path));
      return {
        ok: true as const,
        component: {
          flags: new Set(Object.keys(fields)),
          occurrences: occurrencesIn(value),
          notes: [
            ...read.warnings,
            ...impossibleIn(texts, impossible).map((note) => `${of.kind}: ${note}`),
            ...(idle.length === 0 ? [] : [`${of.kind}: read, not acted on yet: ${idle.join(", ")}`]),
          ],
          print: (values: Readonly<Record<string, FlagValue>>) => print(value, values),
        },
      };
    },
  };
}

/** By what stands in the documents themselves: a default is nobody's wish. */
function impossibleIn(texts: readonly string[], notes: Readonly<Record<string, string>>): readonly string[] {
  const fields = texts.flatMap(splitDocuments).flatMap((text) => {
    const read = readDocument(text);
    return read.ok ? [read.document.fields] : [];
  });
  return Object.entries(notes)
    .filter(([path]) => fields.some((each) => valueAt(each, path) === true))
    .map(([path, note]) => `${path} is not acted on: ${note}`);
}

const nothing = { ok: true, documents: [], warnings: [] } as const;

/** What would stand on the command line, an item for each occurrence. */
const textsOf = (value: unknown): readonly string[] =>
  Array.isArray(value) ? value.map(String) : value === undefined ? [] : [String(value)];
