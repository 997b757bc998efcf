/** A Pod of about 2 KiB, with what a running one has. */
export function podOf(name: string): object {
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: {
      name,
      labels: { app: "shop", tier: "backend", "pod-template-hash": "6d4cf56db6" },
      annotations: { "example.com/checksum": "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08" },
    },
    spec: {
      containers: [containerOf("server", 8080), containerOf("sidecar", 9090)],
      nodeSelector: { "example.com/pool": "general" },
      tolerations: [{ key: "example.com/spot", operator: "Exists", effect: "NoSchedule" }],
      volumes: [
        { name: "config", configMap: { name: "shop" } },
        { name: "cache", emptyDir: {} },
      ],
    },
  };
}

function containerOf(name: string, containerPort: number): object {
  const probe = { httpGet: { path: "/healthz", port: containerPort }, periodSeconds: 10 };
  return {
    name,
    image: `registry.example.com/shop/${name}:1.25.3`,
    args: ["--listen", `:${containerPort}`, "--log-level=info"],
    ports: [{ name: "http", containerPort }],
    env: [
      { name: "REGION", value: "north" },
      { name: "NODE", valueFrom: { fieldRef: { fieldPath: "spec.nodeName" } } },
    ],
    resources: { requests: { cpu: "100m", memory: "128Mi" }, limits: { memory: "256Mi" } },
    livenessProbe: probe,
    readinessProbe: probe,
    volumeMounts: [
      { name: "config", mountPath: "/etc/shop", readOnly: true },
      { name: "cache", mountPath: "/var/cache" },
    ],
  };
}
