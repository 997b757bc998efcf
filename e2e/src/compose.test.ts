import assert from "node:assert/strict";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { startPatienceMs, twice } from "./containers/administration.js";
import { openEngine, podmanMissing } from "./containers/open-engine.js";
import { type Project, startProject } from "./containers/project.js";
import { until } from "./harness/until.js";
import { behaviour } from "./suite/behaviour.js";

const engine = podmanMissing() ?? (await openEngine());
const skip = typeof engine === "string" ? `SKIPPED: ${engine}` : false;
if (skip !== false) process.stderr.write(`\n*** docker-compose.yml is not tried: ${skip}\n\n`);

/** What most clients do; the whole suite runs on processes, which are the same programs. */
const core = ["kinds", "patches", "paged lists", "watches", "resource versions", "service allocation", "errors"];
/** Beside other tests, with every package fetched for the first time. */
const startMs = 900_000;
/** `ORCH_TEST_COMPOSE=all`: with Kafka and Prometheus, of which hundreds of megabytes are fetched. */
const isWhole = process.env["ORCH_TEST_COMPOSE"] === "all";
const configMaps = { group: "", version: "v1", resource: "configmaps", namespace: "default" };

describe("docker-compose.yml, brought up by podman-compose", { skip }, () => {
  let running: Project | undefined;
  const project = (): Project => {
    if (running === undefined) throw new Error("the services were not brought up");
    return running;
  };
  before(
    async () => {
      if (typeof engine !== "string") running = await twice(() => startProject(engine, { isWhole }));
    },
    { timeout: startMs },
  );
  after(
    async () => {
      if (typeof engine !== "string") await engine.close();
    },
    { timeout: startMs },
  );

  test("our containers run as nobody special on a file system that they cannot write", async () => {
    const foreign = new Set(["etcd", "redis", "balancer", "kafka", "prometheus"]);
    for (const service of project().services.filter((each) => !foreign.has(each))) {
      const { user, readOnly } = await project().inspect(service);
      assert.deepEqual({ user, readOnly }, { user: "65532:65532", readOnly: true }, service);
    }
  });

  test("no secret is in an environment variable or in an image", async () => {
    for (const service of project().services) {
      const { environment } = await project().inspect(service);
      const names = environment.map((each) => each.slice(0, each.indexOf("=")));
      assert.deepEqual(
        names.filter((each) => /key|secret|token|password|credential/i.test(each)),
        [],
        service,
      );
    }
    if (typeof engine === "string") return;
    for (const image of ["orch-gateway", "orch-resource", "orch-cli"]) {
      const folder: string = (await engine.podman("image", "mount", image)).trim();
      const files: readonly string[] = await readdir(join(folder, "orch"), { recursive: true });
      assert.deepEqual(
        files.filter((file) => /\.key$|orchconfig$|tokens\.csv$/.test(file)),
        [],
        image,
      );
      await engine.podman("image", "unmount", image);
    }
  });

  behaviour("the core of the behaviour suite", { start: async () => project().target, only: core });

  test("secrets are sealed in etcd's files", async () => {
    const { client } = project();
    const secrets = { ...configMaps, resource: "secrets" };
    for (const [collection, kind] of [
      [secrets, "Secret"],
      [configMaps, "ConfigMap"],
    ] as const) {
      const text = `plain text of a ${kind}`;
      const data = kind === "Secret" ? Buffer.from(text).toString("base64") : text;
      await client.create(collection, { apiVersion: "v1", kind, metadata: { name: "sealed" }, data: { text: data } });
    }
    const wal = join(await project().volume("etcd-data"), "member/wal");
    const written = Buffer.concat(await Promise.all((await readdir(wal)).map((file) => readFile(join(wal, file)))));
    assert.ok(written.includes("plain text of a ConfigMap"));
    assert.ok(!written.includes(Buffer.from("plain text of a Secret").toString("base64")));
  });

  const part = isWhole ? false : "only with ORCH_TEST_COMPOSE=all";
  test("Prometheus reads everybody's metrics and has our rules", { skip: part }, async () => {
    const ask = askerOf(project());
    const targets = await until("every target is up", async () => {
      const up = samplesOf(await ask("/api/v1/query?query=up"));
      return up.length > 0 && up.every(({ value: [, text] }) => text === "1") ? up : undefined;
    });
    const jobs = new Set(targets.map(({ metric }) => metric["job"]));
    const others = [
      "resource-core",
      "resource-others",
      "watch-cache",
      "admission",
      "audit",
      "kms",
      "controller-manager",
    ];
    assert.deepEqual([...jobs].sort(), ["gateway", "etcd", ...others].map((job) => `orch-${job}`).sort());
    assert.match(await ask("/api/v1/rules?type=alert"), /OrchErrorBudgetBurns/);
  });

  test("audit events reach Kafka", { skip: part }, async () => {
    const ask = askerOf(project());
    await until("delivered events are counted", async () => {
      const query = encodeURIComponent('orch_audit_events_delivered_total{plugin="kafka"}');
      const [sample] = samplesOf(await ask(`/api/v1/query?query=${query}`));
      return sample !== undefined && Number(sample.value[1]) > 0 ? true : undefined;
    });
  });

  test("a container that is killed comes back, and nothing that was acknowledged is lost", {
    timeout: startMs,
  }, async () => {
    const { client, services, inspect, crash } = project();
    const acknowledged: string[] = [];
    for (const service of services) {
      const { pid } = await inspect(service);
      await crash(service);
      await until(
        `${service} runs again`,
        async () => {
          const state = await inspect(service);
          return state.running && state.pid !== pid ? true : undefined;
        },
        startPatienceMs,
      );
      const name = `after-${service}`;
      await until(
        `a write after ${service} was killed`,
        async () => {
          const object = { apiVersion: "v1", kind: "ConfigMap", metadata: { name } };
          return client.create(configMaps, object).then(
            () => true,
            () =>
              client.get(configMaps, name).then(
                () => true,
                () => undefined,
              ),
          );
        },
        startPatienceMs,
      );
      acknowledged.push(name);
    }
    const names = await until("a list once all have come back", () =>
      client.list(configMaps).then(
        ({ items }) => items.map(({ metadata }) => metadata.name),
        () => undefined,
      ),
    );
    assert.deepEqual(
      acknowledged.filter((name) => !names.includes(name)),
      [],
    );
  });

  test("a namespace that is deleted goes, after all were killed", async () => {
    const { client } = project();
    const namespaces = { group: "", version: "v1", resource: "namespaces" };
    await client.create(namespaces, { apiVersion: "v1", kind: "Namespace", metadata: { name: "passing" } });
    await client.delete(namespaces, "passing");
    await until("it is gone", () =>
      client.get(namespaces, "passing").then(
        () => undefined,
        () => true,
      ),
    );
  });

  test("taken down, nothing of it is left", { timeout: startMs }, async () => {
    await project().down();
    if (typeof engine === "string") return;
    assert.equal(await engine.podman("ps", "--all", "--quiet"), "");
    assert.equal(await engine.podman("volume", "ls", "--quiet"), "");
  });
});

/** What Prometheus answers to a query, as far as it is looked at. */
interface Sample {
  readonly metric: Readonly<Record<string, string>>;
  readonly value: readonly [seconds: number, text: string];
}

function samplesOf(text: string): readonly Sample[] {
  const { data }: { readonly data: { readonly result: readonly Sample[] } } = JSON.parse(text);
  return data.result;
}

const askerOf =
  ({ prometheus }: Project) =>
  async (path: string): Promise<string> =>
    (await fetch(`${prometheus}${path}`)).text();
