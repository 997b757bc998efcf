import type { FieldSelectors } from "../data-file.js";
import { refuseLong, refuseMany, SelectorError } from "./labels.js";
import { shownSelector } from "./limits.js";

export interface FieldTerm {
  readonly field: string;
  readonly operator: "=" | "!=";
  readonly value: string;
}

/** Values by selectable field; what is not there is empty. */
export type Fields = Readonly<Record<string, string>>;

export interface FieldSelector {
  /** All must hold. */
  readonly terms: readonly FieldTerm[];
  /** Values that fields must have: `metadata.name=a` makes a watch one of a single object. */
  readonly exact: ReadonlyMap<string, string>;
  readonly everything: boolean;
  matches(fields: Fields): boolean;
}

/**
 * Reads the text of a `fieldSelector` parameter and checks its fields against those of the kind.
 * Throws {@link SelectorError}.
 */
export function parseFieldSelector(text: string, known: FieldSelectors): FieldSelector {
  const terms = parseFieldTerms(text).map((term) => ({ ...term, field: knownField(term.field, known) }));
  return {
    terms,
    exact: new Map(terms.filter((t) => t.operator === "=").map((t) => [t.field, t.value])),
    everything: terms.length === 0,
    matches: (fields) =>
      terms.every(({ field, operator, value }) => {
        const given = Object.hasOwn(fields, field) ? (fields[field] ?? "") : "";
        return (given === value) === (operator === "=");
      }),
  };
}

/** The terms of a `fieldSelector` parameter, whatever fields they name. Throws {@link SelectorError}. */
export function parseFieldTerms(text: string): readonly FieldTerm[] {
  refuseLong(text);
  const terms = splitTerms(text).filter((term) => term !== "");
  refuseMany(terms.length);
  return terms.map((term) => readTerm(term, text));
}

export function formatFieldSelector({ terms }: Pick<FieldSelector, "terms">): string {
  return terms.map((t) => `${t.field}${t.operator}${escapeValue(t.value)}`).join(",");
}

/** The fields that a kind can be selected by, metadata first. */
export function selectableNames(known: FieldSelectors): readonly string[] {
  return ["metadata.name", ...(known.strict ? [] : ["metadata.namespace"]), ...known.fields];
}

function knownField(field: string, known: FieldSelectors): string {
  const real = Object.hasOwn(known.aliases, field) ? known.aliases[field] : undefined;
  if (real !== undefined) return real;
  if (selectableNames(known).includes(field)) return field;
  const { unsupported } = known;
  if (unsupported !== undefined) {
    throw new SelectorError(unsupported.replace("{}", () => JSON.stringify(shownSelector(field))));
  }
  if (known.fields.length > 0 || known.strict)
    throw new SelectorError(`field label not supported: ${shownSelector(field)}`);
  throw new SelectorError(
    `${JSON.stringify(shownSelector(field))} is not a known field selector: only "metadata.name", "metadata.namespace"`,
  );
}

/** Cuts at commas that no backslash stands before. */
function splitTerms(text: string): readonly string[] {
  const terms: string[] = [];
  let start = 0;
  for (let i = 0; i < text.length; i++) {
    if (text[i] === "\\") i++;
    else if (text[i] === ",") {
      terms.push(text.slice(start, i));
      start = i + 1;
    }
  }
  return [...terms, text.slice(start)];
}

function readTerm(term: string, text: string): FieldTerm {
  const match = /!=|==?/.exec(term);
  if (match === null) {
    throw new SelectorError(`invalid selector: '${shownSelector(text)}'; can't understand '${shownSelector(term)}'`);
  }
  return {
    field: term.slice(0, match.index),
    operator: match[0] === "!=" ? "!=" : "=",
    value: unescapeValue(term.slice(match.index + match[0].length)),
  };
}

function escapeValue(value: string): string {
  return value.replace(/[\\,=]/g, "\\$&");
}

function unescapeValue(text: string): string {
  let value = "";
  for (let i = 0; i < text.length; i++) {
    const c = text[i] ?? "";
    if (c === "\\") {
      const next = text[++i] ?? "";
      if (next === "" || !"\\,=".includes(next)) {
        throw new SelectorError(`invalid field selector: invalid escape sequence: \\${next}`);
      }
      value += next;
    } else if (c === "," || c === "=") {
      throw new SelectorError(`invalid field selector: unescaped character in value: ${c.charCodeAt(0)}`);
    } else value += c;
  }
  return value;
}
