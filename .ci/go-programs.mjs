import { spawnSync } from "node:child_process";
import { join } from "node:path";

/** What tests build below e2e/clients, in the order in which most is made only once. */
const programs = [
  { module: "go", packages: [".", "./kinds", "./endpointslices", "./cron", "./clusterinfo"] },
  { module: "aggregated", packages: ["k8s.io/sample-apiserver", "./encryption"] },
  {
    module: "operators",
    packages: [
      "./certmanager",
      "github.com/kro-run/kro/cmd/controller",
      "github.com/kro-run/kro/test/integration/environment",
    ],
  },
  // Of the same releases of the same modules as the operators, so that little of it is new.
  { module: "helm3", packages: ["helm.sh/helm/v3/cmd/helm"] },
  { module: "kwok", packages: ["sigs.k8s.io/kwok/cmd/kwok"] },
  {
    module: "konnectivity",
    packages: ["sigs.k8s.io/apiserver-network-proxy/cmd/agent", "sigs.k8s.io/apiserver-network-proxy/cmd/server"],
  },
];

/**
 * Fills Go's build cache one module after the other, so that no test has to: from an empty cache it takes minutes,
 * which tests that run beside each other would spend twice. It compiles and does not link. Where it can not be done the
 * tests say why, and are skipped.
 */
export function compileGoPrograms() {
  if (spawnSync("go", ["version"]).status !== 0) return;
  for (const { module, packages } of programs) {
    const began = Date.now();
    const { status } = spawnSync("go", ["list", "-mod=readonly", "-export", "-deps", "-f=", ...packages], {
      cwd: join("e2e/clients", module),
      env: { ...process.env, GOTOOLCHAIN: "local" },
      stdio: "ignore",
    });
    const what = status === 0 ? "compiled" : "not compiled";
    process.stdout.write(
      `Go programs of e2e/clients/${module}: ${what} in ${((Date.now() - began) / 1000).toFixed(1)} s\n`,
    );
  }
}

/** Links Helm once for the four files that use it: each would take ten seconds for the same. @returns undefined where it can not be done */
export function buildHelm(folder) {
  const to = join(folder, "helm3");
  const args = ["build", "-mod=readonly", "-ldflags=-s -w", "-o", to, "helm.sh/helm/v3/cmd/helm"];
  const { status } = spawnSync("go", args, {
    cwd: "e2e/clients/helm3",
    env: { ...process.env, GOTOOLCHAIN: "local" },
    stdio: "ignore",
  });
  return status === 0 ? to : undefined;
}
