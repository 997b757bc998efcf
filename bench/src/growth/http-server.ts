import { connect } from "@orch/e2e/harness/http.js";
import { readManifests } from "@orch/e2e/harness/manifest-files.js";
import { startStandalone } from "@orch/e2e/harness/target.js";
import type { HeaderList } from "@orch/service-gateway/http/response.js";
import { cpuMicroseconds } from "../cpu.js";
import type { Server } from "./server.js";

/** A server in a process of its own, asked over its HTTPS port: the CPU of all its threads counts. */
export async function startHttpServer(): Promise<Server> {
  const args = ["--secure-port=0", "--runtime-config=api/all=true", "--feature-gates=CBORServingAndStorage=true"];
  const target = await startStandalone({ dialect: "kubernetes", args: [...args, "--controllers="] });
  const http = connect(target);
  await http.post("/api/v1/namespaces", { metadata: { name: readManifests().namespace } });
  return {
    cpu: () => cpuMicroseconds(target.process.pid ?? 0) / 1000,
    async ask({ method = "GET", target: path, headers = {}, body }) {
      const answer = await http.call({ method, path, headers, ...(body === undefined ? {} : { body }) });
      const list: HeaderList = Object.entries(answer.headers).flatMap(([name, value]) => [name, String(value)]);
      const header = (name: string): readonly string[] => list.filter((_, i) => list[i - 1] === name);
      return { code: answer.status, headers: list, body: answer.bytes, header };
    },
    plant: () => Promise.resolve(false),
    forget: () => Promise.resolve(),
    faults: [],
    async stop() {
      http.close();
      await target.stop();
    },
  };
}
