import { enoughErrors } from "@orch/status/errors-of-each.js";
import { type FieldError, fieldError } from "@orch/status/field-error.js";
import { showValue } from "@orch/status/show-value.js";
import { isObject, type JsonObject, type JsonType, type ListType, type Rules, type Type } from "../descriptor.js";
import { equalJson, jsonKey } from "../equal.js";
import type { Integer64 } from "../integer64.js";
import { type Path, pathText } from "../path.js";
import { keyText } from "./check-lists.js";
import { memberType } from "./members.js";
import { isOfFormat } from "./text-formats.js";

export interface CheckOptions {
  /** The path of the value; `""` for a whole object. */
  readonly root: string;
  /** The value before, where there was one: what has not changed is not told again (ratcheting). */
  readonly old?: unknown;
}

/**
 * Everything that keeps a value from being of its schema, in the reference's order and words. The rules of the expression
 * language are not looked at.
 */
export function checkValue(type: Type, value: unknown, { root, old }: CheckOptions): readonly FieldError[] {
  const walk: Walk = { root, errors: [], narrowing: false, state: { left: maxSteps, matches: 0 } };
  check(walk, type, { value, old, at: undefined });
  if (walk.state.left < 0)
    return [fieldError.forbidden(rootName(walk), "takes too long to be held against its schema")];
  return walk.errors;
}

/** Values that are held against narrowings: a thousand alternatives may each be for every item of a great list. */
const maxSteps = 1_000_000;

interface Walk {
  readonly root: string;
  readonly errors: FieldError[];
  readonly narrowing: boolean;
  readonly state: {
    /** What of {@link maxSteps} is left, of the whole walk. */
    left: number;
    /** Checks that were made: of alternatives that all fail, the one with the most is told. */
    matches: number;
  };
}

/** A value where it stands, and the one that stood there; undefined where none did or which one is not known. */
interface Place {
  readonly value: unknown;
  readonly old: unknown;
  readonly at: Path | undefined;
}

/** What the reference calls the place of an error that has none. */
const noPlace = "<nil>";

function rootName({ root }: Walk): string {
  return root === "" ? noPlace : root;
}

/** A value's name in sentences: below the root a map's value begins with a dot. */
function nameOf(at: Path | undefined): string {
  return at === undefined ? "" : pathText(at);
}

function fieldOf(walk: Walk, at: Path | undefined): string {
  const name = nameOf(at);
  const plain = name.startsWith(".") ? name.slice(1) : name;
  if (plain === "") return rootName(walk);
  if (walk.root === "") return plain;
  return plain.startsWith("[") ? walk.root + plain : `${walk.root}.${plain}`;
}

function wrong(walk: Walk, { at }: Place, value: unknown, must: string): void {
  walk.errors.push(fieldError.invalid(fieldOf(walk, at), value, `${nameOf(at)} in body ${must}`));
}

function check(walk: Walk, type: Type, place: Place): void {
  const { rules } = type;
  const { state, errors } = walk;
  if (rules === undefined || errors.length >= enoughErrors) return;
  // Without narrowings each value is looked at once.
  if (walk.narrowing && state.left-- <= 0) return;
  const before = errors.length;
  checkRules(walk, type, rules, place);
  // What is as it was may be wrong: only then are they compared.
  if (errors.length > before && place.old !== undefined && equalJson(place.value, place.old)) errors.length = before;
}

function checkRules(walk: Walk, type: Type, rules: Rules, place: Place): void {
  const { value } = place;
  const { state } = walk;
  checkType(walk, rules, place);
  if (value !== null) {
    checkJunctions(walk, rules, place);
    if (typeof value === "string") checkText(walk, rules, value, place);
    else if (typeof value === "number" || typeof value === "bigint") checkNumber(walk, rules, value, place);
    else if (Array.isArray(value)) checkList(walk, type, value, place);
  }
  if (rules.members !== undefined && !rules.members.keys.has(jsonKey(value))) {
    walk.errors.push(fieldError.notSupported(fieldOf(walk, place.at), value ?? "null", rules.members.shown));
  }
  if (isObject(value)) checkObject(walk, type, value, place);
  // One for the common checks, one for the schema.
  state.matches += 2;
}

