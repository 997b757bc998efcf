import { readJson } from "@orch/status/read-json.js";
import { type Tree, textAt, treeAt } from "../json.js";
import type { Api } from "./client.js";
import type { Kind } from "./discovery.js";
import { asFailure, type Failure } from "./failure.js";
import { collectionPath, objectPath, type Place, query } from "./paths.js";

export type ObjectState =
  | { readonly phase: "loading" }
  | { readonly phase: "there"; readonly object: Tree }
  | { readonly phase: "gone"; readonly failure: Failure }
  | { readonly phase: "failed"; readonly failure: Failure };

export interface FollowOptions {
  readonly api: Api;
  readonly kind: Kind;
  readonly place: Place;
  readonly signal: AbortSignal;
  readonly show: (state: ObjectState) => void;
  readonly after: (ms: number, run: () => void) => void;
}

const againMs = 1000;

/** Shows an object as it is now, until the signal. An object that is gone is looked for again when one of its name comes. */
export async function followObject({ api, kind, place, signal, show, after }: FollowOptions): Promise<void> {
  const pause = (): Promise<void> => new Promise((resolve) => after(againMs, resolve));
  const read = async (): Promise<string> => {
    try {
      const object = treeAt(await api.get(objectPath(kind, place), { signal }));
      show({ phase: "there", object });
      return textAt(object, "metadata", "resourceVersion");
    } catch (error) {
      const failure = asFailure(error);
      if (failure.status !== 404) throw failure;
      show({ phase: "gone", failure });
      return "";
    }
  };
  const watch = (resourceVersion: string): Promise<void> => {
    const fieldSelector = `metadata.name=${place.name}`;
    const asked = query({ watch: true, fieldSelector, resourceVersion });
    const take = (line: string): void => {
      const event: unknown = readJson(line);
      const type = textAt(event, "type");
      if (type === "ADDED" || type === "MODIFIED") show({ phase: "there", object: treeAt(event, "object") });
      if (type === "DELETED") void read().catch(() => undefined);
    };
    return api.lines(collectionPath(kind, place.namespace) + asked, take, { signal });
  };
  for (let isFirst = true; !signal.aborted; isFirst = false) {
    try {
      const at = await read();
      if (!kind.verbs.has("watch")) return;
      await watch(at);
    } catch (error) {
      if (signal.aborted) return;
      const failure = asFailure(error);
      if (isFirst || failure.status === 403) show({ phase: "failed", failure });
      if (failure.status === 403) return;
    }
    await pause();
  }
}
