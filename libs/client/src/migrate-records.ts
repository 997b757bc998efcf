import { ApiError } from "@orch/status/api-error.js";
import { readJson } from "@orch/status/read-json.js";
import type { Client } from "./client.js";
import { type Collection, isRecord, pathOf } from "./objects.js";
import { patchTypes } from "./patch-types.js";

export interface MigrateRecordsOptions {
  /** Where an earlier run stopped; "" for the beginning. */
  readonly from?: string;
  readonly signal?: AbortSignal;
  /** Called after each step: `next` is where another run would go on, "" at the end. */
  readonly onStep?: (step: { readonly next: string; readonly done: MigratedRecords }) => void;
}

export interface MigratedRecords {
  readonly records: number;
  /** Of which so many were stored otherwise than they would be now. */
  readonly rewritten: number;
  /** And so many cannot be read: the key that sealed them is gone, or they are damaged. They stay as they are. */
  readonly unreadable: number;
}

/**
 * Has the records of a collection's past stored as they would be now, under the key of today, step by step; undefined where its
 * objects have no history. @throws ApiError
 */
export async function migrateRecords(
  client: Pick<Client, "raw">,
  collection: Collection,
  { from = "", signal, onStep }: MigrateRecordsOptions = {},
): Promise<MigratedRecords | undefined> {
  let done: MigratedRecords = { records: 0, rewritten: 0, unreadable: 0 };
  for (let token = from; ; ) {
    let body: Buffer;
    try {
      ({ body } = await client.raw({
        method: "PATCH",
        path: pathOf(collection, "-", "history"),
        query: { continue: token },
        headers: { "content-type": patchTypes.merge },
        body: "{}",
        ...(signal === undefined ? {} : { signal }),
      }));
    } catch (error) {
      if (error instanceof ApiError && error.reason === "NotFound") return undefined;
      throw error;
    }
    const step = stepOf(body);
    done = {
      records: done.records + step.records,
      rewritten: done.rewritten + step.rewritten,
      unreadable: done.unreadable + step.unreadable,
    };
    onStep?.({ next: step.next, done });
    if (step.next === "") return done;
    if (step.next === token) throw new ApiError("InternalError", "the server's migration of records does not go on");
    token = step.next;
  }
}

function stepOf(body: Buffer): MigratedRecords & { readonly next: string } {
  const document: unknown = readJson(body.toString("utf8"));
  if (!isRecord(document) || document["kind"] !== "ObjectHistoryMigration")
    throw new ApiError("InternalError", "the server's answer is no ObjectHistoryMigration");
  const { metadata } = document;
  const next = isRecord(metadata) ? metadata["continue"] : undefined;
  const count = (name: keyof MigratedRecords): number => Number(document[name] ?? 0);
  return {
    next: typeof next === "string" ? next : "",
    records: count("records"),
    rewritten: count("rewritten"),
    unreadable: count("unreadable"),
  };
}
