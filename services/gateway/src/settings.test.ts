import assert from "node:assert/strict";
import { test } from "node:test";
import { createNaming } from "@orch/naming/naming.js";
import { readCommandLine } from "@orch/runtime/flags/flags.js";
import { releaseSettings } from "@orch/runtime/flags/release-flags.js";
import { createLog } from "@orch/runtime/log.js";
import { servingFlags } from "./flags.js";
import { servedCatalog, servingSettings } from "./settings.js";

const program = { name: "gateway", description: "", version: "1.32", flags: servingFlags };

function read(...args: readonly string[]) {
  const line = readCommandLine(program, args);
  assert.ok(line.run, "the command line is wrong");
  const release = releaseSettings(line.values);
  assert.ok(release.ok, "the release flags are wrong");
  return { values: line.values, release: release.value };
}

test("gates become what they mean to the gateway", () => {
  const rows: readonly (readonly [args: readonly string[], cbor: boolean, podResize: boolean])[] = [
    [[], false, false],
    [["--feature-gates=CBORServingAndStorage=true"], true, false],
    [["--feature-gates=InPlacePodVerticalScaling=true"], false, true],
    [["--feature-gates=AllAlpha=true"], true, true],
    [["--feature-gates=AllAlpha=true", "--emulated-version=1.31"], false, true],
  ];
  for (const [args, cbor, podResize] of rows) {
    const { values, release } = read(...args);
    const settings = servingSettings(values, {
      gates: release.gates,
      given: new Set(),
      tokens: [],
      identity: undefined,
    });
    assert.deepEqual({ cbor: settings.cbor, podResize: settings.podResize }, { cbor, podResize }, args.join(" "));
  }
});

test("aggregated discovery is off only where a release lets its gate be", () => {
  const rows: readonly (readonly [args: readonly string[], aggregated: boolean])[] = [
    [[], true],
    [["--emulated-version=1.29", "--feature-gates=AggregatedDiscoveryEndpoint=false"], false],
    [["--emulated-version=1.26"], false],
    [["--emulated-version=1.26", "--feature-gates=AggregatedDiscoveryEndpoint=true"], true],
  ];
  for (const [args, aggregated] of rows) {
    const { values, release } = read(...args);
    const settings = servingSettings(values, {
      gates: release.gates,
      given: new Set(),
      tokens: [],
      identity: undefined,
    });
    assert.equal(settings.aggregatedDiscovery, aggregated, args.join(" "));
  }
});

interface Loaded {
  readonly problem: string;
  readonly lines: readonly string[];
  readonly served: (group: string, version: string, plural: string) => boolean;
}

function load(...args: readonly string[]): Loaded {
  const { values, release } = read(...args);
  const lines: string[] = [];
  const { log } = createLog({ level: "info", format: "json", write: (line) => void lines.push(line) });
  let problem = "";
  const refuse = (text: string): never => {
    problem = text;
    throw new RangeError("the start ends");
  };
  const options = { release: release.release, runtimeConfig: values["runtime-config"] };
  try {
    const catalog = servedCatalog(createNaming("orch"), options, { refuse, log });
    return { problem, lines, served: (g, v, plural) => catalog.resource(g, v, plural) !== undefined };
  } catch (error) {
    assert.ok(error instanceof RangeError);
    return { problem, lines, served: () => false };
  }
}

test("the emulated release and the runtime configuration decide what is served", () => {
  const rows: readonly (readonly [
    args: readonly string[],
    resource: readonly [string, string, string],
    served: boolean,
  ])[] = [
    [[], ["batch", "v1beta1", "cronjobs"], false],
    [["--emulated-version=1.24"], ["batch", "v1beta1", "cronjobs"], true],
    [["--emulated-version=1.20"], ["batch", "v1", "cronjobs"], false],
    [[], ["resource.orch", "v1beta1", "deviceclasses"], false],
    [["--runtime-config=resource.orch/v1beta1"], ["resource.orch", "v1beta1", "deviceclasses"], true],
    [["--runtime-config=api/beta=true"], ["resource.orch", "v1beta1", "deviceclasses"], true],
    [["--runtime-config=apps/v1=false"], ["apps", "v1", "deployments"], false],
    [["--runtime-config=api/all=false,v1=true"], ["apps", "v1", "deployments"], false],
    [["--runtime-config=api/all=false,v1=true"], ["", "v1", "pods"], true],
  ];
  for (const [args, resource, served] of rows) {
    assert.equal(load(...args).served(...resource), served, `${args.join(" ")} ${resource.join("/")}`);
  }
});

test("a key that nothing answers to ends the start with a sentence that names the flag", () => {
  for (const entry of ["nothing.orch/v1", "apps/v1/chairs", "api/gamma", "apps/v1=maybe"]) {
    const { problem } = load(`--runtime-config=${entry}`);
    assert.match(problem, /^--runtime-config: ./);
    assert.ok(problem.includes(entry.split("=")[0] ?? ""), problem);
  }
});

test("what is asked for in vain is a warning in the log", () => {
  const { lines, problem } = load("--runtime-config=batch/v1beta1=true");
  assert.equal(problem, "");
  assert.equal(lines.length, 1);
  assert.match(lines[0] ?? "", /--runtime-config: .*batch\/v1beta1/);
});
