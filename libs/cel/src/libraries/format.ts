import {
  asPrefix,
  dns1035Label,
  dnsLabel,
  dnsSubdomain,
  labelValue,
  qualifiedName,
} from "@orch/schema/formats/names.js";
import { isDate } from "@orch/schema/formats/time.js";
import { t } from "../check/types.js";
import { exactly, scale } from "../cost/sizes.js";
import { ArrayList } from "../values/collections.js";
import { parseRequestUrl } from "../values/url.js";
import { type CelError, none, noSuchOverload, Opaque, Optional, type Value } from "../values/value.js";
import {
  argSize,
  global,
  type Library,
  type LibraryFunction,
  member,
  one,
  patternFactor,
  perUnit,
  stringFactor,
} from "./library.js";

interface Format {
  readonly name: string;
  readonly problems: (text: string) => readonly string[];
  /** The length of the reference's pattern, which is what costs count. */
  readonly patternSize: number;
}

class FormatValue extends Opaque {
  override readonly unhashable = true;
  constructor(
    readonly typeName: string,
    readonly format: Format,
  ) {
    super();
  }
  equals(other: Value): boolean | CelError {
    return other instanceof FormatValue ? this.format.name === other.format.name : noSuchOverload;
  }
}

const unless =
  (holds: (text: string) => boolean, problem: string) =>
  (text: string): readonly string[] =>
    holds(text) ? [] : [problem];

const uuid = /^[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}$/i;
const base64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=|[A-Za-z0-9+/]{4})$/;
const fullDate = /^[0-9]{4}-[0-9]{2}-[0-9]{2}$/;
const clock = /^([0-9]{2}):([0-9]{2}):([0-9]{2})(?:.[0-9]+)?(?:z|[+-][0-9]{2}:[0-9]{2})$/;

function isFullDate(text: string): boolean {
  if (!fullDate.test(text)) return false;
  const [year = 0, month = 0, day = 0] = text.split("-").map(Number);
  return isDate(year, month, day);
}

function isDateTime(text: string): boolean {
  const lower = text.toLowerCase();
  const mark = lower.indexOf("t");
  if (mark === -1 || !isFullDate(text.slice(0, mark))) return false;
  const match = clock.exec(lower.slice(mark + 1));
  return match !== null && Number(match[1]) <= 23 && Number(match[2]) <= 59 && Number(match[3]) <= 59;
}

const formats: Readonly<Record<string, Format>> = {
  dns1123Label: { name: "DNS1123Label", problems: dnsLabel, patternSize: 30 },
  dns1123Subdomain: { name: "DNS1123Subdomain", problems: dnsSubdomain, patternSize: 60 },
  dns1035Label: { name: "DNS1035Label", problems: dns1035Label, patternSize: 30 },
  qualifiedName: { name: "QualifiedName", problems: qualifiedName, patternSize: 60 },
  dns1123LabelPrefix: { name: "DNS1123LabelPrefix", problems: (x) => dnsLabel(asPrefix(x)), patternSize: 30 },
  dns1123SubdomainPrefix: {
    name: "DNS1123SubdomainPrefix",
    problems: (x) => dnsSubdomain(asPrefix(x)),
    patternSize: 60,
  },
  dns1035LabelPrefix: { name: "DNS1035LabelPrefix", problems: (x) => dns1035Label(asPrefix(x)), patternSize: 30 },
  labelValue: { name: "LabelValue", problems: labelValue, patternSize: 40 },
  uri: {
    name: "URI",
    problems: (x) => {
      const url = parseRequestUrl(x);
      return "problem" in url ? [url.problem] : [];
    },
    patternSize: 1103,
  },
  uuid: { name: "uuid", problems: unless((x) => uuid.test(x), "does not match the UUID format"), patternSize: 70 },
  byte: { name: "byte", problems: unless((x) => base64.test(x), "invalid base64"), patternSize: 84 },
  date: { name: "date", problems: unless(isFullDate, "invalid date"), patternSize: 71 },
  datetime: { name: "datetime", problems: unless(isDateTime, "invalid datetime"), patternSize: 71 },
};

/** What an estimate takes for the longest pattern, in units of its cost. */
const estimatedPattern = 128 * patternFactor;

export const formatName = (value: Value): string | undefined =>
  value instanceof FormatValue ? value.format.name : undefined;

export function format(domain: string): Library {
  const name = `${domain}.NamedFormat`;
  const type = t.struct(name);
  return {
    name: "format",
    since: 31,
    functions: [
      ...Object.entries(formats).map(
        ([word, known]): LibraryFunction => ({
          name: `format.${word}`,
          overloads: [{ ...global(`format.${word}`, [], type), run: () => new FormatValue(name, known) }],
        }),
      ),
      {
        name: "format.named",
        cost: one,
        estimate: () => ({ cost: exactly(1) }),
        overloads: [
          {
            ...global("format-named", [t.string], t.optional(type)),
            run: ([x = null]) => {
              const known = typeof x === "string" && Object.hasOwn(formats, x) ? formats[x] : undefined;
              return known === undefined ? none : new Optional(new FormatValue(name, known));
            },
          },
        ],
      },
      {
        name: "validate",
        cost: (args) => {
          const [x = null] = args;
          if (!(x instanceof FormatValue)) return 1;
          const size = x.format.patternSize;
          return perUnit(1 + argSize(args, 1), stringFactor) * perUnit(size, patternFactor);
        },
        estimate: ({ args: [x], sizeOf }) => x && { cost: scale(scale(sizeOf(x), stringFactor), estimatedPattern) },
        overloads: [
          {
            ...member("format-validate", [type, t.string], t.optional(t.list(t.string))),
            run: ([x = null, text = null]) => {
              if (!(x instanceof FormatValue) || typeof text !== "string") return noSuchOverload;
              const problems = x.format.problems(text);
              return problems.length === 0 ? none : new Optional(new ArrayList(problems));
            },
          },
        ],
      },
    ],
  };
}
