import { once } from "node:events";
import { startClient } from "../load/client-process.js";
import { configMap, fill, type Timing } from "../runs.js";
import type { Row } from "../table.js";
import type { Target } from "../targets.js";
import { measuringCreates } from "../writes/creates.js";

const watchers = 100;
const objects = 11_000;
const connections = 32;
const namespace = "crowd";
const path = `/api/v1/namespaces/${namespace}/configmaps`;

/** What creates lose while watchers that want everything first begin together, round after round. */
export async function benchCrowd(
  target: Target,
  { timing, note }: { readonly timing: Timing; readonly note: (row: Row) => Row },
): Promise<string> {
  await fill(target, namespace, objects);
  const measure = measuringCreates(target, timing);
  const creates = (operation: string) => ({ operation, connections, path, body: configMap });
  await measure(creates("create, to warm up"));
  const calm = note(await measure(creates("create, calm")));
  const [endpoint] = target.endpoints;
  if (endpoint === undefined) return "";
  const script = new URL("./client.js", import.meta.url);
  const asked = `${path}?watch=1&resourceVersion=0`;
  const args = [endpoint.host, String(endpoint.port), endpoint.token, asked, String(watchers), String(objects)];
  const crowd = startClient(script, args);
  let told = "";
  crowd.stdout.on("data", (text: string) => {
    told += text;
  });
  try {
    const during = note(await measure(creates(`create, ${watchers} watchers begin`)));
    // One round at least, however long it takes.
    while (!told.includes("\n")) await once(crowd.stdout, "data");
    const rounds = told.trim().split("\n").map(Number);
    const mean = rounds.reduce((sum, ms) => sum + ms, 0) / rounds.length / 1000;
    const kept = ((during.perSecond / calm.perSecond) * 100).toFixed(0);
    return `${target.name}: while ${watchers} watchers begin at ${objects} objects creates keep ${kept} % of their rate (at least 60), their p99 is ${(during.p99 / calm.p99).toFixed(1)} times the calm one (at most 3); a crowd has all in ${mean.toFixed(1)} s`;
  } finally {
    await crowd.end();
  }
}