function typeOf(value: unknown): JsonType {
  if (value === null) return "null";
  if (Array.isArray(value)) return "array";
  switch (typeof value) {
    case "bigint":
      return "integer";
    case "number":
      // A whole number of more than 53 bits that is no bigint is beyond 64 bits, or was written as a float.
      return Number.isSafeInteger(value) ? "integer" : "number";
    case "string":
    case "boolean":
      return typeof value === "string" ? "string" : "boolean";
    default:
      return "object";
  }
}

/** Formats of numbers, as the reference infers them from a value. */
const inferred: Readonly<Partial<Record<JsonType, string>>> = { integer: "int64", number: "float64" };

function checkType(walk: Walk, rules: Rules, place: Place): void {
  const { types, format, schema } = rules;
  if (types.length === 0 && format === undefined) return;
  walk.state.matches += 2;
  const { value } = place;
  const found = typeOf(value);
  if (value === null) {
    if (types.length > 0 && schema.nullable !== true) mismatch(walk, place, types.join(","), found);
    return;
  }
  const fits = types.includes(found) || (found === "integer" && types.includes("number"));
  if (format !== undefined) {
    const isText = found === "string" || found === "array";
    if (!isText && !fits) {
      mismatch(walk, place, schema.format ?? "", inferred[found] ?? "");
      return;
    }
    // A list passes where a text of a format is wanted, as in the reference.
    if (isText && !types.includes("number") && !types.includes("integer")) return;
  }
  if (!fits && types.length > 0) mismatch(walk, place, types.join(","), found);
}

function mismatch(walk: Walk, { at }: Place, expected: string, found: string): void {
  const detail = `${nameOf(at)} in body must be of type ${expected}: ${JSON.stringify(found)}`;
  walk.errors.push(fieldError.typeInvalid(fieldOf(walk, at), found, detail));
}

/** The first thing that is wrong with a text, then its format. */
function checkText(walk: Walk, { schema, pattern, format }: Rules, value: string, place: Place): void {
  const { maxLength, minLength } = schema;
  walk.state.matches += format === undefined ? 1 : 2;
  if (maxLength !== undefined && value.length > maxLength && lengthOf(value) > maxLength) {
    walk.errors.push(fieldError.tooLong(fieldOf(walk, place.at), maxLength));
  } else if (minLength !== undefined && lengthOf(value) < minLength) {
    wrong(walk, place, value, `should be at least ${minLength} chars long`);
  } else if (pattern !== undefined && !pattern.test(value)) {
    const problem = pattern.problem();
    const unusable = problem === undefined ? "" : `, but pattern is invalid: ${problem}`;
    wrong(walk, place, value, `should match '${schema.pattern}${unusable}'`);
  }
  if (format !== undefined && !isOfFormat(format, value)) {
    const detail = `${nameOf(place.at)} in body must be of type ${schema.format}: ${showValue(value)}`;
    walk.errors.push(fieldError.typeInvalid(fieldOf(walk, place.at), value, detail));
  }
}

/** Characters, not the halves that the language makes of some. */
function lengthOf(text: string): number {
  let length = text.length;
  for (let i = 0; i < text.length; i++) {
    if ((text.codePointAt(i) ?? 0) > 0xffff) {
      length--;
      i++;
    }
  }
  return length;
}

function checkNumber(walk: Walk, { schema }: Rules, value: Integer64, place: Place): void {
  const { maximum, exclusiveMaximum = false, minimum, exclusiveMinimum = false, multipleOf } = schema;
  walk.state.matches++;
  if (multipleOf !== undefined) checkMultiple(walk, value, multipleOf, place);
  const [most, least] = [boundOf(value, maximum), boundOf(value, minimum)];
  if (most !== undefined && (exclusiveMaximum ? value >= most : value > most)) {
    wrong(walk, place, value, `should be less than ${exclusiveMaximum ? "" : "or equal to "}${most}`);
  }
  if (least !== undefined && (exclusiveMinimum ? value <= least : value < least)) {
    wrong(walk, place, value, `should be greater than ${exclusiveMinimum ? "" : "or equal to "}${least}`);
  }
}

