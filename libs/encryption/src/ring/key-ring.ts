import type { ResourceName } from "@orch/status/api-error.js";
import { parseGroupResource, showGroupResource } from "../configuration/group-resource.js";
import type { KeyProvider, KeySet } from "../key-set.js";
import type { PluginKeys } from "../plugin-keys.js";
import { type Chain, createChain } from "./chain.js";
import { identityStep } from "./identity-step.js";
import { createHeldV1Keys, type HeldV1Keys, kmsV1Step } from "./kms-v1-step.js";
import { createHeldKeys, type HeldKeys, kmsV2Step } from "./kms-v2-step.js";
import { localStep } from "./local-step.js";
import type { RingMetrics } from "./metrics.js";
import type { Step } from "./step.js";
import { createUnwrapping, type RingClock, type Unwrapping } from "./unwrapping.js";

/** The keys of a process, which seal and open the values of every resource. */
export interface KeyRing {
  /** How a resource's values are sealed and opened now. */
  chainOf(resource: ResourceName): Chain;
  /** From now on these keys count. Data keys that are at hand stay so. */
  use(keys: KeySet): void;
  /** Settles with the first keys. */
  readonly ready: Promise<void>;
  readonly isReady: boolean;
  /** Called when what is stored may be stale, or may be read that could not be. */
  onChange(run: (change: RingChange) => void): () => void;
  stop(): void;
}

export type RingChange = "other keys" | "a key is back";

export interface KeyRingDeps {
  readonly plugins: PluginKeys;
  readonly clock: RingClock;
  readonly metrics: RingMetrics;
}

export function createKeyRing(deps: KeyRingDeps): KeyRing {
  const { metrics } = deps;
  const listeners = new Set<(change: RingChange) => void>();
  const tell = (change: RingChange): void => {
    for (const run of listeners) run(change);
  };
  const plugins = createPlugins(deps, () => tell("a key is back"));
  let stepsOf: (resource: ResourceName) => readonly Step[] = () => [];
  let chains = new Map<string, Chain>();
  /** By the value that names a resource: most callers have one for each. */
  let known = new WeakMap<ResourceName, Chain>();
  let isReady = false;
  let settle = (): void => {};
  const ready = new Promise<void>((resolve) => {
    settle = resolve;
  });

  const chainNamed = (name: ResourceName): Chain => {
    const resource = showGroupResource(name);
    const made = chains.get(resource);
    if (made !== undefined) return made;
    const steps = stepsOf(name);
    const isNamed = steps.length > 0;
    const none = isNamed ? "no matching prefix found" : "identity transformer tried to read encrypted data";
    const chain = createChain(isNamed ? steps : [identityStep], { resource, metrics, none });
    chains.set(resource, chain);
    return chain;
  };

  return {
    ready,
    get isReady() {
      return isReady;
    },
    chainOf(name) {
      const chain = known.get(name) ?? chainNamed(name);
      known.set(name, chain);
      return chain;
    },
    use(keys) {
      stepsOf = compile(keys, (provider) => stepOf(provider, { ...deps, of: plugins.of }));
      chains = new Map();
      known = new WeakMap();
      isReady = true;
      settle();
      tell("other keys");
    },
    onChange(run) {
      listeners.add(run);
      return () => void listeners.delete(run);
    },
    stop: plugins.stop,
  };
}

/** Names first, then the wildcard of the group, then that of all; a name that two rules have has the providers of both. */
function compile(
  { rules }: KeySet,
  stepOf: (provider: KeyProvider) => Step,
): (resource: ResourceName) => readonly Step[] {
  const byName = new Map<string, Step[]>();
  for (const { resources, providers } of rules) {
    const steps = providers.map(stepOf);
    for (const name of resources.map(parseGroupResource).map(showGroupResource)) {
      byName.set(name, [...(byName.get(name) ?? []), ...steps]);
    }
  }
  return ({ resource, group }) =>
    [
      { resource, group },
      { resource: "*", group },
      { resource: "*", group: "*" },
    ]
      .map((name) => byName.get(showGroupResource(name)))
      .find((steps) => steps !== undefined) ?? [];
}

/** What is kept of a plugin while key sets come and go. */
interface Plugin {
  readonly unwrapping: Unwrapping;
  readonly v2: HeldKeys;
  v1(cacheSize: number): HeldV1Keys;
}

function createPlugins({ plugins, clock }: KeyRingDeps, regained: () => void) {
  const known = new Map<string, Plugin>();
  return {
    of(name: string): Plugin {
      const plugin = known.get(name) ?? createPlugin(createUnwrapping({ plugins, clock, regained }));
      known.set(name, plugin);
      return plugin;
    },
    stop(): void {
      for (const { unwrapping } of known.values()) unwrapping.stop();
    },
  };
}

function createPlugin(unwrapping: Unwrapping): Plugin {
  let held: { readonly size: number; readonly keys: HeldV1Keys } | undefined;
  return {
    unwrapping,
    v2: createHeldKeys(),
    v1(size) {
      if (held?.size !== size) held = { size, keys: createHeldV1Keys(size) };
      return held.keys;
    },
  };
}

interface StepDeps extends KeyRingDeps {
  readonly of: (name: string) => Plugin;
}

function stepOf(provider: KeyProvider, { plugins, metrics, of }: StepDeps): Step {
  switch (provider.type) {
    case "identity":
      return identityStep;
    case "kms-v1": {
      const { unwrapping, v1 } = of(provider.name);
      return kmsV1Step(provider, { held: v1(provider.cacheSize), unwrapping, plugins, metrics });
    }
    case "kms-v2": {
      const { unwrapping, v2 } = of(provider.name);
      return kmsV2Step(provider, { held: v2, unwrapping, metrics });
    }
    default:
      return localStep(provider.type, provider.keys, metrics);
  }
}
