/** An object of many small parts, or of few large ones, that comes to about so many bytes of JSON. */
export interface Shape {
  readonly name: string;
  /** Below the server's address, without the object's name. */
  readonly path: string;
  readonly apiVersion: string;
  readonly kind: string;
  readonly object: (bytes: number) => object;
  /** Another state of it: what an update or a patch sets. */
  readonly changed?: (bytes: number) => object;
}

const times = <T>(bytes: number, each: number, make: (i: number) => T): T[] =>
  Array.from({ length: Math.floor(bytes / each) }, (_, i) => make(i));
const record = <T>(entries: readonly (readonly [string, T])[]): Record<string, T> => Object.fromEntries(entries);
const core = "/api/v1/namespaces/turns/";

const configMaps = { path: `${core}configmaps`, apiVersion: "v1", kind: "ConfigMap" };
const pods = { path: `${core}pods`, apiVersion: "v1", kind: "Pod" };

const image = "registry.example.com/shop/server:1.25.3";
const container = (i: number) => ({ name: `c${i}`, image, env: [{ name: "REGION", value: "north" }] });
const podSpec = (more: object): object => ({
  spec: { serviceAccountName: "default", containers: [{ ...container(0), ...more }] },
});
const labelled = (prefix: string, bytes: number): Record<string, string> =>
  record(times(bytes, 24, (i) => [`example.com/${prefix}${i}`, "v"] as const));

export const shapes: readonly Shape[] = [
  {
    name: "ConfigMap, one value",
    ...configMaps,
    object: (bytes) => ({ data: { all: "x".repeat(bytes) } }),
  },
  {
    name: "ConfigMap, many keys",
    ...configMaps,
    object: (bytes) => ({ data: record(times(bytes, 17, (i) => [`key${i}`, "abc"] as const)) }),
    changed: (bytes) => ({ data: record(times(bytes, 17, (i) => [`other${i}`, "abc"] as const)) }),
  },
  {
    name: "Secret, 100 values",
    path: `${core}secrets`,
    apiVersion: "v1",
    kind: "Secret",
    object: (bytes) => ({
      data: record(
        times(bytes, bytes / 100, (i) => [`s${i}`, Buffer.alloc(bytes / 140, i).toString("base64")] as const),
      ),
    }),
  },
  {
    name: "Pod, environment",
    ...pods,
    object: (bytes) => podSpec({ env: times(bytes, 36, (i) => ({ name: `VAR_${i}`, value: "some text" })) }),
  },
  {
    name: "Pod, containers",
    ...pods,
    object: (bytes) => ({
      spec: {
        serviceAccountName: "default",
        containers: times(bytes, 420, (i) => ({
          ...container(i),
          args: ["--listen", ":8080"],
          ports: [{ containerPort: 1000 + (i % 60_000), name: "http" }],
          resources: { requests: { cpu: "100m", memory: "128Mi" }, limits: { memory: "256Mi" } },
          livenessProbe: { httpGet: { path: "/healthz", port: 8080 } },
          volumeMounts: [{ name: "v", mountPath: "/var/cache" }],
        })),
        volumes: [{ name: "v", emptyDir: {} }],
      },
    }),
  },
  {
    name: "Pod, volumes",
    ...pods,
    object: (bytes) => ({
      spec: {
        serviceAccountName: "default",
        containers: [container(0)],
        volumes: times(bytes, 50, (i) => ({ name: `v${i}`, configMap: { name: "shop" } })),
      },
    }),
  },
  {
    name: "Deployment",
    path: "/apis/apps/v1/namespaces/turns/deployments",
    apiVersion: "apps/v1",
    kind: "Deployment",
    object: (bytes) => ({
      spec: {
        selector: { matchLabels: { app: "a" } },
        template: {
          metadata: { labels: { app: "a" } },
          spec: {
            containers: times(bytes, 300, (i) => ({
              ...container(i),
              env: times(160, 40, (k) => ({ name: `VAR_${k}`, value: "some text" })),
            })),
          },
        },
      },
    }),
  },
  {
    name: "EndpointSlice, 1,000 endpoints",
    path: "/apis/discovery.orch/v1/namespaces/turns/endpointslices",
    apiVersion: "discovery.orch/v1",
    kind: "EndpointSlice",
    object: (bytes) => ({
      addressType: "IPv4",
      endpoints: Array.from({ length: 1000 }, (_, i) => ({
        addresses: times(Math.min(bytes / 1000, 100 * 16), 16, (k) => `10.${k}.${i >> 8}.${i & 255}`),
        conditions: { ready: true },
        hostname: `host-${i}`,
      })),
      ports: [{ name: "http", port: 80 }],
    }),
  },
  {
    name: "Role, many rules",
    path: "/apis/rbac.authorization.orch/v1/namespaces/turns/roles",
    apiVersion: "rbac.authorization.orch/v1",
    kind: "Role",
    object: (bytes) => ({
      rules: times(bytes, 70, (i) => ({ apiGroups: [""], resources: [`things${i}`], verbs: ["get", "list"] })),
    }),
  },
  { name: "labels", ...configMaps, object: (bytes) => ({ metadata: { labels: labelled("l", bytes) } }) },
  {
    name: "finalizers",
    ...configMaps,
    object: (bytes) => ({ metadata: { finalizers: times(bytes, 24, (i) => `example.com/f${i}`) } }),
  },
  {
    name: "ownerReferences",
    ...configMaps,
    object: (bytes) => ({
      metadata: {
        ownerReferences: times(bytes, 70, (i) => ({
          apiVersion: "v1",
          kind: "ConfigMap",
          name: `o${i}`,
          uid: `u${i}`,
        })),
      },
    }),
  },
  {
    name: "managedFields",
    ...configMaps,
    object: (bytes) => ({
      metadata: {
        managedFields: times(bytes, 10_000, (i) => ({
          manager: `m${i}`,
          operation: "Update",
          apiVersion: "v1",
          time: "2026-01-01T00:00:00Z",
          fieldsType: "FieldsV1",
          fieldsV1: { "f:data": record(times(10_000, 16, (k) => [`f:k${i}-${k}`, {}] as const)) },
        })),
      },
    }),
  },
  {
    name: "invalid, many causes",
    ...configMaps,
    object: (bytes) => ({ data: record(times(bytes, 17, (i) => [`k y${i}`, "abc"] as const)) }),
  },
  {
    name: "unknown fields",
    ...configMaps,
    object: (bytes) => record(times(bytes, 14, (i) => [`field${i}`, 1] as const)),
  },
];
