import { behavior } from "../../../behavior.js";
import { withFamilies } from "./service-families.js";
import { isExternal, type Service, type ServiceSpec } from "./service-spec.js";
import { defaultModes, validateServiceStatus, withoutBalancer } from "./service-status.js";
import { updatedSpec, withAddressList } from "./service-update.js";
import { validateOwnAddresses, validateService, validateServiceUpdate } from "./service-validation.js";
import { serviceWarnings } from "./service-warnings.js";

const affinitySeconds = 10_800;

export const service = behavior<Service>((naming) => ({
  warnings: (object) => serviceWarnings(object, naming),
  setDefaults: (object) => defaultModes({ ...object, spec: defaultSpec(object.spec ?? {}) }),
  prepareForCreate: (object, { ipFamilies }) => ({
    ...object,
    spec: withFamilies(withAddressList(object.spec ?? {}), undefined, ipFamilies),
  }),
  prepareForUpdate: (object, old, { ipFamilies }) =>
    withoutBalancer({ ...object, spec: updatedSpec(object.spec ?? {}, old.spec ?? {}, ipFamilies) }),
  validateFirst: validateOwnAddresses,
  validate: (object) => validateService(object, naming),
  validateUpdate: (object, old) => validateServiceUpdate(object.spec ?? {}, old.spec ?? {}),
  parts: { status: { validate: validateServiceStatus } },
}));

function defaultSpec(given: ServiceSpec): ServiceSpec {
  const { sessionAffinityConfig: affinity, ...spec } = given;
  const byType = {
    ...(isExternal(spec) ? { externalTrafficPolicy: spec.externalTrafficPolicy ?? "Cluster" } : {}),
    ...(spec.type === "ExternalName" ? {} : { internalTrafficPolicy: spec.internalTrafficPolicy ?? "Cluster" }),
    ...(spec.type === "LoadBalancer"
      ? { allocateLoadBalancerNodePorts: spec.allocateLoadBalancerNodePorts ?? true }
      : {}),
  };
  const ports = spec.ports?.map((p) => (p.targetPort === undefined ? { ...p, targetPort: p.port ?? 0 } : p));
  const clientIP = { timeoutSeconds: affinity?.clientIP?.timeoutSeconds ?? affinitySeconds };
  return {
    ...spec,
    ...byType,
    ...(ports === undefined ? {} : { ports }),
    ...(spec.sessionAffinity === "ClientIP" ? { sessionAffinityConfig: { clientIP } } : {}),
  };
}