/** Whole numbers are held against the whole part of a bound, as in the reference: 0 is not less than 0.5. */
function boundOf(value: Integer64, bound: number | undefined): number | undefined {
  const isWhole = typeof value === "bigint" || Number.isSafeInteger(value);
  return bound !== undefined && isWhole ? Math.trunc(bound) : bound;
}

/** Whole numbers are held against the whole part of the factor, as in the reference: none is a multiple of 0.5. */
function checkMultiple(walk: Walk, value: Integer64, multipleOf: number, place: Place): void {
  const isWhole = typeof value === "bigint" || Number.isInteger(value);
  const factor = isWhole ? Math.trunc(multipleOf) : multipleOf;
  if (factor <= 0) {
    const detail = `factor MultipleOf declared for ${nameOf(place.at)} must be positive: ${factor}`;
    walk.errors.push(fieldError.invalid(fieldOf(walk, place.at), factor, detail));
  } else if (!isMultiple(value, factor)) wrong(walk, place, value, `should be a multiple of ${factor}`);
}

const precision = 1e-9;

function isMultiple(value: Integer64, of: number): boolean {
  if (typeof value === "bigint") return value % BigInt(of) === 0n;
  if (Number.isInteger(of) && Number.isInteger(value)) return value % of === 0;
  const times = value / of;
  const whole = Math.round(times);
  return times === whole || Math.abs(times - whole) / (Math.abs(times) + Math.abs(whole)) < precision;
}

function checkList(walk: Walk, type: Type, list: readonly unknown[], place: Place): void {
  walk.state.matches += 2;
  const form = type.kind === "any" ? type.forms?.list : type.kind === "list" ? type : undefined;
  if (form !== undefined) checkItems(walk, form, list, place);
  const { maxItems, minItems, uniqueItems } = type.rules?.schema ?? {};
  if (minItems !== undefined && list.length < minItems) {
    wrong(walk, place, list.length, `should have at least ${minItems} items`);
  }
  if (maxItems !== undefined && list.length > maxItems) {
    walk.errors.push(fieldError.tooMany(fieldOf(walk, place.at), list.length, maxItems));
  }
  if (uniqueItems === true && new Set(list.map(jsonKey)).size < list.length) {
    wrong(walk, place, "", "shouldn't contain duplicates");
  }
}

function checkItems(walk: Walk, form: ListType, list: readonly unknown[], { old, at }: Place): void {
  const { item, keys, listType } = form;
  if (item.rules === undefined) return;
  const { errors, state } = walk;
  let before: ReadonlyMap<string, unknown> | undefined;
  for (let i = 0; i < list.length; i++) {
    const place = { value: list[i], old: undefined, at: { up: at, step: i } };
    const [count, matches] = [errors.length, state.matches];
    check(walk, item, place);
    if (errors.length === count || listType !== "map" || !Array.isArray(old)) continue;
    // Only now is it worth to look for what it was.
    before ??= byKeys(keys, old);
    errors.length = count;
    state.matches = matches;
    check(walk, item, { ...place, old: before.get(keyText(keys, list[i])) });
  }
}

/** Only the items of a map list are told apart: those of others are compared as a whole. */
function byKeys(keys: readonly string[], list: readonly unknown[]): ReadonlyMap<string, unknown> {
  return new Map(list.map((item) => [keyText(keys, item), item]));
}

