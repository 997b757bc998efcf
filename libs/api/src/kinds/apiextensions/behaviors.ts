import type { Behaviors } from "../../behavior.js";
import { customResourceDefinition, customResourceDefinitionV1 } from "./definition.js";

export const apiextensionsBehaviors: Behaviors = [
  ["apiextensions/v1.CustomResourceDefinition", customResourceDefinitionV1],
  ["apiextensions/v1beta1.CustomResourceDefinition", customResourceDefinition],
];
