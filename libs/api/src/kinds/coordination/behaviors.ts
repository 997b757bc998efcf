import type { Behaviors } from "../../behavior.js";
import { lease } from "./lease.js";
import { leaseCandidate } from "./lease-candidate.js";

export const coordinationBehaviors: Behaviors = [
  ["coordination/v1.Lease", lease],
  ["coordination/v1alpha2.LeaseCandidate", leaseCandidate],
];
