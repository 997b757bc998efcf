import type { Active } from "./active.js";

export interface HealthCheck {
  readonly name: string;
  /** Undefined where nothing is wrong. */
  run(): Promise<string | undefined>;
}

/** One check for all plugins; where there are some of v1 and the file is not read again, one for each. */
export function healthChecks(now: () => Active, { reloads }: { readonly reloads: boolean }): readonly HealthCheck[] {
  const { providers } = now();
  if (!reloads && providers.length === 0) return [];
  if (reloads || providers.every(({ version }) => version === "v2")) {
    return [{ name: "kms-providers", run: () => now().health() }];
  }
  return providers.map((provider, i) => ({ name: `kms-provider-${i}`, run: () => provider.health() }));
}
