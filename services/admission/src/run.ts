import { readFileSync } from "node:fs";
import { openEgress } from "@orch/access/egress.js";
import { createNaming } from "@orch/naming/naming.js";
import { hostsOf } from "@orch/rpc/addresses.js";
import { createPeers, parsePeers } from "@orch/rpc/group-peers.js";
import { connect } from "@orch/rpc/link/grpc-client.js";
import { createGrpcServer } from "@orch/rpc/link/grpc-server.js";
import { registerFeatureMetrics } from "@orch/runtime/flags/feature-gates.js";
import { serviceTls } from "@orch/runtime/flags/rpc-flags.js";
import { processTools } from "@orch/runtime/program.js";
import { runInternalService } from "@orch/runtime/run-service.js";
import { openTracing } from "@orch/tracing/open-tracing.js";
import { assembleAdmission } from "./assemble.js";
import { readBackends } from "./backends.js";
import type { Started } from "./command-line.js";

/** Puts the service together and serves until the process is told to stop. */
export async function run({ values, refuse }: Started): Promise<void> {
  const tools = processTools("admission", values, refuse);
  const { log, clock, metrics, gates } = tools;
  const naming = createNaming(values["api-dialect"]);
  registerFeatureMetrics(metrics, gates, naming.word("orch"));
  const egress = await openEgress(values["egress-selector-config-file"], { naming, metrics, clock, refuse });
  const tracing = await openTracing(values["tracing-config-file"], {
    ...{ naming, metrics, clock, log, refuse },
    dial: egress?.through("controlplane"),
    service: "admission",
  });
  if (values["watch-cache-servers"].length === 0) return refuse("--watch-cache-servers is needed");
  const targets = parsePeers(values["watch-cache-servers"]);
  const hosts = [values["bind-address"], ...hostsOf(targets.values())];
  const tls = await serviceTls(values, hosts, { log, clock, metrics, refuse });
  const security = tls?.with(["watch-cache"]);
  const caches = createPeers(
    new Map([...targets].map(([group, target]) => [group, connect({ target, log, security })])),
  );
  const server = createGrpcServer({
    host: values["bind-address"],
    port: values["rpc-port"],
    log,
    security: tls?.with(values["rpc-allowed-peers"]),
    joinTrace: tracing?.join,
  });
  const read = (path: string): string => readFileSync(path, "utf8");
  const backends = await readBackends(values["admission-control-config-file"], { naming, read });
  if (!backends.ok) return refuse(backends.problems.join("; "));
  const admission = assembleAdmission({
    backends: backends.value,
    naming,
    caches: (group) => caches.of(group),
    services: server.services,
    egress,
    clock,
    metrics,
  });

  await runInternalService({
    tools,
    values,
    tls,
    start: async () => ({ rpc: await server.listen() }),
    async stop() {
      await server.close(2_000);
      await admission.stop();
      await Promise.all(caches.all.map((peer) => peer.close()));
      await tracing?.stop();
    },
  });
}
