import { durationMs } from "@orch/schema/formats/duration.js";
import { type FieldError, fieldError } from "@orch/status/field-error.js";
import { isJsonObject, memberOf } from "../json.js";

/**
 * An object of a configuration file, read field by field. What is of the wrong type or unknown becomes a problem and is
 * read as absent; nothing more is told of a field that could not be read. `null` is as good as absent.
 */
export interface Tree<Name extends string> {
  has(name: Name): boolean;
  /** "" where absent. */
  text(name: Name): string;
  /** Empty where absent. */
  texts(name: Name): readonly string[];
  /** False where absent. */
  flag(name: Name): boolean;
  /** Undefined where absent. */
  integer(name: Name): number | undefined;
  /** Of 0 ms where absent. */
  duration(name: Name): Duration;
  /** One without fields where absent. A field that is none of `fields` is a problem: a misspelt one would mean less. */
  object<Inner extends string>(name: Name, fields: readonly Inner[]): Tree<Inner>;
  /** None where absent; as {@link object}. */
  objects<Inner extends string>(name: Name, fields: readonly Inner[]): readonly Tree<Inner>[];
  /** `authorizers[0].name` */
  pathOf(name: Name): string;
  refuse(error: FieldError): void;
}

export interface Duration {
  readonly ms: number;
  /** As the file has it. */
  readonly text: string;
}

type Tell = (problem: string) => void;

/** The root of a decoded file. */
export function rootTree<Name extends string>(file: unknown, fields: readonly Name[], tell: Tell): Tree<Name> {
  if (file !== undefined && file !== null && !isJsonObject(file)) tell("the file: must be an object");
  return createTree(isJsonObject(file) ? file : {}, { path: "", fields, tell });
}

/** `jwt[0].issuer.url: Required value: URL is required`. */
export const problemText = ({ field, message }: FieldError): string => `${field}: ${message}`;

interface Place<Name extends string> {
  readonly path: string;
  readonly fields: readonly Name[];
  readonly tell: Tell;
}

function createTree<Name extends string>(
  object: Readonly<Record<string, unknown>>,
  { path, fields, tell }: Place<Name>,
): Tree<Name> {
  const pathOf = (name: string): string => (path === "" ? name : `${path}.${name}`);
  for (const name of Object.keys(object)) {
    if (!fields.some((field) => field === name)) tell(`unknown field ${JSON.stringify(pathOf(name))}`);
  }
  const unread = new Set<string>();
  const refuse = (error: FieldError): void => {
    if (!unread.has(error.field)) tell(problemText(error));
  };
  // The value is not shown: a key that stands where it does not belong must not reach the log.
  const wrong = (at: string, wanted: string): void => {
    if (!unread.has(at)) tell(`${at}: must be ${wanted}`);
    unread.add(at);
  };
  const fieldOf = (name: string): unknown => memberOf(object, name) ?? undefined;
  const textAt = (at: string, value: unknown): string => {
    if (typeof value === "string") return value;
    wrong(at, "a string");
    return "";
  };
  const objectAt = <Inner extends string>(at: string, value: unknown, inner: readonly Inner[]): Tree<Inner> => {
    if (isJsonObject(value)) return createTree(value, { path: at, fields: inner, tell });
    wrong(at, "an object");
    return createTree({}, { path: at, fields: inner, tell: () => {} });
  };
  const listOf = (name: string): readonly unknown[] => {
    const value = fieldOf(name) ?? [];
    if (Array.isArray(value)) return value;
    wrong(pathOf(name), "a list");
    return [];
  };

  return {
    pathOf,
    refuse,
    has: (name) => fieldOf(name) !== undefined,
    text: (name) => textAt(pathOf(name), fieldOf(name) ?? ""),
    texts: (name) => listOf(name).map((item, i) => textAt(`${pathOf(name)}[${i}]`, item)),
    flag(name) {
      const value = fieldOf(name) ?? false;
      if (typeof value === "boolean") return value;
      wrong(pathOf(name), "true or false");
      return false;
    },
    integer(name) {
      const value = fieldOf(name);
      if (value === undefined || (typeof value === "number" && Number.isSafeInteger(value))) return value;
      wrong(pathOf(name), "a whole number");
      return undefined;
    },
    duration(name) {
      const at = pathOf(name);
      const value = fieldOf(name) ?? "0s";
      const ms = typeof value === "string" ? durationMs(value) : undefined;
      if (typeof value === "string" && ms !== undefined) return { ms, text: value };
      if (typeof value === "string") refuse(fieldError.invalid(at, value, `must be ${aDuration}`));
      else wrong(at, aDuration);
      unread.add(at);
      return { ms: 0, text: "" };
    },
    object: (name, inner) => objectAt(pathOf(name), fieldOf(name) ?? {}, inner),
    objects: (name, inner) => listOf(name).map((item, i) => objectAt(`${pathOf(name)}[${i}]`, item, inner)),
  };
}

const aDuration = 'a duration: "5m"';
