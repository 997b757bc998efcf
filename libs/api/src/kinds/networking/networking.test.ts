import assert from "node:assert/strict";
import { test } from "node:test";
import { createNaming } from "@orch/naming/naming.js";
import { loadCatalog } from "../../catalog.js";
import { createKindKit, type Tree } from "../../testing/kind-kit.js";
import { testCreates, testParts, testUpdates, testValues } from "../../testing/kind-rows.js";
import { fromHub } from "../../writes.js";

const kit = createKindKit(loadCatalog(createNaming("kubernetes")));
const V1 = "networking.k8s.io/v1";
const Beta = "networking.k8s.io/v1beta1";

const service = { service: { name: "web", port: { number: 80 } } };
const ingressOf = (spec: Tree) => ({ spec: { defaultBackend: service, ...spec } });
const pathsOf = (...paths: readonly Tree[]) => ingressOf({ rules: [{ host: "a.b", http: { paths } }] });
const pathAt = "spec.rules[0].http.paths[0]";
const backendOf = (backend: Tree) => ({ spec: { defaultBackend: backend } });
const policyOf = (spec: Tree) => ({ spec: { podSelector: {}, ...spec } });
const portOf = (port: Tree) => policyOf({ ingress: [{ ports: [port] }] });
const peerOf = (...peers: readonly Tree[]) => policyOf({ egress: [{ to: peers }] });
const classOf = (parameters: Tree) => ({ spec: { controller: "a.b/c", parameters } });
const addressOf = (name: string, parentRef: Tree = { resource: "services", namespace: "n", name: "s" }) => ({
  metadata: { name },
  spec: { parentRef },
});

