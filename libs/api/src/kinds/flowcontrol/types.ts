import type { ApiObject } from "../../object.js";
import type { Condition } from "../shared/conditions.js";

export interface Subject {
  readonly kind?: string;
  readonly user?: { readonly name?: string };
  readonly group?: { readonly name?: string };
  readonly serviceAccount?: { readonly namespace?: string; readonly name?: string };
}

export interface ResourceRule {
  readonly verbs?: readonly string[];
  readonly apiGroups?: readonly string[];
  readonly resources?: readonly string[];
  readonly clusterScope?: boolean;
  readonly namespaces?: readonly string[];
}

export interface NonResourceRule {
  readonly verbs?: readonly string[];
  readonly nonResourceURLs?: readonly string[];
}

export interface PolicyRules {
  readonly subjects?: readonly Subject[];
  readonly resourceRules?: readonly ResourceRule[];
  readonly nonResourceRules?: readonly NonResourceRule[];
}

export interface FlowSchemaSpec {
  readonly priorityLevelConfiguration?: { readonly name?: string };
  readonly matchingPrecedence?: number;
  readonly distinguisherMethod?: { readonly type?: string };
  readonly rules?: readonly PolicyRules[];
}

interface Status {
  readonly conditions?: readonly Condition[];
}

export interface FlowSchema extends ApiObject {
  readonly spec?: FlowSchemaSpec;
  readonly status?: Status;
}

export interface Queuing {
  readonly queues?: number;
  readonly handSize?: number;
  readonly queueLengthLimit?: number;
}

export interface Limited {
  readonly nominalConcurrencyShares?: number;
  /** Its name before v1beta3. */
  readonly assuredConcurrencyShares?: number;
  readonly limitResponse?: { readonly type?: string; readonly queuing?: Queuing };
  readonly lendablePercent?: number;
  readonly borrowingLimitPercent?: number;
}

export interface Exempt {
  readonly nominalConcurrencyShares?: number;
  readonly lendablePercent?: number;
}

export interface LevelSpec {
  readonly type?: string;
  readonly limited?: Limited;
  readonly exempt?: Exempt;
}

export interface PriorityLevelConfiguration extends ApiObject {
  readonly spec?: LevelSpec;
  readonly status?: Status;
}