function checkObject(walk: Walk, type: Type, object: JsonObject, place: Place): void {
  const { old, at } = place;
  const { maxProperties, minProperties, required = [] } = type.rules?.schema ?? {};
  const names = Object.keys(object);
  walk.state.matches++;
  if (minProperties !== undefined && names.length < minProperties) {
    wrong(walk, place, names.length, `should have at least ${minProperties} properties`);
  }
  if (maxProperties !== undefined && names.length > maxProperties) {
    walk.errors.push(fieldError.tooMany(fieldOf(walk, at), names.length, maxProperties));
  }
  const before = isObject(old) ? old : undefined;
  for (const name of names) {
    const member = memberType(type, name);
    if (member?.type.rules === undefined) continue;
    const step = at === undefined && !member.named ? `.${name}` : name;
    const was = before !== undefined && Object.hasOwn(before, name) ? before[name] : undefined;
    check(walk, member.type, { value: object[name], old: was, at: { up: at, step } });
  }
  for (const name of required) {
    if (!Object.hasOwn(object, name)) walk.errors.push(fieldError.required(fieldOf(walk, { up: at, step: name })));
  }
}

function checkJunctions(walk: Walk, rules: Rules, place: Place): void {
  const { allOf, anyOf, oneOf, not } = rules;
  walk.state.matches += 2;
  if (anyOf.length > 0) checkAny(walk, anyOf, place);
  if (oneOf.length > 0) checkOne(walk, oneOf, place);
  if (allOf.length > 0) checkAll(walk, allOf, place);
  if (not !== undefined && tried(walk, not, place).errors.length === 0) {
    broken(walk, place, "must not validate the schema (not)");
  }
}

interface Tried {
  readonly errors: readonly FieldError[];
  readonly matches: number;
}

/** A narrowing held against the value by itself. */
function tried(walk: Walk, narrowing: Type, place: Place): Tried {
  const inner: Walk = { root: walk.root, errors: [], narrowing: true, state: walk.state };
  const { matches } = walk.state;
  walk.state.matches = 0;
  check(inner, narrowing, place);
  const made = walk.state.matches;
  walk.state.matches = matches;
  return { errors: inner.errors, matches: made };
}

function broken(walk: Walk, { at }: Place, detail: string): void {
  walk.errors.push(fieldError.invalid(rootName(walk), "", `${JSON.stringify(nameOf(at))} ${detail}`));
}

function tell(walk: Walk, { errors, matches }: Tried): void {
  walk.errors.push(...errors);
  walk.state.matches += matches;
}

function checkAny(walk: Walk, anyOf: readonly Type[], place: Place): void {
  let best: Tried | undefined;
  for (const narrowing of anyOf) {
    const result = tried(walk, narrowing, place);
    if (result.errors.length === 0) {
      tell(walk, result);
      return;
    }
    if (best === undefined || result.matches > best.matches) best = result;
  }
  broken(walk, place, "must validate at least one schema (anyOf)");
  if (best !== undefined) tell(walk, best);
}

function checkOne(walk: Walk, oneOf: readonly Type[], place: Place): void {
  let best: Tried | undefined;
  let first: Tried | undefined;
  let valid = 0;
  for (const narrowing of oneOf) {
    const result = tried(walk, narrowing, place);
    if (result.errors.length === 0) {
      valid++;
      first ??= result;
    } else if (best === undefined || result.matches > best.matches) best = result;
  }
  if (valid === 1 && first !== undefined) {
    tell(walk, first);
    return;
  }
  const found = valid === 0 ? "none valid" : `${valid} valid alternatives`;
  broken(walk, place, `must validate one and only one schema (oneOf). Found ${found}`);
  if (valid === 0 && best !== undefined) tell(walk, best);
}

function checkAll(walk: Walk, allOf: readonly Type[], place: Place): void {
  const results = allOf.map((narrowing) => tried(walk, narrowing, place));
  for (const result of results) tell(walk, result);
  const valid = results.filter(({ errors }) => errors.length === 0).length;
  if (valid === allOf.length) return;
  broken(walk, place, `must validate all the schemas (allOf)${valid === 0 ? ". None validated" : ""}`);
}
