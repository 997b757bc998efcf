import { familyOf, keepsPreference } from "@orch/api/kinds/core/service/service-families.js";
import { hasAddress, type ServiceSpec } from "@orch/api/kinds/core/service/service-spec.js";
import { type FieldError, fieldError } from "@orch/status/field-error.js";

/** What a service asks for that a cluster of these families does not have. The spec is prepared and valid. */
export function familyErrors(
  spec: ServiceSpec,
  old: ServiceSpec | undefined,
  families: readonly string[],
): readonly FieldError[] {
  if (!hasAddress(spec) || keepsPreference(spec, old)) return [];
  const { clusterIPs = [], ipFamilies = [], ipFamilyPolicy, selector = {} } = spec;
  const strange = clusterIPs.flatMap((text, i) => {
    const family = familyOf(text);
    if (i < ipFamilies.length || family === undefined || families.includes(family)) return [];
    return [fieldError.invalid(`spec.clusterIPs[${i}]`, clusterIPs, `${family} is not configured on this cluster`)];
  });
  // Endpoints that the server does not choose can be of any family.
  if (strange.length > 0 || (spec.clusterIP === "None" && Object.keys(selector).length === 0)) return strange;
  const dual = ipFamilyPolicy === "RequireDualStack" && families.length < 2;
  const policy = dual
    ? [
        fieldError.invalid(
          "spec.ipFamilyPolicy",
          ipFamilyPolicy,
          "this cluster is not configured for dual-stack services",
        ),
      ]
    : [];
  const missing = ipFamilies.flatMap((family, i) =>
    families.includes(family)
      ? []
      : [fieldError.invalid(`spec.ipFamilies[${i}]`, family, "not configured on this cluster")],
  );
  return [...policy, ...missing];
}