testCreates(kit, [
  [`${V1}.Ingress`, "good", pathsOf({ path: "/", pathType: "Prefix", backend: service }), []],
  [
    `${V1}.Ingress`,
    "that says nothing",
    {},
    ["spec: Invalid value: null: either `defaultBackend` or `rules` must be specified"],
  ],
  [
    `${V1}.Ingress`,
    "for an address",
    ingressOf({ rules: [{ host: "10.0.0.1" }] }),
    ['spec.rules[0].host: Invalid value: "10.0.0.1": must be a DNS name, not an IP address'],
  ],
  [`${V1}.Ingress`, "for all hosts of a domain", ingressOf({ rules: [{ host: "*.a.b" }] }), []],
  [
    `${V1}.Ingress`,
    "with a star in the middle",
    ingressOf({ rules: [{ host: "a.*.b" }] }),
    [/^spec.rules\[0\].host: Invalid value: "a.\*.b": a wildcard DNS-1123 subdomain must start with '\*.'/],
  ],
  [
    `${V1}.Ingress`,
    "for a host of wrong form",
    ingressOf({ rules: [{ host: "A" }] }),
    [/^spec.rules\[0\].host: Invalid value: "A": a lowercase RFC 1123 subdomain/],
  ],
  [
    `${V1}.Ingress`,
    "without paths",
    ingressOf({ rules: [{ http: {} }] }),
    ["spec.rules[0].http.paths: Required value"],
  ],
  [
    `${V1}.Ingress`,
    "without a type of path",
    pathsOf({ backend: service }),
    [`${pathAt}.pathType: Required value: pathType must be specified`],
  ],
  [
    `${V1}.Ingress`,
    "with an unknown type of path",
    pathsOf({ pathType: "Regex", backend: service }),
    [`${pathAt}.pathType: Unsupported value: "Regex": supported values: "Exact", "ImplementationSpecific", "Prefix"`],
  ],
  [
    `${V1}.Ingress`,
    "with a relative path",
    pathsOf({ pathType: "Exact", path: "a", backend: service }),
    [`${pathAt}.path: Invalid value: "a": must be an absolute path`],
  ],
  [
    `${V1}.Ingress`,
    "with a path that climbs",
    pathsOf({ pathType: "Prefix", path: "/a//b/..", backend: service }),
    [
      `${pathAt}.path: Invalid value: "/a//b/..": must not contain '//'`,
      `${pathAt}.path: Invalid value: "/a//b/..": cannot end with '/..'`,
    ],
  ],
  [
    `${V1}.Ingress`,
    "with any path that its controller knows",
    pathsOf({ pathType: "ImplementationSpecific", path: "/a//b", backend: service }),
    [],
  ],
  [
    `${V1}.Ingress`,
    "with a path of its controller that is relative",
    pathsOf({ pathType: "ImplementationSpecific", path: "a", backend: service }),
    [`${pathAt}.path: Invalid value: "a": must be an absolute path`],
  ],
  [
    `${V1}.Ingress`,
    "with no backend",
    pathsOf({ pathType: "Exact", path: "/" }),
    [`${pathAt}.backend: Invalid value: "": resource or service backend is required`],
  ],
  [
    `${V1}.Ingress`,
    "with two backends",
    backendOf({ ...service, resource: { kind: "Bucket", name: "b" } }),
    ['spec.defaultBackend: Invalid value: "": cannot set both resource and service backends'],
  ],
  [
    `${V1}.Ingress`,
    "with a resource that is not named",
    backendOf({ resource: { apiGroup: "A", kind: "a/b" } }),
    [
      /^spec.defaultBackend.resource.apiGroup: Invalid value: "A"/,
      "spec.defaultBackend.resource.kind: Invalid value: \"a/b\": may not contain '/'",
      "spec.defaultBackend.resource.name: Required value: name is required",
    ],
  ],
  [
    `${V1}.Ingress`,
    "with a service that is not named",
    backendOf({ service: { port: { name: "http" } } }),
    ["spec.defaultBackend.service.name: Required value"],
  ],
  [
    `${V1}.Ingress`,
    "with a service named wrongly, without a port",
    backendOf({ service: { name: "1" } }),
    [
      /^spec.defaultBackend.service.name: Invalid value: "1": a DNS-1035 label must/,
      "spec.defaultBackend: Required value: port name or number is required",
    ],
  ],
  [
    `${V1}.Ingress`,
    "with a port named and numbered",
    backendOf({ service: { name: "a", port: { name: "b", number: 1 } } }),
    ['spec.defaultBackend: Invalid value: "": cannot set both port name & port number'],
  ],
  [
    `${V1}.Ingress`,
    "with a port out of range",
    backendOf({ service: { name: "a", port: { number: 65_536 } } }),
    ["spec.defaultBackend.service.port.number: Invalid value: 65536: must be between 1 and 65535, inclusive"],
  ],
  [
    `${V1}.Ingress`,
    "with a port named wrongly",
    backendOf({ service: { name: "a", port: { name: "80" } } }),
    ['spec.defaultBackend.service.port.name: Invalid value: "80": must contain at least one letter (a-z)'],
  ],
  [
    `${V1}.Ingress`,
    "with wrong names for its certificates",
    ingressOf({ tls: [{ hosts: ["*.a", "B"], secretName: "C" }], ingressClassName: "D" }),
    [
      /^spec.tls\[0\].hosts\[1\]: Invalid value: "B"/,
      /^spec.tls\[0\].secretName: Invalid value: "C"/,
      /^spec.ingressClassName: Invalid value: "D"/,
    ],
  ],
  [
    `${V1}.Ingress`,
    "of two classes",
    { metadata: { annotations: { "kubernetes.io/ingress.class": "a" } }, ...ingressOf({ ingressClassName: "b" }) },
    [
      'annotations.kubernetes.io/ingress.class: Invalid value: "a": must match `ingressClassName` when both are specified',
    ],
  ],
  [
    `${Beta}.Ingress`,
    "without a type of path",
    { spec: { rules: [{ http: { paths: [{ backend: { serviceName: "a", servicePort: 80 } }] } }] } },
    [],
  ],
  [
    `${Beta}.Ingress`,
    "whose backend says nothing",
    { spec: { backend: {} } },
    ['spec.defaultBackend: Invalid value: "": resource or service backend is required'],
  ],
  [`${V1}.IngressClass`, "good", classOf({ apiGroup: "a.b", kind: "K", name: "n" }), []],
  [`${V1}.IngressClass`, "without a controller", {}, ["spec.controller: Required value"]],
  [
    `${V1}.IngressClass`,
    "with a bare controller",
    { spec: { controller: "a" } },
    ['spec.controller: Invalid value: "a": must be a domain-prefixed path (such as "acme.io/foo")'],
  ],
  [
    `${V1}.IngressClass`,
    "with a long controller",
    { spec: { controller: `a.b/${"c".repeat(250)}` } },
    ["spec.controller: Too long: may not be more than 250 bytes"],
  ],
  [
    `${V1}.IngressClass`,
    "with bare parameters",
    classOf({}),
    [
      "spec.parameters.kind: Required value: kind is required",
      "spec.parameters.name: Required value: name is required",
    ],
  ],
  [
    `${V1}.IngressClass`,
    "with parameters of the cluster in a namespace",
    classOf({ kind: "K", name: "n", namespace: "x" }),
    ["spec.parameters.namespace: Forbidden: `parameters.scope` is set to 'Cluster'"],
  ],
  [
    `${V1}.IngressClass`,
    "with parameters of no namespace",
    classOf({ kind: "K", name: "n", scope: "Namespace" }),
    ["spec.parameters.namespace: Required value: `parameters.scope` is set to 'Namespace'"],
  ],
  [
    `${V1}.IngressClass`,
    "with parameters of unknown scope",
    classOf({ kind: "K", name: "n", scope: "X" }),
    ['spec.parameters.scope: Unsupported value: "X": supported values: "Cluster", "Namespace"'],
  ],
  [
    `${V1}.NetworkPolicy`,
    "good",
    policyOf({
      policyTypes: ["Ingress", "Egress"],
      ingress: [{ ports: [{ port: 80, endPort: 90 }, { port: "http" }], from: [{ podSelector: {} }] }],
      egress: [{ to: [{ ipBlock: { cidr: "10.0.0.0/8", except: ["10.1.0.0/16"] } }] }],
    }),
    [],
  ],
  [`${V1}.NetworkPolicy`, "for all pods", {}, []],
  [
    `${V1}.NetworkPolicy`,
    "that selects in an unknown way",
    policyOf({ podSelector: { matchExpressions: [{ key: "a", operator: "Near" }] } }),
    ['spec.podSelector.matchExpressions[0].operator: Invalid value: "Near": not a valid selector operator'],
  ],
  [
    `${V1}.NetworkPolicy`,
    "with another protocol",
    portOf({ protocol: "ICMP" }),
    [/^spec.ingress\[0\].ports\[0\].protocol: Unsupported value: "ICMP": supported values: "TCP", "UDP", "SCTP"/],
  ],
  [
    `${V1}.NetworkPolicy`,
    "with port 0",
    portOf({ port: 0 }),
    ["spec.ingress[0].ports[0].port: Invalid value: 0: must be between 1 and 65535, inclusive"],
  ],
  [
    `${V1}.NetworkPolicy`,
    "with a range that ends before it begins",
    portOf({ port: 2, endPort: 1 }),
    ["spec.ingress[0].ports[0].endPort: Invalid value: 2: must be greater than or equal to `port`"],
  ],
  [
    `${V1}.NetworkPolicy`,
    "with a range from a name",
    portOf({ port: "a", endPort: 1 }),
    ["spec.ingress[0].ports[0].endPort: Invalid value: 1: may not be specified when `port` is non-numeric"],
  ],
  [
    `${V1}.NetworkPolicy`,
    "with a range from nowhere",
    portOf({ endPort: 1 }),
    ["spec.ingress[0].ports[0].endPort: Invalid value: 1: may not be specified when `port` is not specified"],
  ],
  [
    `${V1}.NetworkPolicy`,
    "with peers of nothing and of all",
    peerOf({}, { podSelector: {}, ipBlock: { cidr: "10.0.0.0/8" } }),
    [
      "spec.egress[0].to[0]: Required value: must specify a peer",
      "spec.egress[0].to[1]: Forbidden: may not specify both ipBlock and another peer",
    ],
  ],
  [
    `${V1}.NetworkPolicy`,
    "with blocks of wrong form",
    peerOf({ ipBlock: {} }, { ipBlock: { cidr: "10.0.0.1" } }),
    [
      "spec.egress[0].to[0].ipBlock.cidr: Required value",
      /^spec.egress\[0\].to\[1\].ipBlock.cidr: Invalid value: "10.0.0.1": must be a valid CIDR value/,
    ],
  ],
  [
    `${V1}.NetworkPolicy`,
    "with exceptions from elsewhere",
    peerOf({ ipBlock: { cidr: "10.0.0.0/8", except: ["10.0.0.0/8", "11.0.0.0/16", "fd00::/16", "x"] } }),
    [
      'spec.egress[0].to[0].ipBlock.except[0]: Invalid value: "10.0.0.0/8": must be a strict subset of `cidr`',
      'spec.egress[0].to[0].ipBlock.except[1]: Invalid value: "11.0.0.0/16": must be a strict subset of `cidr`',
      'spec.egress[0].to[0].ipBlock.except[2]: Invalid value: "fd00::/16": must be a strict subset of `cidr`',
      /^spec.egress\[0\].to\[0\].ipBlock.except\[3\]: Invalid value: "x": must be a valid CIDR value/,
    ],
  ],
  [
    `${V1}.NetworkPolicy`,
    "of an unknown type",
    policyOf({ policyTypes: ["Sideways"] }),
    ['spec.policyTypes[0]: Unsupported value: "Sideways": supported values: "Ingress", "Egress"'],
  ],
  [
    `${V1}.NetworkPolicy`,
    "of three types",
    policyOf({ policyTypes: ["Ingress", "Egress", "Ingress"] }),
    [/^spec.policyTypes: Invalid value: .*: may not specify more than two policyTypes$/],
  ],
  [`${Beta}.IPAddress`, "good", addressOf("2001:db8::1"), []],
  [
    `${Beta}.IPAddress`,
    "not written canonically",
    addressOf("2001:DB8::1"),
    ['metadata.name: Invalid value: "2001:DB8::1": not a valid ip in canonical format'],
  ],
  [
    `${Beta}.IPAddress`,
    "that is none",
    addressOf("x"),
    ['metadata.name: Invalid value: "x": ParseAddr("x"): unable to parse IP'],
  ],
  [`${Beta}.IPAddress`, "of nobody", { metadata: { name: "10.0.0.1" } }, ["spec.parentRef: Required value"]],
  [
    `${Beta}.IPAddress`,
    "of somebody without a name",
    addressOf("10.0.0.1", { group: "A", namespace: "a/b" }),
    [
      /^spec.parentRef.group: Invalid value: "A"/,
      "spec.parentRef.resource: Required value",
      "spec.parentRef.name: Required value",
      "spec.parentRef.namespace: Invalid value: \"a/b\": may not contain '/'",
    ],
  ],
  [`${Beta}.ServiceCIDR`, "good", { spec: { cidrs: ["10.0.0.0/24", "2001:db8::/64"] } }, []],
  [`${Beta}.ServiceCIDR`, "of nothing", {}, ["spec.cidrs: Required value: at least one CIDR required"]],
  [
    `${Beta}.ServiceCIDR`,
    "of three",
    { spec: { cidrs: ["10.0.0.0/24", "2001:db8::/64", "10.0.1.0/24"] } },
    [/^spec.cidrs: Invalid value: .*: may only hold up to 2 values$/],
  ],
  [
    `${Beta}.ServiceCIDR`,
    "of two of a family",
    { spec: { cidrs: ["10.0.0.0/24", "10.0.1.0/24"] } },
    [/^spec.cidrs: Invalid value: .*: may specify no more than one IP for each IP family/],
  ],
  [
    `${Beta}.ServiceCIDR`,
    "with bits behind its prefix",
    { spec: { cidrs: ["10.0.0.1/24"] } },
    ['spec.cidrs[0]: Invalid value: "10.0.0.1/24": wrong CIDR format, IP doesn\'t match network IP address'],
  ],
  [
    `${Beta}.ServiceCIDR`,
    "not written canonically",
    { spec: { cidrs: ["2001:DB8::/64"] } },
    ['spec.cidrs[0]: Invalid value: "2001:DB8::/64": CIDR not in RFC 5952 canonical format'],
  ],
]);

