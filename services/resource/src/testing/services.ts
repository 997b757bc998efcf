import type { Service, ServiceSpec } from "@orch/api/kinds/core/service/service-spec.js";
import type { Naming } from "@orch/naming/naming.js";
import type { WriteReply, WriteRequest } from "@orch/rpc/messages.js";
import { ApiError } from "@orch/status/api-error.js";
import { key } from "@orch/store/revision.js";
import type { Store } from "@orch/store/store.js";
import { type AddressObjects, claimIn, claimsOf, textOf } from "../allocation/claims.js";
import { poolNames } from "../allocation/pools.js";
import { usesOf } from "../allocation/service-numbers.js";
import type { Subject } from "./bed.js";

/** Writes of Services in `default`: the new spec, or the sentence of the error. */
export interface ServiceClient {
  create(name: string, spec: object, more?: Partial<WriteRequest>): Promise<Outcome>;
  update(name: string, spec: object, more?: Partial<WriteRequest>): Promise<Outcome>;
  remove(name: string, more?: Partial<WriteRequest>): Promise<Outcome>;
}

export type Outcome =
  | { readonly done: true; readonly spec: ServiceSpec }
  | { readonly done: false; readonly code: number; readonly problem: string };

export function serviceClient({ write, read }: Subject): ServiceClient {
  const outcome = async (reply: Promise<WriteReply>): Promise<Outcome> => {
    try {
      const service: Service = read(await reply);
      return { done: true, spec: service.spec ?? {} };
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      return { done: false, code: error.code, problem: error.message };
    }
  };
  const at = { resource: "services" };
  return {
    create: (name, spec, more) => outcome(write({ ...at, ...more }, { metadata: { name }, spec })),
    update: (name, spec, more) =>
      outcome(write({ ...at, verb: "update", name, ...more }, { metadata: { name }, spec })),
    remove: (name, more) => outcome(write({ ...at, verb: "delete", name, ...more })),
  };
}

/** What is claimed, and for which service: `10.0.0.17 a`. */
export async function claimed(
  store: Store,
  { storePrefix }: Naming,
  objects?: AddressObjects,
): Promise<readonly string[]> {
  const lines: string[] = [];
  const claims = { store, prefix: storePrefix, objects };
  for (const pool of poolNames) {
    for await (const entry of claimsOf(claims, pool)) {
      lines.push(`${textOf(entry.key)} ${claimIn(claims, entry).owner.name}`);
    }
  }
  return lines.sort();
}

/** What stored services have: in the words of {@link claimed}. */
export async function inUse(store: Store, { storePrefix }: Naming): Promise<readonly string[]> {
  const { entries } = await store.range({ prefix: key(`${storePrefix}services/specs/`) });
  const services: readonly Service[] = entries.map(({ value }) => JSON.parse(value.toString()));
  return services.flatMap((s) => usesOf(s.spec ?? {}).map(({ text }) => `${text} ${s.metadata.name}`)).sort();
}
