import type { Naming } from "@orch/naming/naming.js";
import type { FieldError } from "@orch/status/field-error.js";
import { type Configuration, configuration } from "../configuration.js";
import { within } from "../rules.js";
import { duration, inside, int32, kind, struct, texts, type ValueOf } from "../shape.js";
import { checkCloudShared, checkGeneric, cloudSharedShape, genericShape } from "./generic.js";

export const cloudManagerShape = (naming: Naming) =>
  kind("CloudControllerManagerConfiguration", {
    Generic: inside(genericShape(naming, "cloud-controller-manager")),
    OrchCloudShared: inside(cloudSharedShape(naming.word("orch"))),
    NodeController: inside(struct("NodeControllerConfiguration", { ConcurrentNodeSyncs: int32(1) })),
    ServiceController: inside(struct("ServiceControllerConfiguration", { ConcurrentServiceSyncs: int32(1) })),
    NodeStatusUpdateFrequency: duration("5m0s"),
    Webhook: inside(struct("WebhookConfiguration", { Webhooks: texts() })),
  });

export type CloudManagerConfiguration = ValueOf<ReturnType<typeof cloudManagerShape>>;

export function cloudManagerConfiguration(naming: Naming): Configuration<CloudManagerConfiguration> {
  const spec = {
    kind: "CloudControllerManagerConfiguration",
    group: "cloudcontrollermanager.config",
    versions: [{ version: "v1alpha1" }],
    shape: cloudManagerShape(naming),
    check: ({
      Generic,
      OrchCloudShared,
      NodeController,
      ServiceController,
    }: CloudManagerConfiguration): readonly FieldError[] => [
      ...checkGeneric(Generic, "Generic"),
      ...checkCloudShared(OrchCloudShared, naming.configurationWord("OrchCloudShared")),
      ...within("NodeController.ConcurrentNodeSyncs", NodeController.ConcurrentNodeSyncs, {
        min: 1,
        says: "concurrent-node-syncs must be a positive number",
      }),
      ...within("ServiceController.ConcurrentServiceSyncs", ServiceController.ConcurrentServiceSyncs, {
        min: 1,
        says: `concurrent-service-syncs must be greater than 0, but got ${ServiceController.ConcurrentServiceSyncs}`,
      }),
    ],
  };
  return configuration(spec, naming);
}