testUpdates(kit, [
  [
    `${V1}.Ingress`,
    "with another backend",
    backendOf({ service: { name: "b", port: { name: "x" } } }),
    ingressOf({}),
    [],
  ],
  [
    `${V1}.IngressClass`,
    "with another controller",
    { spec: { controller: "a.b/d" } },
    classOf({ kind: "K", name: "n" }),
    ['spec.controller: Invalid value: "a.b/d": field is immutable'],
  ],
  [
    `${Beta}.IPAddress`,
    "that changes its owner",
    addressOf("10.0.0.1", { resource: "services", name: "t" }),
    addressOf("10.0.0.1"),
    [/^spec.parentRef: Invalid value: .*: field is immutable$/],
  ],
  [
    `${Beta}.ServiceCIDR`,
    "with another range",
    { spec: { cidrs: ["10.0.1.0/24"] } },
    { spec: { cidrs: ["10.0.0.0/24"] } },
    ['spec.cidrs: Invalid value: ["10.0.1.0/24"]: field is immutable'],
  ],
]);

testValues(kit, [
  [`${V1}.NetworkPolicy`, "is for what comes in", {}, "spec.policyTypes", ["Ingress"]],
  [
    `${V1}.NetworkPolicy`,
    "with rules for what goes out is for both",
    policyOf({ egress: [{}] }),
    "spec.policyTypes",
    ["Ingress", "Egress"],
  ],
  [
    `${V1}.NetworkPolicy`,
    "speaks TCP",
    portOf({ port: 1 }),
    "spec.ingress",
    [{ ports: [{ port: 1, protocol: "TCP" }] }],
  ],
  ["extensions/v1beta1.NetworkPolicy", "is for what comes in", {}, "spec.policyTypes", ["Ingress"]],
  [`${V1}.IngressClass`, "has parameters of the cluster", classOf({}), "spec.parameters.scope", "Cluster"],
  [`${Beta}.IngressClass`, "has parameters of the cluster", classOf({}), "spec.parameters.scope", "Cluster"],
  [
    `${V1}.Ingress`,
    "starts without addresses",
    { ...ingressOf({}), status: { loadBalancer: {} } },
    "status",
    undefined,
  ],
  [`${V1}.Ingress`, "counts its generations", ingressOf({}), "metadata.generation", 1],
]);

