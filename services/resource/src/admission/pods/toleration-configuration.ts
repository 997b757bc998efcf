import type { Toleration } from "@orch/api/kinds/core/pod/types.js";
import { rootTree, type Tree } from "@orch/auth/config/tree.js";
import type { Parsed } from "@orch/auth/parsed.js";
import type { Naming } from "@orch/naming/naming.js";
import { isObject } from "@orch/schema/descriptor.js";

export interface PodTolerationConfiguration {
  /** Given to pods of namespaces that do not say. */
  readonly default: readonly Toleration[];
  /** All that pods of such namespaces may have; anything where there are none. */
  readonly allowed: readonly Toleration[];
}

export const usualPodTolerations: PodTolerationConfiguration = { default: [], allowed: [] };

const fields = ["key", "operator", "value", "effect", "tolerationSeconds"] as const;

/** Reads the plugin's part of the admission configuration, decoded already. */
export function parsePodTolerationConfiguration(file: unknown, naming: Naming): Parsed<PodTolerationConfiguration> {
  if (file === undefined || file === null) return { ok: true, value: usualPodTolerations };
  const problems: string[] = [];
  const root = rootTree(file, ["apiVersion", "kind", "default", "whitelist"], (problem) => void problems.push(problem));
  const [apiVersion, kind] = [root.text("apiVersion"), root.text("kind")];
  if (kind !== "Configuration" || apiVersion !== `${naming.group("podtolerationrestriction.admission")}/v1alpha1`) {
    const problem = `no kind ${JSON.stringify(kind)} is registered for version ${JSON.stringify(apiVersion)}`;
    return { ok: false, problems: [...problems, problem] };
  }
  const read = (name: "default" | "whitelist"): readonly Toleration[] => root.objects(name, fields).map(readToleration);
  const value = { default: read("default"), allowed: read("whitelist") };
  return problems.length === 0 ? { ok: true, value } : { ok: false, problems };
}

function readToleration(tree: Tree<(typeof fields)[number]>): Toleration {
  const texts = (["key", "operator", "value", "effect"] as const).flatMap((name) => {
    const text = tree.text(name);
    return text === "" ? [] : [[name, text] as const];
  });
  const seconds = tree.integer("tolerationSeconds");
  return { ...Object.fromEntries(texts), ...(seconds === undefined ? {} : { tolerationSeconds: seconds }) };
}

/** A list of tolerations in the text of an annotation; undefined for what is none. */
export function tolerationsOf(list: unknown): readonly Toleration[] | undefined {
  if (!Array.isArray(list)) return undefined;
  const all = list.map(tolerationOf);
  const known = all.flatMap((one) => one ?? []);
  return known.length < all.length ? undefined : known;
}

function tolerationOf(value: unknown): Toleration | undefined {
  if (!isObject(value)) return undefined;
  const { tolerationSeconds: seconds, ...rest } = value;
  const given = fields.flatMap((name) => (typeof rest[name] === "string" ? [[name, rest[name]] as const] : []));
  if (given.length < fields.filter((name) => (rest[name] ?? undefined) !== undefined).length) return undefined;
  if (seconds !== undefined && seconds !== null && typeof seconds !== "number") return undefined;
  return { ...Object.fromEntries(given), ...(typeof seconds === "number" ? { tolerationSeconds: seconds } : {}) };
}
