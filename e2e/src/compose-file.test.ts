import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { isRecord } from "@orch/client/objects.js";
import { parseYaml } from "@orch/codec/yaml/yaml.js";
import { orch, root } from "./command-line-program.js";
import { listAt, textAt, valueAt } from "./helm/rendered.js";

/** docker-compose.yml as it is written: nothing of it may be what the programs, or the file itself, do not know. */

/** `${ORCH_DIALECT:-orch}` as it is where nobody says otherwise. */
const asDefault = (text: string): string => text.replaceAll(/\$\{[A-Z_]+:-([^}]*)\}/g, "$1");

async function readYaml(path: string): Promise<unknown> {
  const read = parseYaml(Buffer.from(asDefault(await readFile(join(root, path), "utf8"))));
  assert.ok(read.ok, path);
  return read.value;
}

interface Mount {
  readonly source: string;
  readonly at: string;
}

interface Service {
  readonly name: string;
  /** Of ours, without `orch-`; "" of somebody else's. */
  readonly program: string;
  readonly command: readonly string[];
  readonly mounts: readonly Mount[];
}

function serviceOf(name: string, value: unknown): Service {
  const [, program = ""] = /^orch-([a-z-]+):/.exec(textAt(value, "image")) ?? [];
  const mounts = listAt(value, "volumes").map((each) => {
    const [source = "", at = ""] = String(each).split(":");
    return { source, at };
  });
  return { name, program, command: listAt(value, "command").map(String), mounts };
}

describe("docker-compose.yml", () => {
  let file: unknown;
  let services: readonly Service[] = [];
  let folder = "";
  const ours = () => services.filter(({ program }) => program !== "" && program !== "cli");
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), "orch-compose-"));
    file = await readYaml("docker-compose.yml");
    const found = valueAt(file, "services");
    services = isRecord(found) ? Object.entries(found).map(([name, value]) => serviceOf(name, value)) : [];
    assert.ok(ours().length > 9);
  });
  after(() => rm(folder, { recursive: true, force: true }));

  test("starts programs with flags that they know, and values that they take", async () => {
    for (const { name, program, command, mounts } of ours()) {
      const line = command.map((argument) => {
        const mount = mounts.find(({ at }) => argument === `--config=${at}`);
        return mount === undefined ? argument : `--config=${join(root, mount.source)}`;
      });
      const { code, err } = await orch(program, ...line, "--print-config");
      assert.equal(code, 0, `${name}: ${err}`);
    }
  });

  test("builds an image of each program of ours", async () => {
    const recipe = await readFile(join(root, "deploy/images/Containerfile"), "utf8");
    for (const { program } of ours()) assert.match(recipe, new RegExp(`^FROM .* AS ${program}$`, "m"));
  });

  test("mounts every file that a flag or a client configuration names, of volumes that setup fills", async () => {
    const volumes = Object.keys(Object(valueAt(file, "volumes")));
    const filled = new Set(services.find(({ name }) => name === "setup")?.mounts.map(({ source }) => source));
    const made = join(folder, "made");
    assert.equal((await orch("certificates", `--output=${made}`, "--etcd-name=etcd")).code, 0);
    for (const { name, command, mounts } of ours()) {
      const texts = [...command];
      for (const { source, at } of mounts.filter((mount) => mount.source.startsWith("./"))) {
        assert.ok(existsSync(join(root, source)), `${name}: ${source}`);
        if (at.endsWith(".orchconfig")) texts.push(await readFile(join(root, source), "utf8"));
      }
      for (const { source } of mounts.filter((mount) => !mount.source.startsWith("."))) {
        assert.ok(volumes.includes(source), `${name}: the volume ${source}`);
      }
      for (const [path, folderOf = "", bundle = ""] of texts
        .join("\n")
        .matchAll(/(\/certificates\/([a-z-]+))\/[a-z.]+/g)) {
        const mount = mounts.find(({ at }) => at === folderOf);
        assert.ok(mount, `${name}: nothing is mounted for ${path}`);
        assert.ok(filled.has(mount.source), `${name}: nobody fills ${mount.source}`);
        if (!["encryption", "redis", "service-accounts-public"].includes(bundle)) {
          assert.ok(existsSync(join(made, bundle, path.slice(folderOf.length + 1))), `${name}: nobody makes ${path}`);
        }
      }
    }
  });

  test("Prometheus asks each program for its metrics, by the name that its certificate has", async () => {
    const prometheus = await readYaml("deploy/compose/prometheus/prometheus.yaml");
    const asked = new Map<string, string>();
    for (const job of listAt(prometheus, "scrape_configs")) {
      const server = textAt(job, "tls_config.server_name");
      for (const target of listAt(job, "static_configs.0.targets")) asked.set(String(target), server);
      for (const name of listAt(job, "dns_sd_configs.0.names")) {
        asked.set(`${name}:${valueAt(job, "dns_sd_configs.0.port")}`, server);
      }
    }
    for (const { name, program } of ours()) {
      const target = program === "gateway" ? `${name}:6443` : `${name}:9002`;
      assert.equal(asked.get(target), program === "gateway" ? "balancer" : program, target);
    }
  });

  test("the scheduler and simulated nodes come by profiles, and nobody else does", () => {
    const profiles = services.flatMap(({ name }) => {
      const own = listAt(valueAt(file, `services.${name}`), "profiles");
      return own.length === 0 ? [] : [[name, own]];
    });
    assert.deepEqual(profiles, [
      ["scheduler", ["scheduler", "nodes"]],
      ["node-simulator", ["nodes"]],
    ]);
  });
});
