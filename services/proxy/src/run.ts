import { writeFileSync } from "node:fs";
import { createClient } from "@orch/client/http/http.js";
import { createMirror } from "@orch/client/mirror.js";
import { serviceConfig } from "@orch/client/service-config.js";
import { createNaming } from "@orch/naming/naming.js";
import { createProfiling } from "@orch/runtime/profiling/profiling.js";
import { processTools } from "@orch/runtime/program.js";
import { runService } from "@orch/runtime/run-service.js";
import { formatMs } from "@orch/schema/formats/duration.js";
import { messageOf } from "@orch/status/message-of.js";
import { commandLine, type Started } from "./command-line.js";
import { configurationFields, type FlagTexts, readProxy } from "./configuration-file.js";
import { fieldFlags } from "./flags.js";
import { interfaceAddresses, machineBackends, setSystemValues, thisMachine } from "./machine.js";
import { createProxyService } from "./service.js";
import { proxySettings } from "./settings.js";
import { type BackendDeps, cleanUp } from "./sides.js";

/** Puts the service together and serves until the process is told to stop. */
export async function run(
  { values, given, notes, documents, argv, refuse }: Started,
  environment: NodeJS.ProcessEnv,
): Promise<void> {
  const tools = processTools("proxy", values, refuse);
  const { log, clock, metrics } = tools;
  const naming = createNaming(values["api-dialect"]);
  const windows = process.platform === "win32";
  const read = readProxy(documents, flagTexts(values, given), { naming, windows });
  if (!read.ok) return refuse(read.problems.join("; "));
  const { config } = read;
  if (values["write-config-to"] !== "") {
    writeFileSync(values["write-config-to"], read.text);
    return;
  }
  const backends = machineBackends(naming, { clock, environment });
  if (values.cleanup) return removeRules(backends);

  const chosen = proxySettings(config, thisMachine());
  if (!chosen.ok) return fail(chosen.problem);
  setSystemValues(chosen.settings, log);
  setOwnScore(config.oomScoreAdj);
  if (values["init-only"]) return;

  const clientConfig = await serviceConfig(config.clientConnection.orchconfig, {
    ...{ program: commandLine.name, clock, environment },
  });
  const client = createClient(clientConfig, { userAgent: naming.systemName("proxy"), multiplexed: true });
  const mirror = createMirror({ client, naming, clock, random: Math.random });
  const service = createProxyService(chosen.settings, {
    ...backends,
    ...{ mirror, clock, log, metrics, configText: read.text },
    profiling: createProfiling({ clock, argv }),
    interfaceAddresses,
  });
  await runService({
    tools,
    values: { ...values, "bind-address": config.bindAddress },
    async start() {
      log.info({ mode: chosen.settings.mode, node: chosen.settings.hostname }, "starting");
      for (const note of notes) log.warn({}, note);
      await service.start();
      return service.ports;
    },
    async stop() {
      await service.stop();
      await client.close();
    },
  });

  /** Who is killed first where memory runs out. */
  function setOwnScore(score: number): void {
    try {
      writeFileSync("/proc/self/oom_score_adj", String(score));
    } catch (error) {
      log.warn({ score, problem: messageOf(error) }, "the score of memory could not be set");
    }
  }
  async function removeRules(deps: BackendDeps): Promise<void> {
    const told = (err: unknown, family: string): void => log.error({ err, family }, "rules could not be removed");
    const all = [await cleanUp("iptables", deps, told), await cleanUp("nftables", deps, told)];
    process.exit(all.every((each) => each) ? 0 : 1);
  }
}

/** The flags that the command line or the file has given, as the configuration's fields have them. */
function flagTexts(values: Started["values"], given: ReadonlySet<string>): FlagTexts {
  const texts = Object.keys(configurationFields)
    .filter((name) => given.has(name))
    .flatMap((name) => {
      const value = Object.entries(values).find(([flag]) => flag === name)?.[1];
      const isDuration = Object.entries(fieldFlags).some(([flag, { type }]) => flag === name && type === "duration");
      return value === undefined ? [] : [[name, isDuration ? formatMs(Number(value)) : value]];
    });
  return Object.fromEntries(texts);
}

/** A mode that cannot be used ends the proxy. */
function fail(problem: string): never {
  process.stderr.write(`${commandLine.name}: ${problem}\n`);
  return process.exit(1);
}
