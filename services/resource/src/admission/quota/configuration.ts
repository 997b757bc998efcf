import type { LimitedResource } from "@orch/api/quota/decide.js";
import { rootTree } from "@orch/auth/config/tree.js";
import type { Parsed } from "@orch/auth/parsed.js";
import type { Naming } from "@orch/naming/naming.js";
import { fieldError } from "@orch/status/field-error.js";

/** What nobody may have whom no quota allows it. */
export interface ResourceQuotaConfiguration {
  readonly limitedResources: readonly LimitedResource[];
}

export const usualResourceQuota: ResourceQuotaConfiguration = { limitedResources: [] };

const kindName = "ResourceQuotaConfiguration";
const resourceFields = ["apiGroup", "resource", "matchContains", "matchScopes"] as const;

/** Reads the plugin's part of the admission configuration, decoded already. */
export function parseResourceQuotaConfiguration(file: unknown, naming: Naming): Parsed<ResourceQuotaConfiguration> {
  if (file === undefined || file === null) return { ok: true, value: usualResourceQuota };
  const problems: string[] = [];
  const root = rootTree(file, ["apiVersion", "kind", "limitedResources"], (problem) => void problems.push(problem));
  const [apiVersion, kind] = [root.text("apiVersion"), root.text("kind")];
  // Older files name the kind by the plugin, in a group of its own.
  const known = [
    `${naming.group("apiserver.config")}/v1 ${kindName}`,
    ...["v1beta1", "v1alpha1"].map((version) => `${naming.group("resourcequota.admission")}/${version} Configuration`),
  ];
  if (!known.includes(`${apiVersion} ${kind}`)) {
    const problem = `no kind ${JSON.stringify(kind)} is registered for version ${JSON.stringify(apiVersion)}`;
    return { ok: false, problems: [...problems, problem] };
  }
  const limitedResources = root.objects("limitedResources", resourceFields).map((each): LimitedResource => {
    const resource = each.text("resource");
    if (resource === "") each.refuse(fieldError.required(each.pathOf("resource")));
    return {
      group: each.text("apiGroup"),
      resource,
      matchContains: each.texts("matchContains"),
      matchScopes: each.objects("matchScopes", ["scopeName", "operator", "values"]).map((scope) => ({
        scopeName: scope.text("scopeName"),
        operator: scope.text("operator"),
        values: scope.texts("values"),
      })),
    };
  });
  return problems.length === 0 ? { ok: true, value: { limitedResources } } : { ok: false, problems };
}
