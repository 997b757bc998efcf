import { t } from "../check/types.js";
import { scale } from "../cost/sizes.js";
import { ListValue, noSuchOverload } from "../values/value.js";
import { formatString } from "./formatting.js";
import {
  argSize,
  global,
  type Library,
  type LibraryFunction,
  member,
  perUnit,
  type Run,
  stringFactor,
  traversal,
} from "./library.js";
import { traversed, traversedEstimate } from "./lists.js";
import { joinEstimate, quoteEstimate, replaceEstimate, sameSize, splitEstimate } from "./string-estimates.js";
import {
  asciiCase,
  charAt,
  indexOf,
  join,
  joinCost,
  lastIndexOf,
  quote,
  replace,
  resultLimit,
  split,
  substring,
  trim,
} from "./string-functions.js";

const { int, string } = t;

const overText = (
  name: string,
  run: Run,
  overloads: readonly (readonly [id: string, args: readonly (typeof string)[], result?: typeof string])[],
): LibraryFunction => ({
  name,
  overloads: overloads.map(([id, args, result = string]) => ({ ...member(id, [string, ...args], result), run })),
});

const versionZero: readonly LibraryFunction[] = [
  overText("charAt", charAt, [["string_char_at_int", [int]]]),
  {
    ...overText("indexOf", indexOf, [
      ["string_index_of_string", [string], int],
      ["string_index_of_string_int", [string, int], int],
    ]),
    cost: traversed,
    estimate: traversedEstimate,
  },
  {
    ...overText("lastIndexOf", lastIndexOf, [
      ["string_last_index_of_string", [string], int],
      ["string_last_index_of_string_int", [string, int], int],
    ]),
    cost: traversed,
    estimate: traversedEstimate,
  },
  {
    ...overText("lowerAscii", asciiCase(65, 90, 32), [["string_lower_ascii", []]]),
    cost: traversal(0),
    estimate: sameSize,
  },
  {
    ...overText("upperAscii", asciiCase(97, 122, -32), [["string_upper_ascii", []]]),
    cost: traversal(0),
    estimate: sameSize,
  },
  {
    ...overText("replace", replace, [
      ["string_replace_string_string", [string, string]],
      ["string_replace_string_string_int", [string, string, int]],
    ]),
    cost: traversal(0, 2),
    estimate: replaceEstimate,
  },
  {
    ...overText("split", split, [
      ["string_split_string", [string], t.list(string)],
      ["string_split_string_int", [string, int], t.list(string)],
    ]),
    cost: traversal(0, 2),
    estimate: splitEstimate,
  },
  {
    ...overText("substring", substring, [
      ["string_substring_int", [int]],
      ["string_substring_int_int", [int, int]],
    ]),
    cost: traversal(0),
    estimate: sameSize,
  },
  { ...overText("trim", trim, [["string_trim", []]]), cost: traversal(0), estimate: sameSize },
  {
    name: "join",
    cost: joinCost,
    estimate: joinEstimate,
    overloads: [
      { ...member("list_join", [t.list(string)], string), run: join },
      { ...member("list_join_string", [t.list(string), string], string), run: join },
    ],
  },
];

const versionTwo: readonly LibraryFunction[] = [
  ...versionZero,
  {
    name: "format",
    early: true,
    overloads: [
      {
        ...member("string_format", [string, t.list(t.dyn)], string),
        cost: (args) => perUnit(argSize(args, 0), stringFactor),
        estimate: ({ target, lengthOf }) => target && { cost: scale(lengthOf(target), stringFactor) },
        run: ([x = null, args = null]) =>
          typeof x === "string" && args instanceof ListValue ? formatString(x, args, resultLimit) : noSuchOverload,
      },
    ],
  },
  {
    name: "strings.quote",
    overloads: [
      { ...global("strings_quote", [string], string), run: quote, cost: traversal(0), estimate: quoteEstimate },
    ],
  },
];

export const stringsZero: Library = { name: "strings", since: 23, until: 29, functions: versionZero };
export const stringsTwo: Library = { name: "strings", since: 29, functions: versionTwo };
