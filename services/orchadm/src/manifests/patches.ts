import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { loadTypes } from "@orch/api/catalog.js";
import { splitDocuments } from "@orch/codec/configuration-document.js";
import { parseYaml } from "@orch/codec/yaml/yaml.js";
import type { Naming } from "@orch/naming/naming.js";
import { applyJsonPatch, readJsonPatch } from "@orch/patch/json-patch.js";
import { applyMergePatch, readMergePatch } from "@orch/patch/merge-patch.js";
import { applyStrategicMergePatch, readStrategicMergePatch } from "@orch/patch/strategic/strategic-merge-patch.js";
import { isObject, type JsonObject } from "@orch/schema/descriptor.js";
import { messageOf } from "@orch/status/message-of.js";
import { type Component, unitName } from "../machine/paths.js";

/** Changes that a folder makes to manifests. */
export interface Patches {
  /** @throws Error for a patch that does not fit */
  apply(component: Component, pod: JsonObject): unknown;
}

export const noPatches: Patches = { apply: (_component, pod) => pod };

type PatchType = "strategic" | "merge" | "json";

interface Patch {
  readonly file: string;
  readonly target: string;
  readonly type: PatchType;
  readonly tree: unknown;
}

const fileName = /^([a-z0-9-]*?)([0-9]*)(?:\+(strategic|merge|json))?\.(?:json|yaml)$/;
const maxBytes = 1 << 20;

function filesOf(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch (error) {
    throw new Error(`the patches of ${JSON.stringify(folder)} cannot be read: ${messageOf(error)}`, { cause: error });
  }
}

/**
 * The patches of a folder: `TARGET[SUFFIX][+strategic|merge|json].yaml|json`, applied in the order of their names; the
 * target is a unit's name. Files of other names are told of.
 * @throws Error for a file that cannot be read
 */
export function readPatches(folder: string, naming: Naming, warn: (text: string) => void): Patches {
  const targets = (["etcd", "apiserver", "controller-manager", "scheduler", "agent"] as const).map((component) =>
    unitName(naming, component),
  );
  const patches = filesOf(folder)
    .sort()
    .flatMap((file) => {
      const named = targetOf(file, targets);
      if (named !== undefined) return readPatch(join(folder, file), { file, ...named });
      warn(
        `[patches] Ignoring the file ${JSON.stringify(file)}: its name is no TARGET[SUFFIX][+TYPE].EXTENSION, targets are ${targets.join(", ")}\n`,
      );
      return [];
    });
  return {
    apply: (component, pod) =>
      patches
        .filter(({ target }) => target === unitName(naming, component))
        .reduce<unknown>((tree, patch) => patched(tree, patch, naming), pod),
  };
}

/** The longest target with which a name begins; what follows it is a suffix that only orders. */
function targetOf(
  file: string,
  targets: readonly string[],
): { readonly target: string; readonly type: PatchType } | undefined {
  const [, base = "", , type = "strategic"] = fileName.exec(file) ?? [];
  const target = targets.filter((each) => base.startsWith(each)).sort((a, b) => b.length - a.length)[0];
  if (target === undefined || !isType(type)) return undefined;
  return { target, type };
}

const isType = (text: string): text is PatchType => ["strategic", "merge", "json"].includes(text);

function readPatch(path: string, { file, target, type }: Omit<Patch, "tree">): readonly Patch[] {
  const text = readFileSync(path, "utf8");
  if (text.length > maxBytes) throw new Error(`${path}: a patch has ${maxBytes} bytes at most`);
  return splitDocuments(text).map((document) => {
    const read = parseYaml(Buffer.from(document));
    if (!read.ok) throw new Error(`${path}: ${read.problem}`);
    return { file, target, type, tree: read.value };
  });
}

function patched(tree: unknown, patch: Patch, naming: Naming): unknown {
  try {
    if (patch.type === "json") return applyJsonPatch(tree, readJsonPatch(patch.tree));
    if (patch.type === "merge") return applyMergePatch(tree, readMergePatch(patch.tree));
    if (!isObject(tree)) return tree;
    const pod = loadTypes(naming, ["core.v1", "meta.v1"]).message("core/v1.Pod");
    if (pod === undefined) throw new Error("the catalog has no pods");
    return applyStrategicMergePatch(pod, tree, readStrategicMergePatch(patch.tree));
  } catch (error) {
    throw new Error(`could not apply the patch ${patch.file}: ${messageOf(error)}`, { cause: error });
  }
}
