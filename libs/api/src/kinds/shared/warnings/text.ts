import type { Naming } from "@orch/naming/naming.js";
import { dnsLabel, dnsSubdomain } from "@orch/schema/formats/names.js";
import { nanoOf } from "@orch/schema/formats/quantity.js";

const longestQuote = 256;

/** A text of the object in a warning, not longer than anybody reads. */
export function quoted(text: string): string {
  return JSON.stringify(text.length > longestQuote ? text.slice(0, longestQuote) : text);
}

/** The product as its own warnings name it. */
export function productName({ dialect }: Naming): string {
  return dialect === "kubernetes" ? "Kubernetes" : dialect;
}

/** What becomes of a name that is used as the label of a host. */
export function* nameWarnings(name: string, use: string): Iterable<string> {
  const problems = dnsLabel(name);
  if (problems.length === 0) return;
  // A name of several labels: its dots are what is wrong with it.
  const dots = name.includes(".") && dnsSubdomain(name).length === 0;
  const told = dots ? [...(name.length > 63 ? problems.slice(0, 1) : []), "must not contain dots"] : problems;
  const why = "which can result in surprising behavior; a DNS label is recommended";
  yield `metadata.name: this is used in ${use}, ${why}: [${told.join(" ")}]`;
}

/** Of objects that make pods. */
export const podNamesUse = "Pod names and hostnames";

const milli = 1_000_000n;

/** Bytes come whole. */
export function* fractionWarnings(amount: string | undefined, at: string): Iterable<string> {
  if (amount === undefined) return;
  const nano = nanoOf(amount);
  if (((nano + milli - 1n) / milli) % 1000n === 0n) return;
  yield `${at}: fractional byte value ${quoted(amount)} is invalid, must be an integer`;
}

/** Comparisons of each with each others end here: warnings are not worth more work. */
export interface Budget {
  comparisons: number;
}
