import { isObject, type JsonObject } from "@orch/schema/descriptor.js";
import { graft } from "./grow.js";
import type { Subject } from "./kinds.js";
import type { Place } from "./places.js";
import { createOf } from "./requests.js";
import { type Group, nobody } from "./rows.js";

/** Texts of n characters that make a careless expression or parser begin again at each of them. */
export const longTexts: ReadonlyMap<string, (n: number) => string> = new Map([
  ["letters", (n) => "a".repeat(n)],
  ["labels", (n) => "a.".repeat(n / 2)],
  ["dashes", (n) => `a${"-".repeat(n)}`],
  ["segments", (n) => "/a".repeat(n / 2)],
  ["backsteps", (n) => "../".repeat(n / 3)],
  ["digits", (n) => "9".repeat(n)],
  ["fraction", (n) => `0.${"0".repeat(n)}1`],
  ["spaces", (n) => `a${" ".repeat(n)}b`],
  ["brackets", (n) => "['".repeat(n / 2)],
  ["parentheses", (n) => "(".repeat(n)],
  ["commas", (n) => "a=b,".repeat(n / 4)],
  ["colons", (n) => "::1,".repeat(n / 4)],
  ["references", (n) => "$(A)".repeat(n / 4)],
  ["quotes", (n) => `"${"\\".repeat(n)}`],
  ["lines", (n) => "\n".repeat(n)],
  ["certificate", (n) => Buffer.from(`-----BEGIN CERTIFICATE-----\n${"-".repeat(n)}`).toString("base64")],
]);

/** A field of text, with every long text. */
export function groupOfText(subject: Subject, place: Place): Group {
  const { name, object } = subject;
  const withText = (text: string): JsonObject => {
    const whole = graft(object, place.steps, () => text);
    return isObject(whole) ? whole : object;
  };
  return {
    name: `${name} ${place.path} text`,
    kind: name,
    live: nobody,
    rows: [...longTexts].map(([what, text]) => ({ name: what, ask: (n) => createOf(subject, withText(text(n))) })),
    bytes: (n) => n,
  };
}
