import { type ConfigurationDocument, strictProblem } from "@orch/codec/configuration-document.js";
import { printYaml } from "@orch/codec/yaml/yaml.js";
import type { Naming } from "@orch/naming/naming.js";
import { DecodeError, decode } from "@orch/schema/decode.js";
import { applyDefaults } from "@orch/schema/defaults.js";
import type { JsonObject, MessageType } from "@orch/schema/descriptor.js";
import type { FieldError } from "@orch/status/field-error.js";
import { renamedType, renamedValue } from "./dialect.js";
import { isTypeMeta, type Struct } from "./shape.js";

/** A version of a kind whose fields are not those of the hub. */
export interface OtherShape {
  readonly shape: Struct<unknown>;
  /** Of a decoded value, without defaults. */
  readonly toHub: (value: JsonObject) => JsonObject;
  /** Of a whole value; what the version has no field for is lost. */
  readonly fromHub: (value: JsonObject) => JsonObject;
}

export interface Version {
  readonly version: string;
  /** Absent: the hub's. */
  readonly other?: OtherShape;
}

/** A kind as data, its words those of the `orch` dialect, and the few functions that say what data cannot. */
export interface KindSpec<T> {
  readonly kind: string;
  /** Before the dialect's suffix: `orchscheduler.config`. */
  readonly group: string;
  /** The one that defaults are printed in comes first. */
  readonly versions: readonly Version[];
  /** Of the hub, in which values are defaulted, validated and handed out. */
  readonly shape: Struct<T>;
  /**
   * Decodes objects that have kinds of their own; `strict` takes what strict decoding refuses.
   * @throws DecodeError
   */
  readonly nested?: (value: JsonObject, strict: string[]) => JsonObject;
  /** Unknown and repeated fields are always warned of and passed over, as the reference does with this kind. */
  readonly lenient?: boolean;
  /** Defaults that depend on other fields. Twice is as once. */
  readonly fill?: (value: T) => T;
  /** What is said of a version that was read once; undefined: that nobody knows it. */
  readonly refusalOf?: (apiVersion: string) => string | undefined;
  /** What is wrong with a whole value, paths in the words of the dialect. */
  readonly check: (value: T) => readonly FieldError[];
}

/** A document of a kind that is known: decoded, whole and right. */
export interface Document {
  /** In the dialect. */
  readonly kind: string;
  readonly apiVersion: string;
  readonly value: JsonObject;
}

export type ReadValue =
  | { readonly ok: true; readonly document: Document; readonly warnings: readonly string[] }
  | { readonly ok: false; readonly problems: readonly string[] };

export interface ReadOptions {
  /** Unknown and repeated fields are warned of and passed over: the reference does so with some kinds. */
  readonly lenient?: boolean;
}

/** A kind of configuration in a dialect, as the reader of files sees it. */
export interface ConfigurationKind {
  readonly kind: string;
  /** The one that is printed comes first. */
  readonly apiVersions: readonly string[];
  /** What is said of a document of a version that was read once. */
  refusalOf(apiVersion: string): string | undefined;
  /** A document of this kind, decoded, whole and found to be right. */
  read(document: ConfigurationDocument, options?: ReadOptions): ReadValue;
}

export interface Configuration<T> extends ConfigurationKind {
  /** The type of a version's documents, in the words of the dialect. @throws Error for a version that it has not */
  typeOf(apiVersion: string): MessageType;
  /** What an empty document says. */
  defaults(): T;
  /** {@link read} without the rules. */
  decode(document: ConfigurationDocument, options?: ReadOptions): ReadValue;
  /** A value that was made otherwise than from a text, or changed since: with what it lacks. */
  fill(value: JsonObject): T;
  /** What is wrong with a whole value: `parallelism: Invalid value: 0: …`. */
  check(value: T): readonly string[];
  /** The value of a document, where it is of this kind. */
  from(document: Document): T | undefined;
  /** The file that gives this value; in the first version unless another is named. */
  print(value: T, apiVersion?: string): string;
  /** A file that says no more than these fields. */
  printFields(fields: JsonObject, apiVersion?: string): string;
}

export function configuration<T extends JsonObject>(spec: KindSpec<T>, naming: Naming): Configuration<T> {
  const word = naming.configurationWord;
  const kind = word(spec.kind);
  const group = naming.configurationGroup(spec.group);
  const hub = spec.shape.type;
  const versions = new Map(spec.versions.map((each) => [`${group}/${each.version}`, each]));
  const [preferred = ""] = versions.keys();
  const check = (value: T): readonly string[] => [
    ...new Set(spec.check(value).map(({ field, message }) => `${field}: ${message}`)),
  ];
  // The walk over the shape has made it so: `T` is read off the same members as the descriptor.
  const typed = (value: JsonObject): T => value as T;

  const filled = (value: JsonObject): JsonObject => {
    const whole = typed(applyDefaults(hub, value));
    return { ...(spec.fill === undefined ? whole : spec.fill(whole)) };
  };

  const shapeOf = (apiVersion: string): MessageType => {
    const version = versions.get(apiVersion);
    if (version === undefined) throw new Error(`${kind} has no version ${apiVersion}`);
    return (version.other?.shape ?? spec.shape).type;
  };

  function decoded({ apiVersion, fields, problems }: ConfigurationDocument, options: ReadOptions = {}): ReadValue {
    const other = versions.get(apiVersion)?.other;
    const type = shapeOf(apiVersion);
    const strict = [...problems];
    let value: JsonObject;
    try {
      const walked = decode(renamedType(type, word), fields);
      strict.push(...walked.unknown.map((path) => `unknown field ${JSON.stringify(path)}`));
      const plain = withoutTypeMeta(renamedValue(type, walked.value, { from: word, to: (name) => name }));
      const converted = other === undefined ? plain : other.toHub(plain);
      value = spec.nested === undefined ? converted : spec.nested(converted, strict);
    } catch (error) {
      if (error instanceof DecodeError) return { ok: false, problems: [error.message] };
      throw error;
    }
    if (strict.length > 0 && spec.lenient !== true && options.lenient !== true) {
      return { ok: false, problems: [strictProblem(strict)] };
    }
    const lenient = `Using lenient decoding as strict decoding failed: ${strictProblem(strict)}`;
    const document = { kind, apiVersion, value: filled(value) };
    return { ok: true, document, warnings: strict.length === 0 ? [] : [lenient] };
  }

  function read(document: ConfigurationDocument, options?: ReadOptions): ReadValue {
    const whole = decoded(document, options);
    const problems = whole.ok ? check(typed(whole.document.value)) : [];
    return problems.length === 0 ? whole : { ok: false, problems };
  }

  function printFields(fields: JsonObject, apiVersion = preferred): string {
    const other = versions.get(apiVersion)?.other;
    const shown = other === undefined ? fields : other.fromHub(fields);
    return printYaml({
      apiVersion,
      kind,
      ...renamedValue(shapeOf(apiVersion), shown, { from: (name) => name, to: word }),
    });
  }

  return {
    kind,
    apiVersions: [...versions.keys()],
    refusalOf: (apiVersion) => spec.refusalOf?.(apiVersion),
    typeOf: (apiVersion) => renamedType(shapeOf(apiVersion), word),
    defaults: () => typed(filled({})),
    decode: decoded,
    fill: (value) => typed(filled(value)),
    check,
    read,
    from: (document) => (document.kind === kind ? typed(document.value) : undefined),
    print: printFields,
    printFields,
  };
}

const withoutTypeMeta = (value: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(value).filter(([name]) => !isTypeMeta(name)));
