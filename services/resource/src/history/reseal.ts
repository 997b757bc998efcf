import { hasHistory } from "@orch/history/rules.js";
import type { WriteReply } from "@orch/rpc/messages.js";
import { badRequest, methodNotAllowed, unknownPath } from "@orch/status/api-error.js";
import { isReadable, type NoteSpace, type Notes, noteSpaces } from "@orch/store/notes.js";
import { type Key, key } from "@orch/store/revision.js";
import { keyPrefix, type Write } from "../write/write.js";
import { bodyObject } from "./body.js";
import { anything } from "./deleted.js";
import { apiVersion, jsonReply } from "./documents.js";
import { checkOptions } from "./options.js";
import { pageLimit, readContinue, writeContinue } from "./paging.js";

/** Of what is read for a step; one record more may be as large as an object is. */
const stepBytes = 4 << 20;

/** Whether records are to be stored anew: a patch of the histories of all names. */
export function isReseal(subresource: string): boolean {
  return subresource === "history";
}

/** @throws ApiError */
export async function reseal(write: Write): Promise<WriteReply> {
  const { deps, kind, request } = write;
  if (deps.history === undefined || !hasHistory(deps.history, { group: kind.group, resource: kind.plural })) {
    throw unknownPath();
  }
  if (request.verb !== "patch" || request.name !== anything) throw methodNotAllowed();
  checkOptions(request.options, "reseal");
  checkBody(request.body);
  const { next, ...counted } = await resealStep(deps.store.notes, {
    ...{ root: deps.naming.storePrefix, prefix: keyPrefix(write) },
    ...{ limit: pageLimit(request.options["limit"]), token: request.options["continue"] ?? "" },
  });
  const metadata = next === "" ? {} : { continue: next };
  return jsonReply({ kind: "ObjectHistoryMigration", apiVersion, metadata, ...counted });
}

export interface ResealStep extends Scope {
  /** Of records. */
  readonly limit: number;
  /** Where it goes on, as the step before said; "" for the beginning. */
  readonly token: string;
}

export interface Resealed {
  readonly records: number;
  readonly rewritten: number;
  /** No key opens them, or they are damaged: they stay as they are. */
  readonly unreadable: number;
  /** Of the next step; "" at the end. */
  readonly next: string;
}

/**
 * Has some records of a scope stored as they would be now, under the key of today; those that are stored so already are left alone.
 * @throws ApiError
 */
export async function resealStep(notes: Notes, { root, prefix, limit, token }: ResealStep): Promise<Resealed> {
  let [space, after] = placeOf(token, { root, prefix });
  for (;;) {
    const from = after === "" ? {} : { from: key(`${after}\0`) };
    const page = await notes.range({ space, prefix, ...from, limit, maxBytes: stepBytes });
    const last = page.at(-1);
    if (last !== undefined) {
      const readable = page.filter(isReadable);
      const stale = readable.filter((note) => note.stale === true);
      if (stale.length > 0) await notes.rewrite(space, stale);
      const next = writeContinue(`${space} ${last.key.slice(root.length)}`);
      return { records: page.length, rewritten: stale.length, unreadable: page.length - readable.length, next };
    }
    const further = noteSpaces[noteSpaces.indexOf(space) + 1];
    if (further === undefined) return { records: 0, rewritten: 0, unreadable: 0, next: "" };
    [space, after] = [further, ""];
  }
}

interface Scope {
  /** What every key of the store begins with. */
  readonly root: string;
  /** What the keys of the scope begin with. */
  readonly prefix: Key;
}

/** Behind which record a step goes on; "" for the first of its space. @throws ApiError BadRequest */
function placeOf(token: string, { root, prefix }: Scope): [space: NoteSpace, after: string] {
  const place = readContinue(token);
  if (place === "") return ["states", ""];
  const end = place.indexOf(" ");
  const space = noteSpaces.find((each) => each === place.slice(0, end));
  const after = root + place.slice(end + 1);
  if (space === undefined || !after.startsWith(prefix)) throw badRequest("continue key is not valid");
  return [space, after];
}

/** Records are what they are: nothing of them can be patched. @throws ApiError BadRequest */
function checkBody(body: Buffer): void {
  if (Object.keys(bodyObject(body)).length > 0)
    throw badRequest("the body must be an empty JSON object: records cannot be changed");
}
