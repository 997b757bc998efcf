import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { after, before, describe, test } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { connect, type Http } from "./harness/http.js";
import { startStandalone, type Target } from "./harness/target.js";
import { until } from "./harness/until.js";

const program = fileURLToPath(new URL("../../services/cli/dist/main.js", import.meta.url));
const group = "tools.example.com";
const schema = { type: "object", properties: { spec: { type: "object", properties: { size: { type: "integer" } } } } };

describe("orch cel over live objects", () => {
  let target: Target;
  let http: Http;
  before(async () => {
    target = await startStandalone();
    http = connect(target);
  });
  after(async () => {
    http.close();
    await target.stop();
  });

  const cel = async (...args: readonly string[]): Promise<string> => {
    const all = [program, "cel", "--api-dialect", target.naming.dialect, "--orchconfig", target.clientConfig, ...args];
    return (await promisify(execFile)(process.execPath, all)).stdout;
  };

  test("an object of a built-in kind is checked against its type", async () => {
    const made = await http.post("/api/v1/namespaces/default/configmaps", {
      metadata: { name: "a" },
      data: { x: "1" },
    });
    assert.equal(made.status, 201, made.text);
    const told = await cel("--object", "configmaps/a", "self.data['x'] == '1' && self.metadata.name == 'a'");
    assert.match(told, /^type {6}bool\n/);
    assert.match(told, /\nvalue {5}true\n$/);
    await assert.rejects(cel("--object", "ConfigMap/a", "self.dta"), { stdout: /undefined field 'dta'/ });
  });

  test("an object of a custom kind is checked against its definition", async () => {
    const version = { name: "v1", served: true, storage: true, schema: { openAPIV3Schema: schema } };
    const names = { plural: "gears", kind: "Gear" };
    const spec = { group, scope: "Namespaced", names, versions: [version] };
    const definitions = `/apis/${target.naming.group("apiextensions")}/v1/customresourcedefinitions`;
    const defined = await http.post(definitions, { metadata: { name: `gears.${group}` }, spec });
    assert.equal(defined.status, 201, defined.text);
    const path = `/apis/${group}/v1/namespaces/default/gears`;
    await until("the kind is served", async () => (await http.get(path)).status === 200 || undefined);
    const gear = { apiVersion: `${group}/v1`, kind: "Gear", metadata: { name: "a" }, spec: { size: 3 } };
    assert.equal((await http.post(path, gear)).status, 201);
    assert.match(await cel("--object", `Gear.${group}/a`, "self.spec.size"), /^type {6}int\nestimate {2}3\n/);
    await assert.rejects(cel("--object", "gears/none", "self.spec"), { stdout: /orch cel: .*"none" not found/ });
  });
});
