import type { RpcLog } from "@orch/rpc/log.js";
import type { Log } from "@orch/runtime/log.js";

/** What the two ends of the sockets say of each other. At a stop one of them goes first: that is no news. */
export function peerLog(log: Log, isLeaving: () => boolean): RpcLog {
  return {
    info: (fields, message) => log.info(fields, message),
    warn: (fields, message) => (isLeaving() ? log.debug(fields, message) : log.warn(fields, message)),
    error: (fields, message) => log.error(fields, message),
  };
}
