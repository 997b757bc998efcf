import { readDocument, splitDocuments, unknownKind } from "@orch/codec/configuration-document.js";
import type { ConfigurationKind, Document, ReadOptions } from "./configuration.js";

export type ReadConfigurations =
  | { readonly ok: true; readonly documents: readonly Document[]; readonly warnings: readonly string[] }
  /** Each for a person, with the path of the field where one is to blame. */
  | { readonly ok: false; readonly problems: readonly string[] };

export interface FileOptions extends ReadOptions {
  /** Documents of kinds that are not expected are passed over with a warning. */
  readonly ignoresOthers?: boolean;
}

/**
 * Every document of a file, JSON or YAML, of the kinds that are expected, each at most once: decoded, defaulted, validated.
 * What is wrong with any of them is told at once.
 */
export function readConfigurations(
  text: string,
  expected: readonly ConfigurationKind[],
  options: FileOptions = {},
): ReadConfigurations {
  const documents: Document[] = [];
  const warnings: string[] = [];
  const problems: string[] = [];
  const seen = new Set<string>();
  const texts = splitDocuments(text);
  // The reader says what an empty file lacks.
  for (const each of texts.length === 0 ? [text] : texts) {
    const read = readDocument(each);
    if (!read.ok) {
      problems.push(read.problem);
      continue;
    }
    const { apiVersion, kind } = read.document;
    const known = expected.find((one) => one.kind === kind && one.apiVersions.includes(apiVersion));
    if (known === undefined) {
      const ignored = `Ignored configuration document with GroupVersionKind ${apiVersion}, Kind=${kind}`;
      if (options.ignoresOthers === true && !expected.some((one) => one.kind === kind)) warnings.push(ignored);
      else problems.push(refusalOf(read.document, expected) ?? unknownKind(read.document));
      continue;
    }
    if (seen.has(kind)) problems.push(`kind ${kind} duplicated`);
    seen.add(kind);
    const value = known.read(read.document, options);
    if (!value.ok) problems.push(...value.problems);
    else {
      documents.push(value.document);
      warnings.push(...value.warnings);
    }
  }
  return problems.length === 0 ? { ok: true, documents, warnings } : { ok: false, problems };
}

const refusalOf = (
  { kind, apiVersion }: Pick<Document, "kind" | "apiVersion">,
  expected: readonly ConfigurationKind[],
): string | undefined => expected.find((one) => one.kind === kind)?.refusalOf(apiVersion);
