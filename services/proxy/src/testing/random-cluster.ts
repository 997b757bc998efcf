import fc from "fast-check";
import type { RawEndpoint, RawService, RawSlice } from "../model/objects.js";
import { endpoint, service, slice } from "./objects.js";

/** A change of what the proxy follows: few names and addresses, so that changes meet. */
export type Change =
  | { readonly of: "service"; readonly key: string; readonly service: RawService | undefined }
  | { readonly of: "slice"; readonly key: string; readonly owner: string; readonly slice: RawSlice | undefined }
  | { readonly of: "zone"; readonly zone: string }
  | { readonly of: "sync" };

const keys = ["ns1/svc1", "ns1/svc2", "ns2/svc1"];
const some = <T>(values: readonly T[]) => fc.constantFrom(...values);

const policy = some([undefined, "Cluster", "Local"]);
const anyService = (key: string): fc.Arbitrary<RawService> =>
  fc
    .record({
      type: some(["ClusterIP", "NodePort", "LoadBalancer", "ExternalName"]),
      clusterIP: some([`172.30.0.${keys.indexOf(key) + 1}`, "None"]),
      externalIPs: fc.subarray(["192.0.2.1", "192.0.2.2", "172.30.0.1"]),
      loadBalancerSourceRanges: fc.subarray(["10.0.0.0/8", "10.180.0.0/16", "198.51.100.0/24"]),
      sessionAffinity: some(["None", "ClientIP"]),
      sessionAffinityConfig: some([{}, { clientIP: { timeoutSeconds: 10 } }]),
      internalTrafficPolicy: policy,
      externalTrafficPolicy: policy,
      healthCheckNodePort: some([0, 32_000]),
      ports: fc.subarray([
        { name: "p80", port: 80, nodePort: 30_080 },
        { name: "p81", port: 81, nodePort: 30_081 },
        { name: "dns", port: 53, protocol: "UDP", nodePort: 30_053 },
      ]),
    })
    .chain(({ internalTrafficPolicy, externalTrafficPolicy, ...spec }) =>
      fc.subarray([{ ip: "192.0.2.2" }, { ip: "192.0.2.9" }]).map((ingress) =>
        service(
          key,
          {
            ...spec,
            ...(internalTrafficPolicy === undefined ? {} : { internalTrafficPolicy }),
            ...(externalTrafficPolicy === undefined ? {} : { externalTrafficPolicy }),
          },
          { loadBalancer: { ingress } },
        ),
      ),
    );

const anyEndpoint: fc.Arbitrary<RawEndpoint> = fc
  .record({
    last: fc.integer({ min: 1, max: 4 }),
    here: fc.boolean(),
    state: some([{}, {}, { ready: false }, { ready: false, serving: true, terminating: true }]),
    zones: some([["a"], ["b"], []]),
  })
  .map(({ last, here, state, zones }) => endpoint(`10.180.0.${last}`, { here, zones, ...state }));

const anySlice: fc.Arbitrary<RawSlice> = fc.array(anyEndpoint, { maxLength: 4 }).map((endpoints) =>
  slice(endpoints, {
    ports: [
      { name: "p80", port: 80 },
      { name: "p81", port: 8081 },
      { name: "dns", port: 53, protocol: "UDP" },
    ],
  }),
);

const anyChange: fc.Arbitrary<Change> = fc.oneof(
  some(keys).chain((key) =>
    fc.option(anyService(key), { nil: undefined }).map((next) => ({ of: "service", key, service: next }) as const),
  ),
  fc
    .record({ key: some(["a", "b", "c"]), owner: some(keys), slice: fc.option(anySlice, { nil: undefined }) })
    .map((next) => ({ of: "slice", ...next }) as const),
  some(["a", "b", ""]).map((zone) => ({ of: "zone", zone }) as const),
  fc.constant({ of: "sync" } as const),
);

export const anyChanges: fc.Arbitrary<readonly Change[]> = fc.array(anyChange, { minLength: 1, maxLength: 40 });
