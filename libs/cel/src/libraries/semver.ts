import { quoted } from "@orch/status/quoted.js";
import { t } from "../check/types.js";
import { CelError, noNative, noSuchOverload, Opaque, type Value } from "../values/value.js";
import { global, type Library, member, one, type Run } from "./library.js";

interface Version {
  readonly numbers: readonly [major: bigint, minor: bigint, patch: bigint];
  /** What is all digits is a number. */
  readonly prerelease: readonly (bigint | string)[];
}

class Semver extends Opaque {
  override readonly unhashable = true;
  constructor(
    readonly typeName: string,
    readonly version: Version,
    readonly text: string,
  ) {
    super();
  }
  equals(other: Value): boolean | CelError {
    return other instanceof Semver ? compareVersions(this.version, other.version) === 0 : noSuchOverload;
  }
  override untyped(): Value {
    return noNative("semver.Version", this.text);
  }
}

const isDigits = (text: string): boolean => {
  for (let i = 0; i < text.length; i++) if (text.charCodeAt(i) < 48 || text.charCodeAt(i) > 57) return false;
  return text !== "";
};

const isWord = (text: string): boolean => {
  for (let i = 0; i < text.length; i++) {
    const c = text.charCodeAt(i);
    const letter = (c >= 65 && c <= 90) || (c >= 97 && c <= 122);
    if (!letter && !(c >= 48 && c <= 57) && c !== 45) return false;
  }
  return true;
};

/** A version of three numbers, a prerelease and build data, or the reference's message of what is wrong with it. */
export function parseVersion(text: string): Version | CelError {
  if (text === "") return new CelError("Version string empty");
  const first = text.indexOf(".");
  const second = first === -1 ? -1 : text.indexOf(".", first + 1);
  if (second === -1) return new CelError("No Major.Minor.Patch elements found");
  const rest = text.slice(second + 1);
  const plus = rest.indexOf("+");
  const build = plus === -1 ? undefined : rest.slice(plus + 1);
  const core = plus === -1 ? rest : rest.slice(0, plus);
  const dash = core.indexOf("-");
  const parts = [
    text.slice(0, first),
    text.slice(first + 1, second),
    dash === -1 ? core : core.slice(0, dash),
  ] as const;
  const numbers: bigint[] = [];
  for (const [i, name] of (["Major", "Minor", "Patch"] as const).entries()) {
    const number = versionNumber(parts[i] ?? "", name);
    if (number instanceof CelError) return number;
    numbers.push(number);
  }
  const prerelease: (bigint | string)[] = [];
  for (const part of dash === -1 ? [] : core.slice(dash + 1).split(".")) {
    const known = prereleasePart(part);
    if (known instanceof CelError) return known;
    prerelease.push(known);
  }
  for (const part of build?.split(".") ?? []) {
    if (part === "") return new CelError("Build meta data is empty");
    if (!isWord(part)) return new CelError(`Invalid character(s) found in build meta data ${quoted(part)}`);
  }
  const [major = 0n, minor = 0n, patch = 0n] = numbers;
  return { numbers: [major, minor, patch], prerelease };
}

function versionNumber(text: string, name: string): bigint | CelError {
  if (!isDigits(text) && text !== "") {
    return new CelError(`Invalid character(s) found in ${name.toLowerCase()} number ${quoted(text)}`);
  }
  if (text.length > 1 && text[0] === "0") {
    return new CelError(`${name} number must not contain leading zeroes ${quoted(text)}`);
  }
  return unsigned(text);
}

function unsigned(text: string): bigint | CelError {
  if (text === "") return new CelError(`strconv.ParseUint: parsing "": invalid syntax`);
  const value = text.length > 20 ? undefined : BigInt(text);
  if (value !== undefined && value < 2n ** 64n) return value;
  return new CelError(`strconv.ParseUint: parsing ${quoted(text)}: value out of range`);
}

function prereleasePart(text: string): bigint | string | CelError {
  if (text === "") return new CelError("Prerelease is empty");
  if (isDigits(text)) {
    if (text.length === 1 || text[0] !== "0") return unsigned(text);
    return new CelError(`Numeric PreRelease version must not contain leading zeroes ${quoted(text)}`);
  }
  return isWord(text) ? text : new CelError(`Invalid character(s) found in prerelease ${quoted(text)}`);
}

function compareVersions(a: Version, b: Version): number {
  for (const [i, x] of a.numbers.entries()) {
    const y = b.numbers[i] ?? 0n;
    if (x !== y) return x < y ? -1 : 1;
  }
  if (a.prerelease.length === 0 || b.prerelease.length === 0) {
    return Math.sign(b.prerelease.length - a.prerelease.length);
  }
  for (const [i, x] of a.prerelease.entries()) {
    const y = b.prerelease[i];
    if (y === undefined) return 1;
    const order = comparePrerelease(x, y);
    if (order !== 0) return order;
  }
  return Math.sign(a.prerelease.length - b.prerelease.length);
}

/** Numbers come before words. */
function comparePrerelease(x: bigint | string, y: bigint | string): number {
  if (typeof x !== typeof y) return typeof x === "bigint" ? -1 : 1;
  return x < y ? -1 : x > y ? 1 : 0;
}

/** The value of a version's text. */
export function semverOf(domain: string, text: string): Value {
  const version = parseVersion(text);
  return version instanceof CelError ? version : new Semver(`${domain}.Semver`, version, text);
}

export function semver(domain: string): Library {
  const type = t.struct(`${domain}.Semver`);
  const number =
    (index: 0 | 1 | 2): Run =>
    ([x = null]) => {
      const value = x instanceof Semver ? x.version.numbers[index] : undefined;
      if (value === undefined) return noSuchOverload;
      return value <= 9007199254740991n ? Number(value) : BigInt.asIntN(64, value);
    };
  const comparing =
    (read: (order: number) => Value): Run =>
    ([x = null, y = null]) =>
      x instanceof Semver && y instanceof Semver ? read(compareVersions(x.version, y.version)) : noSuchOverload;
  const { bool, int, string } = t;
  return {
    name: "semver",
    since: 31,
    functions: [
      {
        name: "semver",
        overloads: [
          {
            ...global("string_to_semver", [string], type),
            run: ([x = null]) => (typeof x === "string" ? semverOf(domain, x) : noSuchOverload),
          },
        ],
      },
      {
        name: "isSemver",
        overloads: [
          {
            ...global("is_semver_string", [string], bool),
            run: ([x = null]) => (typeof x === "string" ? !(parseVersion(x) instanceof CelError) : noSuchOverload),
          },
        ],
      },
      ...(
        [
          ["major", 0],
          ["minor", 1],
          ["patch", 2],
        ] as const
      ).map(([name, index]) => ({
        name,
        overloads: [{ ...member(`semver_${name}`, [type], int), run: number(index) }],
      })),
      {
        name: "isGreaterThan",
        cost: one,
        overloads: [{ ...member("semver_is_greater_than", [type, type], bool), run: comparing((order) => order > 0) }],
      },
      {
        name: "isLessThan",
        cost: one,
        overloads: [{ ...member("semver_is_less_than", [type, type], bool), run: comparing((order) => order < 0) }],
      },
      {
        name: "compareTo",
        cost: one,
        overloads: [{ ...member("semver_compare_to", [type, type], int), run: comparing((order) => order) }],
      },
    ],
  };
}

export function semverText(value: Value): string | undefined {
  return value instanceof Semver ? value.text : undefined;
}
