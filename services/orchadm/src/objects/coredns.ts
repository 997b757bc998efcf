import { serviceAddress } from "../certificates/service-address.js";
import type { Cluster } from "../cluster.js";
import type { Site } from "../site.js";
import { namesOf } from "./names.js";
import { accessRules } from "./rbac.js";
import { ensureMap } from "./uploads.js";

const name = "coredns";
const dnsPort = 53;

/** The cluster's names, answered by CoreDNS at the tenth address of services. */
export async function coredns(api: Cluster, { tools, cluster }: Pick<Site, "tools" | "cluster">): Promise<void> {
  const { naming } = tools;
  const namespace = namesOf(naming).systemNamespace;
  const { dnsDomain, serviceSubnet } = cluster.networking;
  const app = naming.systemName("dns");
  const labels = { [naming.dialect === "orch" ? "orch-app" : "k8s-app"]: app };
  const rules = accessRules(api, naming);
  const core = (resource: string) => ({ group: "", version: "v1", resource, namespace });
  await ensureMap(api, { namespace, name, data: { Corefile: corefile(dnsDomain) } });
  await api.ensure(core("serviceaccounts"), {
    apiVersion: "v1",
    kind: "ServiceAccount",
    metadata: { name, namespace },
  });
  const role = "system:coredns";
  await rules.clusterRole(role, [
    { verbs: ["list", "watch"], resources: ["endpoints", "services", "pods", "namespaces"] },
    { verbs: ["list", "watch"], apiGroups: [naming.group("discovery")], resources: ["endpointslices"] },
  ]);
  await rules.clusterBinding(role, role, [{ kind: "ServiceAccount", name, namespace }]);
  await api.ensure(
    { group: "apps", version: "v1", resource: "deployments", namespace },
    {
      apiVersion: "apps/v1",
      kind: "Deployment",
      metadata: { name, namespace, labels },
      spec: {
        replicas: 2,
        selector: { matchLabels: labels },
        strategy: { type: "RollingUpdate", rollingUpdate: { maxUnavailable: 1 } },
        template: {
          metadata: { labels },
          spec: {
            priorityClassName: "system-cluster-critical",
            serviceAccountName: name,
            tolerations: [
              { key: "CriticalAddonsOnly", operator: "Exists" },
              { key: namesOf(naming).controlPlaneRole, effect: "NoSchedule" },
            ],
            nodeSelector: { [naming.key("os")]: "linux" },
            containers: [
              {
                name,
                image: `${cluster.dns.imageRepository || cluster.imageRepository}/coredns:${cluster.dns.imageTag || "v1.11.3"}`,
                args: ["-conf", "/etc/coredns/Corefile"],
                volumeMounts: [{ name: "config-volume", mountPath: "/etc/coredns", readOnly: true }],
                ports: [
                  { containerPort: dnsPort, name: "dns", protocol: "UDP" },
                  { containerPort: dnsPort, name: "dns-tcp", protocol: "TCP" },
                ],
                readinessProbe: { httpGet: { path: "/ready", port: 8181, scheme: "HTTP" } },
                livenessProbe: { httpGet: { path: "/health", port: 8080, scheme: "HTTP" }, initialDelaySeconds: 60 },
              },
            ],
            dnsPolicy: "Default",
            volumes: [{ name: "config-volume", configMap: { name, items: [{ key: "Corefile", path: "Corefile" }] } }],
          },
        },
      },
    },
  );
  await api.ensure(core("services"), {
    apiVersion: "v1",
    kind: "Service",
    metadata: { name: app, namespace, labels },
    spec: {
      clusterIP: serviceAddress(serviceSubnet.split(",")[0] ?? "", 10),
      selector: labels,
      ports: [
        { name: "dns", port: dnsPort, protocol: "UDP", targetPort: dnsPort },
        { name: "dns-tcp", port: dnsPort, protocol: "TCP", targetPort: dnsPort },
      ],
    },
  });
}

/** CoreDNS knows clusters by a plugin that is named after the reference's product, whatever the dialect. */
const corefile = (domain: string): string => `.:53 {
    errors
    health {
       lameduck 5s
    }
    ready
    kubernetes ${domain} in-addr.arpa ip6.arpa {
       pods insecure
       fallthrough in-addr.arpa ip6.arpa
       ttl 30
    }
    forward . /etc/resolv.conf
    cache 30
    loop
    reload
    loadbalance
}
`;
