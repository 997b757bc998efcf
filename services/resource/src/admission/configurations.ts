import { parseWebhookAdmission } from "@orch/access/admission-control.js";
import type { Parsed } from "@orch/auth/parsed.js";
import type { Naming } from "@orch/naming/naming.js";
import {
  type EventRateLimitConfiguration,
  parseEventRateLimitConfiguration,
} from "./event-rate-limit/configuration.js";
import { type ImagePolicyConfiguration, parseImagePolicyConfiguration } from "./image-policy/configuration.js";
import {
  type PodSecurityConfiguration,
  parsePodSecurityConfiguration,
  usualPodSecurity,
} from "./pod-security/configuration.js";
import {
  type PodNodeSelectorConfiguration,
  parsePodNodeSelectorConfiguration,
  usualPodNodeSelector,
} from "./pods/node-selector-configuration.js";
import {
  type PodTolerationConfiguration,
  parsePodTolerationConfiguration,
  usualPodTolerations,
} from "./pods/toleration-configuration.js";
import {
  parseResourceQuotaConfiguration,
  type ResourceQuotaConfiguration,
  usualResourceQuota,
} from "./quota/configuration.js";

/** What the plugins' parts of the admission configuration say. Plain data, for a thread. */
export interface PluginConfigurations {
  readonly podSecurity: PodSecurityConfiguration;
  readonly resourceQuota: ResourceQuotaConfiguration;
  readonly podNodeSelector: PodNodeSelectorConfiguration;
  readonly podTolerations: PodTolerationConfiguration;
  readonly eventRateLimit: EventRateLimitConfiguration;
  /** Undefined where nobody is asked about images. */
  readonly imagePolicy: ImagePolicyConfiguration | undefined;
}

/** Where no file says otherwise. */
export const usualConfigurations: PluginConfigurations = {
  podSecurity: usualPodSecurity,
  resourceQuota: usualResourceQuota,
  podNodeSelector: usualPodNodeSelector,
  podTolerations: usualPodTolerations,
  eventRateLimit: { limits: [] },
  imagePolicy: undefined,
};

/** What holds where there is no file: a plugin that limits nothing without one must not seem to run. */
export function configurationsWithoutFile(runs: (plugin: string) => boolean): Parsed<PluginConfigurations> {
  const problems = [
    ...(runs("EventRateLimit") ? [initProblem("EventRateLimit", "limits: Invalid value: []: must not be empty")] : []),
    ...(runs("ImagePolicyWebhook") ? [initProblem("ImagePolicyWebhook", "no config specified")] : []),
  ];
  return problems.length === 0 ? { ok: true, value: usualConfigurations } : { ok: false, problems };
}

/**
 * Reads the parts of plugins that run, by the plugin's name and decoded already; every problem names it. Parts
 * of plugins that do not run are not looked at.
 */
export function parsePluginConfigurations(
  parts: ReadonlyMap<string, unknown>,
  { naming, runs }: { readonly naming: Naming; readonly runs: (plugin: string) => boolean },
): Parsed<PluginConfigurations> {
  const problems: string[] = [];
  const read = <T>(plugin: string, usual: T, parse: (part: unknown) => Parsed<T>): T => {
    if (!runs(plugin)) return usual;
    const parsed = parse(parts.get(plugin));
    if (parsed.ok) return parsed.value;
    problems.push(...parsed.problems.map((problem) => initProblem(plugin, problem)));
    return usual;
  };
  const usual = usualConfigurations;
  const value: PluginConfigurations = {
    podSecurity: read("PodSecurity", usual.podSecurity, (part) => parsePodSecurityConfiguration(part, naming)),
    resourceQuota: read("ResourceQuota", usual.resourceQuota, (part) => parseResourceQuotaConfiguration(part, naming)),
    podNodeSelector: read("PodNodeSelector", usual.podNodeSelector, parsePodNodeSelectorConfiguration),
    podTolerations: read("PodTolerationRestriction", usual.podTolerations, (part) =>
      parsePodTolerationConfiguration(part, naming),
    ),
    eventRateLimit: read("EventRateLimit", usual.eventRateLimit, (part) =>
      parseEventRateLimitConfiguration(part, naming),
    ),
    imagePolicy: read<ImagePolicyConfiguration | undefined>(
      "ImagePolicyWebhook",
      undefined,
      parseImagePolicyConfiguration,
    ),
  };
  // The service that asks webhooks reads the file that is named there.
  for (const plugin of ["MutatingAdmissionWebhook", "ValidatingAdmissionWebhook"]) {
    read(plugin, "", (part) => parseWebhookAdmission(part, naming));
  }
  return problems.length === 0 ? { ok: true, value } : { ok: false, problems };
}

function initProblem(plugin: string, problem: string): string {
  return `couldn't init admission plugin ${JSON.stringify(plugin)}: ${problem}`;
}
