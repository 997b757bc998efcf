import { randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import { hostname } from "node:os";
import { createNaming } from "@orch/naming/naming.js";
import { createGrpcServer } from "@orch/rpc/link/grpc-server.js";
import { registerFeatureMetrics } from "@orch/runtime/flags/feature-gates.js";
import { serviceTls } from "@orch/runtime/flags/rpc-flags.js";
import { processTools } from "@orch/runtime/program.js";
import { runInternalService } from "@orch/runtime/run-service.js";
import { openTracing } from "@orch/tracing/open-tracing.js";
import { registerAnswers } from "./answers.js";
import { assembleKms } from "./assemble.js";
import type { Started } from "./command-line.js";
import { kmsSettings } from "./settings.js";

/** Puts the service together and serves until the process is told to stop. */
export async function run({ values, refuse }: Started): Promise<void> {
  const tools = processTools("kms", values, refuse);
  const { log, clock, health, metrics, gates } = tools;
  const naming = createNaming(values["api-dialect"]);
  registerFeatureMetrics(metrics, gates, naming.word("orch"));
  const tracing = await openTracing(values["tracing-config-file"], {
    ...{ naming, metrics, clock, log, refuse },
    // Plugins are sockets of this machine: this service has no configuration of ways out.
    dial: undefined,
    service: "kms",
  });
  const settings = kmsSettings(values, { gates, naming, read: (path) => readFileSync(path, "utf8") });
  if (!settings.ok) return refuse(settings.problem);
  if (settings.value === undefined) return refuse("--encryption-provider-config is needed");
  const tls = await serviceTls(values, [values["bind-address"]], { log, clock, metrics, refuse });
  const server = createGrpcServer({
    host: values["bind-address"],
    port: values["rpc-port"],
    log,
    security: tls?.with(values["rpc-allowed-peers"]),
    joinTrace: tracing?.join,
  });
  const serverId = `${hostname()}_${randomUUID()}`;
  const kms = assembleKms(settings.value, { serverId, clock, log, metrics });
  registerAnswers(kms, server.services);
  for (const { name, run } of kms.checks) health.check(name, run, { livez: false });

  await runInternalService({
    tools,
    values,
    tls,
    async start() {
      await kms.start();
      return { rpc: await server.listen() };
    },
    async stop() {
      await server.close(2_000);
      kms.stop();
      await tracing?.stop();
    },
  });
}