const balanced = (entry: Tree) => ({ ...ingressOf({}), status: { loadBalancer: { ingress: [entry] } } });
testParts(kit, [
  [
    `${V1}.Ingress/status`,
    "with an address and a name",
    balanced({ ip: "10.0.0.1", hostname: "a.b" }),
    ingressOf({}),
    [],
  ],
  [
    `${V1}.Ingress/status`,
    "with the two mixed up",
    balanced({ ip: "a.b", hostname: "10.0.0.1" }),
    ingressOf({}),
    [
      /^status.loadBalancer.ingress\[0\].ip: Invalid value: "a.b": must be a valid IP address/,
      /^status.loadBalancer.ingress\[0\].hostname: Invalid value: "10.0.0.1": must be a DNS name, not an IP address$/,
    ],
  ],
]);

test("a write of an Ingress's status keeps its spec and may label it", () => {
  const status = { loadBalancer: { ingress: [{ ip: "10.0.0.1" }] } };
  const metadata = { labels: { a: "b" } };
  const other = ingressOf({ ingressClassName: "other" });
  const written = kit.part(`${V1}.Ingress`, "status", { tree: { ...other, metadata, status }, before: ingressOf({}) });
  assert.deepEqual(written["spec"], kit.created(`${V1}.Ingress`, ingressOf({}))["spec"]);
  assert.deepEqual([written["status"], written.metadata.labels], [status, metadata.labels]);
});

for (const version of [Beta, "extensions/v1beta1"]) {
  test(`${version} Ingress has its backends under their old names`, () => {
    const old = {
      backend: { serviceName: "a", servicePort: 80 },
      rules: [{ host: "h.i", http: { paths: [{ path: "/", backend: { serviceName: "b", servicePort: "http" } }] } }],
    };
    const stored = kit.created(`${version}.Ingress`, { spec: old });
    assert.equal(stored.apiVersion, V1);
    assert.deepEqual(stored["spec"], {
      defaultBackend: { service: { name: "a", port: { number: 80 } } },
      rules: [
        {
          host: "h.i",
          http: {
            paths: [
              {
                path: "/",
                pathType: "ImplementationSpecific",
                backend: { service: { name: "b", port: { name: "http" } } },
              },
            ],
          },
        },
      ],
    });
    const [rule] = old.rules;
    const [path] = rule?.http.paths ?? [];
    assert.deepEqual(fromHub(kit.kind(`${version}.Ingress`), stored)["spec"], {
      backend: old.backend,
      rules: [{ host: "h.i", http: { paths: [{ ...path, pathType: "ImplementationSpecific" }] } }],
    });
  });
}
