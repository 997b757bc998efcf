import type { Naming } from "@orch/naming/naming.js";
import { fieldError } from "@orch/status/field-error.js";
import type { Parsed } from "../parsed.js";
import { rootTree, type Tree } from "./tree.js";

/** All versions of a kind have the same fields. */
const versions = ["v1", "v1beta1", "v1alpha1"];

export interface FileOptions<Name extends string> {
  readonly naming: Naming;
  readonly kind: string;
  /** Beside `apiVersion` and `kind`. */
  readonly fields: readonly Name[];
}

/**
 * Reads a file of the API server's configuration, decoded from YAML or JSON already (whoever decodes it refuses
 * fields that stand twice). Every problem is told; a file of another kind or version is read no further.
 */
export function readConfigurationFile<T, Name extends string>(
  file: unknown,
  { naming, kind, fields }: FileOptions<Name>,
  read: (root: Tree<Name>) => T,
): Parsed<T> {
  const problems: string[] = [];
  const root = rootTree(file, ["apiVersion", "kind", ...fields], (problem) => void problems.push(problem));
  const known = versions.map((version) => `${naming.group("apiserver.config")}/${version}`);
  const before = problems.length;
  readWord(root, "apiVersion", known);
  readWord(root, "kind", [kind]);
  if (problems.length > before) return { ok: false, problems };
  const value = read(root);
  return problems.length === 0 ? { ok: true, value } : { ok: false, problems };
}

export function oneOf<const Word extends string>(known: readonly Word[], text: string): Word | undefined {
  return known.find((each) => each === text);
}

/** The one of some words that a field must have; what else it has is refused. */
export function readWord<const Word extends string, Name extends string>(
  tree: Tree<Name>,
  name: NoInfer<Name>,
  known: readonly Word[],
): Word | undefined {
  const text = tree.text(name);
  const word = oneOf(known, text);
  if (text === "") tree.refuse(fieldError.required(tree.pathOf(name)));
  else if (word === undefined) tree.refuse(fieldError.notSupported(tree.pathOf(name), text, known));
  return word;
}
