import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, type TestContext, test } from "node:test";
import { startStandalone } from "../harness/target.js";
import { execute, manifestFiles, quietManifests, readOutcomes, removedReleases } from "./program.js";

/** A client program that is ready to run, or why there is none here. */
export type Prepared = { readonly command: readonly string[] } | { readonly missing: string };

export interface Client {
  readonly name: string;
  /** Builds or installs it; what needs not last goes into the folder. @throws Error when it is broken, not missing */
  readonly prepare: (folder: string) => Promise<Prepared>;
  /** Further flags of the program against a server of the current release that speaks CBOR too. */
  readonly current?: readonly string[];
}

/** Every kind, and what is deleted is gone at once. */
const everything = [
  ...["--secure-port=0", "--runtime-config=api/all=true"],
  "--disable-admission-plugins=StorageObjectInUseProtection",
];

interface Given {
  readonly manifests: string;
  readonly args: readonly string[];
}

/** A client program against this release, and against each of those whose versions were removed: a test for each line. */
export function clientSuite(client: Client): void {
  // Two at a time: a client mostly waits for its server, or the other way round.
  describe(client.name, { concurrency: 2 }, () => {
    let folder: string;
    let prepared: Prepared;
    before(async () => {
      folder = await mkdtemp(join(tmpdir(), "orch-client-"));
      prepared = await client.prepare(folder);
    });
    after(() => rm(folder, { recursive: true, force: true }));

    const against = async (t: TestContext, serverArgs: readonly string[], given: Given): Promise<void> => {
      if ("missing" in prepared) {
        t.skip(`SKIPPED: ${prepared.missing}`);
        return;
      }
      const target = await startStandalone({ args: [...everything, ...serverArgs] });
      t.after(() => target.stop());
      const manifests = `--manifests=${await quietManifests(given.manifests, folder)}`;
      const command = [...prepared.command, `--kubeconfig=${target.clientConfig}`, manifests, ...given.args];
      const { code, output, errors } = await execute(command);
      const outcomes = readOutcomes(output);
      for (const { name, ok, reasons } of outcomes) await t.test(name, () => assert.ok(ok, reasons));
      const expected = outcomes.every(({ ok }) => ok) ? 0 : 1;
      assert.ok(outcomes.length > 1 && code === expected, `it ended with ${code}: ${errors}\n${target.log()}`);
    };

    test("every kind", (t) =>
      against(t, ["--feature-gates=CBORServingAndStorage=true"], {
        manifests: manifestFiles.current,
        args: client.current ?? [],
      }));

    for (const release of removedReleases()) {
      test(`versions that are removed now, at release ${release}`, (t) =>
        against(t, [`--emulated-version=${release}`], {
          manifests: manifestFiles.removed,
          args: [`--release=${release}`],
        }));
    }
  });
}
