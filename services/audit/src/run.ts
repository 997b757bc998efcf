import { ConfigurationError } from "@orch/access/configuration.js";
import { openEgress } from "@orch/access/egress.js";
import { createNaming } from "@orch/naming/naming.js";
import { createGrpcServer } from "@orch/rpc/link/grpc-server.js";
import { registerFeatureMetrics } from "@orch/runtime/flags/feature-gates.js";
import { serviceTls } from "@orch/runtime/flags/rpc-flags.js";
import { processTools } from "@orch/runtime/program.js";
import { runInternalService } from "@orch/runtime/run-service.js";
import { assembleAudit } from "./assemble.js";
import type { Started } from "./command-line.js";
import { auditSettings } from "./settings.js";

/** Puts the service together and serves until the process is told to stop. */
export async function run({ values, refuse }: Started): Promise<void> {
  const tools = processTools("audit", values, refuse);
  const { log, clock, metrics, health, gates } = tools;
  const naming = createNaming(values["api-dialect"]);
  registerFeatureMetrics(metrics, gates, naming.word("orch"));
  const settings = auditSettings(values, naming);
  if (!settings.ok) return refuse(settings.problems.join("; "));
  if (settings.value.spool.folder === "") return refuse("--audit-spool-directory is needed");
  const egress = await openEgress(values["egress-selector-config-file"], { naming, metrics, clock, refuse });
  const tls = await serviceTls(values, [values["bind-address"]], { log, clock, metrics, refuse });
  const server = createGrpcServer({
    host: values["bind-address"],
    port: values["rpc-port"],
    log,
    security: tls?.with(values["rpc-allowed-peers"]),
  });
  const audit = await assembleAudit(settings.value, {
    ...{ naming, egress, clock, metrics, health, log },
    services: server.services,
    pid: process.pid,
  }).catch((error: unknown) => {
    if (error instanceof ConfigurationError) return refuse(error.message);
    throw error;
  });

  await runInternalService({
    tools,
    values,
    tls,
    start: async () => ({ rpc: await server.listen() }),
    async stop() {
      await server.close(2_000);
      await audit.stop();
    },
  });
}
