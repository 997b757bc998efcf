import { once } from "./load/load.js";
import type { Target } from "./targets.js";

const series = /^orch_gateway_watch_delivery_duration_seconds_bucket\{le="([^"]+)"\} (\d+)$/gm;

/** Events by the upper bound of their time in seconds, as the gateways count them: each with those below it. */
type Buckets = ReadonlyMap<number, number>;

async function bucketsOf({ endpoints }: Target): Promise<Buckets> {
  const sum = new Map<number, number>();
  for (const endpoint of endpoints) {
    const { body } = await once(endpoint, { method: "GET", path: "/metrics" });
    for (const [, le = "", count = ""] of (body?.toString() ?? "").matchAll(series)) {
      const bound = le === "+Inf" ? Number.POSITIVE_INFINITY : Number(le);
      sum.set(bound, (sum.get(bound) ?? 0) + Number(count));
    }
  }
  return sum;
}

/** What the gateways' own histogram says of the events from now until it is read. */
export async function startDeliveryAccount(target: Target): Promise<{ read(): Promise<string> }> {
  const before = await bucketsOf(target);
  return {
    async read() {
      const after = await bucketsOf(target);
      const counts = [...after].map(([bound, count]) => [bound, count - (before.get(bound) ?? 0)] as const);
      const all = counts.at(-1)?.[1] ?? 0;
      const within = (share: number): string => {
        const [bound = 0] = counts.find(([, count]) => count >= all * share) ?? [];
        return `${share * 100} % within ${bound * 1000} ms`;
      };
      return `${within(0.5)}, ${within(0.99)} of ${all} events`;
    },
  };
}
