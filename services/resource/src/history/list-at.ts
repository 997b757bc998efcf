import type { AnyObject } from "@orch/api/object.js";
import { statesOf } from "@orch/history/states.js";
import type { WriteReply } from "@orch/rpc/messages.js";
import { badRequest } from "@orch/status/api-error.js";
import { key, revision } from "@orch/store/revision.js";
import { readStored } from "../write/conversions.js";
import { listBody } from "../write/list-body.js";
import { matcher, selectorsOf } from "../write/selected.js";
import { keyPrefix, type Write } from "../write/write.js";
import { checkNotAhead, lost, type Moment, stateAt } from "./at.js";
import { pageLimit, readContinue, writeContinue } from "./paging.js";
import { walkNoted } from "./walk.js";

/**
 * A collection as it was at a moment, a page of it: each object that was there then, those that are gone included. It takes the
 * way back through the changes of each object since, so that it costs as much as there are.
 */
export async function listAt(write: Write, moment: Moment): Promise<WriteReply> {
  const { deps, request } = write;
  if (request.options["resourceVersion"] !== undefined) throw badRequest("at and resourceVersion exclude each other");
  if (moment.type === "revision") await checkNotAhead(write, moment.revision);
  const limit = pageLimit(request.options["limit"]);
  const root = deps.naming.storePrefix;
  const matches = matcher(write, selectorsOf(write));
  const place = readContinue(request.options["continue"] ?? "");
  const objects: AnyObject[] = [];
  let newest = 0;
  let last: string | undefined;
  let isWhole = true;
  const after = place === "" ? undefined : key(root + place);
  for await (const { key: of, entry, changes } of walkNoted(deps.store, { prefix: keyPrefix(write), after })) {
    if (objects.length === limit) {
      isWhole = false;
      break;
    }
    last = of;
    const state = stateAt(statesOf(entry, changes), moment);
    if (state === undefined) continue;
    if (state.value === undefined) throw lost(state.revision);
    newest = Math.max(newest, state.revision);
    const object = await readStored(write, { key: of, value: state.value, revision: revision(state.revision) });
    if (matches(object)) objects.push(object);
  }
  const at = revision(moment.type === "revision" ? moment.revision : newest);
  const next = isWhole || last === undefined ? undefined : writeContinue(last.slice(root.length));
  return { code: 200, body: listBody(write, objects, { at, left: undefined, next }), warnings: [] };
}
