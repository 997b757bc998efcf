import { type FieldError, fieldError } from "@orch/status/field-error.js";
import { durationMs } from "./scalars.js";

/**
 * A map of a configuration file, read field by field. What is wrong goes to one list; a getter that had something to
 * tell gives undefined, so that nobody tells of the same field twice. `null` is as good as absent.
 */
export interface Tree {
  /** "" where absent. */
  text(name: string): string | undefined;
  /** Milliseconds; 0 where absent. */
  duration(name: string): Duration | undefined;
  /** Undefined where absent, too: see `has`. */
  map(name: string): Tree | undefined;
  /** Empty where absent. */
  maps(name: string): readonly Tree[] | undefined;
  has(name: string): boolean;
  /** `authorizers[0].name` */
  pathOf(name: string): string;
  refuse(error: FieldError): void;
  /** Tells of every field that is none of these: a misspelt one must not be passed over in a file of permissions. */
  only(names: readonly string[]): void;
}

export interface Duration {
  readonly ms: number;
  /** As the file has it. */
  readonly text: string;
}

type Map = Readonly<Record<string, unknown>>;

const isMap = (value: unknown): value is Map => typeof value === "object" && value !== null && !Array.isArray(value);

/** The tree of a decoded file; undefined where it is no map. */
export function treeOf(value: unknown, problems: string[]): Tree | undefined {
  return isMap(value) ? createTree(value, "", problems) : undefined;
}

function createTree(map: Map, path: string, problems: string[]): Tree {
  const pathOf = (name: string): string => (path === "" ? name : `${path}.${name}`);
  const refuse = ({ field, message }: FieldError): void => void problems.push(`${field}: ${message}`);
  const fieldOf = (name: string): unknown => (Object.hasOwn(map, name) ? map[name] : undefined) ?? undefined;
  const wrong = (name: string, what: string, at = pathOf(name), value = fieldOf(name)): undefined => {
    refuse(fieldError.typeInvalid(at, value, `must be ${what}`));
    return undefined;
  };

  return {
    pathOf,
    refuse,
    has: (name) => fieldOf(name) !== undefined,
    text(name) {
      const value = fieldOf(name) ?? "";
      return typeof value === "string" ? value : wrong(name, "a string");
    },
    duration(name) {
      const text = fieldOf(name) ?? "0s";
      if (typeof text !== "string") return wrong(name, 'a duration: "5m"');
      const ms = durationMs(text);
      return ms === undefined ? wrong(name, 'a duration: "5m"') : { ms, text };
    },
    map(name) {
      const value = fieldOf(name);
      if (value === undefined) return undefined;
      return isMap(value) ? createTree(value, pathOf(name), problems) : wrong(name, "a map");
    },
    maps(name) {
      const value = fieldOf(name) ?? [];
      if (!Array.isArray(value)) return wrong(name, "a list");
      return value.flatMap((entry: unknown, i) => {
        const at = `${pathOf(name)}[${i}]`;
        return isMap(entry) ? [createTree(entry, at, problems)] : (wrong(name, "a map", at, entry) ?? []);
      });
    },
    only(names) {
      for (const name of Object.keys(map)) {
        if (!names.includes(name)) problems.push(`unknown field ${JSON.stringify(pathOf(name))}`);
      }
    },
  };
}
