import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, type TestContext } from "node:test";
import { type Kubectl, kubectlIn, kubectlMissing } from "../harness/kubectl.js";
import { type StandaloneTarget, startStandalone } from "../harness/target.js";
import { boatsDefinition } from "./boats.js";

export interface BoatsServer {
  /** The kubectl that is here, in a namespace that is made for the test; undefined, and the test skipped, where there is none. */
  inNamespace(t: TestContext, namespace: string): Promise<Kubectl | undefined>;
}

export interface BoatsServerOptions {
  /** Further flags of the server. */
  readonly args?: readonly string[];
  /** What `edit` runs. */
  readonly editor?: string;
}

/** A server that knows boats, for the tests of a file. */
export function serveBoats({ args = [], editor }: BoatsServerOptions = {}): BoatsServer {
  let folder: string;
  let target: StandaloneTarget;
  let missing: string | undefined;

  before(async () => {
    missing = await kubectlMissing();
    if (missing !== undefined) return;
    folder = await mkdtemp(join(tmpdir(), "orch-kubectl-boats-"));
    target = await startStandalone({ dialect: "kubernetes", args });
    const kubectl = await kubectlIn({ target, folder, namespace: "author" });
    await kubectl(["create", `--filename=${await kubectl.file("boats.yaml", boatsDefinition)}`]);
  });
  after(async () => {
    if (missing !== undefined) return;
    await target.stop();
    await rm(folder, { recursive: true, force: true });
  });
  return {
    async inNamespace(t, namespace) {
      const place = { namespace, ...(editor === undefined ? {} : { editor }) };
      if (missing === undefined) return await kubectlIn({ target, folder, ...place });
      t.skip(missing);
      return undefined;
    },
  };
}
