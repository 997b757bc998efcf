import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";

/** Where a local cluster keeps its certificates and client configuration. */
export interface ClusterFolder {
  readonly path: string;
  /** What does not outlive the cluster: all of a temporary folder, of another one the keys of its services. */
  remove(): Promise<void>;
}

/** A new temporary folder where none is given. */
export async function openFolder(given: string): Promise<ClusterFolder> {
  const path = given === "" ? await mkdtemp(join(tmpdir(), "orch-cluster-")) : resolve(given);
  const gone = given === "" ? path : join(path, "pki", "services");
  return { path, remove: () => rm(gone, { recursive: true, force: true }) };
}
