import type { AnyObject } from "@orch/api/object.js";
import { statesOf } from "@orch/history/states.js";
import type { WriteReply } from "@orch/rpc/messages.js";
import { badRequest, expired } from "@orch/status/api-error.js";
import { key, revision } from "@orch/store/revision.js";
import { readStored } from "../write/conversions.js";
import { listBody } from "../write/list-body.js";
import { matcher, selectorsOf } from "../write/selected.js";
import { keyPrefix, type Write } from "../write/write.js";
import { checkNotAhead, keptOf, lost, type Moment, stateAt, tooFarBack } from "./at.js";
import { pageLimit, readContinue, writeContinue } from "./paging.js";
import { walkNoted } from "./walk.js";

/** Of objects in a page, about. */
const pageBytes = 16 << 20;

/**
 * A collection as it was at a moment, a page of it: each object that was there then, those that are gone included. It takes the
 * way back through the changes of each object since, so that it costs as much as there are.
 */
export async function listAt(write: Write, moment: Moment): Promise<WriteReply> {
  const { deps, request } = write;
  await checkNotAhead(write, moment);
  const { limits, now } = keptOf(write);
  // What was deleted before that is not known any more.
  if (moment.type === "time" && limits !== undefined && moment.time < now - limits.maxAgeMs)
    throw expired(`at: histories of ${write.kind.plural} are kept for ${limits.maxAgeMs / 1000} seconds`);
  const limit = pageLimit(request.options["limit"]);
  const root = deps.naming.storePrefix;
  const matches = matcher(write, selectorsOf(write));
  const prefix = keyPrefix(write);
  const place = readContinue(request.options["continue"] ?? "");
  if (place !== "" && !`${root}${place}`.startsWith(prefix)) throw badRequest("continue key is not valid");
  const objects: AnyObject[] = [];
  let newest = 0;
  let bytes = 0;
  let last: string | undefined;
  let isWhole = true;
  const after = place === "" ? undefined : key(root + place);
  for await (const { key: of, entry, changes } of walkNoted(deps.store, { prefix, after })) {
    if (objects.length === limit || bytes > pageBytes) {
      isWhole = false;
      break;
    }
    last = of;
    const found = stateAt(statesOf(entry, changes), moment, keptOf(inNamespace(write, of)));
    if (found.type === "nothing") continue;
    if (found.type === "unknown") throw tooFarBack(of.slice(prefix.length));
    const { state } = found;
    if (state.value === undefined) throw lost(state.revision);
    newest = Math.max(newest, state.revision);
    const object = await readStored(write, { key: of, value: state.value, revision: revision(state.revision) });
    if (!matches(object)) continue;
    objects.push(object);
    bytes += state.value.length;
  }
  const at = revision(moment.type === "revision" ? moment.revision : newest);
  const next = isWhole || last === undefined ? undefined : writeContinue(last.slice(root.length));
  return { code: 200, body: listBody(write, objects, { at, left: undefined, next }), warnings: [] };
}

/** Rules may differ by namespace, and all together may be listed. */
function inNamespace(write: Write, of: string): Write {
  const { kind, request } = write;
  if (request.namespace !== "" || !kind.namespaced) return write;
  const [namespace = ""] = of.slice(keyPrefix(write).length).split("/");
  return { ...write, request: { ...request, namespace } };
}
