import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { after, before, describe, test } from "node:test";
import { isDeepStrictEqual } from "node:util";
import { createNaming } from "@orch/naming/naming.js";
import { decideSlices } from "@orch/service-controller-manager/endpoint-slices/decide-slices.js";
import { portsKey } from "@orch/service-controller-manager/endpoint-slices/endpoint-of.js";
import { type Endpoint, endpointsOf, type Slice } from "@orch/service-controller-manager/endpoint-slices/objects.js";
import { sliceWords } from "@orch/service-controller-manager/endpoint-slices/slice-labels.js";
import { zoneShares } from "@orch/service-controller-manager/endpoint-slices/zone-shares.js";
import type { SeenNode } from "@orch/service-controller-manager/seen/node.js";
import { buildGoProgram } from "../clients/go-program.js";
import { type Case, randomCase } from "./random-slices.js";

interface Outcome {
  readonly created: readonly Slice[];
  readonly updated: readonly Slice[];
  readonly deleted: readonly string[];
  readonly events: readonly string[];
}

const words = sliceWords(createNaming("kubernetes"), "endpointslice-controller");
const zone = "topology.kubernetes.io/zone";

function ours({ service, pods, nodes, slices, max }: Case): Outcome {
  const known = new Map(nodes.map((node): [string, SeenNode] => [node.metadata.name ?? "", node]));
  const nodeOf = (name: string) => {
    const node = known.get(name);
    return node === undefined ? undefined : { zone: node.metadata.labels?.[zone] ?? "" };
  };
  const shares = zoneShares(nodes, { zone, controlPlane: ["node-role.kubernetes.io/control-plane"] });
  const options = { words, max, shares, hinted: false };
  const { create, update, remove, events } = decideSlices({ service, pods, slices, nodeOf }, options);
  return {
    created: create,
    updated: update,
    deleted: remove.map(({ metadata }) => metadata.name ?? ""),
    events: events.map(({ type, reason, message }) => `${type} ${reason} ${message}`),
  };
}

const sorted = <T>(values: Iterable<T>): readonly T[] => [...values].sort();

/** How full the slices of each list of ports are afterwards, and what was written: which of its equals goes where is chance. */
function grouping({ slices }: Case, { created, updated, deleted, events }: Outcome) {
  const written = new Set([...updated.map(({ metadata }) => metadata.name), ...deleted]);
  const after = [...slices.filter(({ metadata }) => !written.has(metadata.name)), ...created, ...updated];
  const zones = new Map<string, number>();
  const hints = after.flatMap(endpointsOf).flatMap((endpoint) => endpoint.hints?.forZones ?? []);
  for (const { name = "" } of hints) zones.set(name, (zones.get(name) ?? 0) + 1);
  const labels = ({ metadata }: Slice) => JSON.stringify(sorted(Object.entries(metadata.labels ?? {})));
  const text = (s: Slice) => `${s.addressType} ${portsKey(s.ports)} ${endpointsOf(s).length} ${labels(s)}`;
  const whole = (s: Slice) => [text(s), ...sorted(endpointsOf(s).map((e) => endpointText(s, e) + hintText(e)))].join();
  const before = new Map(slices.map((slice) => [slice.metadata.name, whole(slice)]));
  // The module writes slices as they are when it gives up in the midst of hints.
  const changed = updated.filter((slice) => before.get(slice.metadata.name) !== whole(slice));
  return {
    writes: [created.length, changed.length, deleted.length],
    slices: sorted(after.map(text)),
    endpoints: sorted(after.flatMap((slice) => endpointsOf(slice).map((e) => endpointText(slice, e)))),
    hints: sorted(zones.values()),
    // Which family is told of is chance, too.
    events: sorted(events.map((event) => event.replace(/(Enabled.*) IPv[46]$/, "$1"))),
  };
}

const hintText = ({ hints }: Endpoint): string => JSON.stringify(hints ?? null);

function endpointText(slice: Slice, endpoint: Endpoint): string {
  const { addresses, conditions = {}, hostname, nodeName, targetRef, zone: of } = endpoint;
  const { ready, serving, terminating } = conditions;
  const about = [targetRef?.kind, targetRef?.namespace, targetRef?.name, targetRef?.uid];
  return JSON.stringify([portsKey(slice.ports), addresses, ready, serving, terminating, hostname, nodeName, about, of]);
}

async function ask(program: string, cases: readonly Case[]): Promise<readonly Outcome[]> {
  const child = spawn(program, { stdio: ["pipe", "pipe", "inherit"] });
  child.stdin.end(cases.map((each) => `${JSON.stringify(each)}\n`).join(""));
  const answers: Outcome[] = [];
  for await (const line of createInterface({ input: child.stdout })) {
    const { created, updated, deleted, events }: { readonly [part in keyof Outcome]: Outcome[part] | null } =
      JSON.parse(line);
    answers.push({ created: created ?? [], updated: updated ?? [], deleted: deleted ?? [], events: events ?? [] });
  }
  return answers;
}

describe("slices of services, beside those that the reference's module makes", () => {
  let folder = "";
  let program = "";
  let missing: string | undefined;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), "orch-slices-"));
    program = join(folder, "endpointslices");
    missing = await buildGoProgram({ module: "go", package: "./endpointslices", to: program });
  });
  after(() => rm(folder, { recursive: true, force: true }));

  test("the same pods and slices lead to the same grouping", async (t) => {
    if (missing !== undefined) return t.skip(missing);
    const cases = Array.from({ length: 600 }, (_, seed) => randomCase(seed));
    const answers = await ask(program, cases);
    assert.equal(answers.length, cases.length);
    const isAnswered = (each: Case, answer: Outcome): boolean =>
      isDeepStrictEqual(grouping(each, answer), grouping(each, ours(each)));
    // Zones that want as much as each other are served in an order of chance: it is asked for many.
    const chances = 100;
    const others = cases.filter((each, at) => answers[at] === undefined || !isAnswered(each, answers[at]));
    assert.ok(others.length < 20, `${others.length} cases are other ones`);
    for (const each of others) {
      const again = await ask(
        program,
        Array.from({ length: chances }, () => each),
      );
      const [first] = again;
      assert.ok(first);
      if (!again.some((answer) => isAnswered(each, answer))) {
        assert.deepEqual(grouping(each, ours(each)), grouping(each, first), `case ${cases.indexOf(each)}`);
      }
    }
    const hinted = cases.filter((each) => grouping(each, ours(each)).hints.length > 0).length;
    // A judge that saw no hints judged none.
    assert.ok(hinted > 20, `${hinted} cases with hints`);
  });
});
