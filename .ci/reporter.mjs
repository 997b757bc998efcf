// What a test file tells the runner, a line of JSON each, told from what tests print themselves by their first character:
//   {"type":"pass" | "fail" | "skip", "name", …}   a test; "notRun": its suite failed before it was its turn
//   {"type":"idle", "resources"}                   no test is under way, and the process has not ended for a while
//   {"type":"exit"}                                JavaScript is done: only Node itself can keep the process now
import { writeSync } from "node:fs";
import { mark } from "./run-files.mjs";

const idleAfterMs = 40_000;
// Tests put others in their place.
const { setTimeout, clearTimeout } = globalThis;

const pauseMs = 10;

/** The pipe may be full for a moment: what does not go through waits. */
function writeWhole(text) {
  let rest = Buffer.from(text);
  while (rest.length > 0) {
    try {
      rest = rest.subarray(writeSync(1, rest));
    } catch (error) {
      if (error.code !== "EAGAIN") throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, pauseMs);
    }
  }
}

const line = (record) => `${mark}${JSON.stringify(record)}\n`;

process.once("exit", () => writeWhole(line({ type: "exit" })));

function recordOf({ type, data }) {
  if (type !== "test:pass" && type !== "test:fail") return undefined;
  const { name } = data;
  if (data.details?.type === "suite" && type === "test:pass") return undefined;
  if (type === "test:pass" && data.skip !== undefined) {
    return { type: "skip", name, why: data.skip === true ? "no reason given" : data.skip };
  }
  if (type === "test:pass") return { type: "pass", name };
  const error = data.details?.error?.cause ?? data.details?.error;
  // A suite fails with its tests, which were told.
  if (data.details?.type === "suite" && data.details.error?.failureType === "subtestsFailed") return undefined;
  const at = `${data.file ?? "?"}:${data.line ?? "?"}`;
  // Its suite tells why.
  const notRun = data.details?.error?.failureType === "cancelledByParent";
  return { type: "fail", name, at, error: String(error?.stack ?? error), notRun };
}

export default async function* reporter(source) {
  let idle;
  let underWay = 0;
  for await (const event of source) {
    // These are told at once; "start" is told when its turn to be reported comes.
    if (event.type === "test:dequeue") underWay += 1;
    if (event.type === "test:complete") underWay -= 1;
    const record = recordOf(event);
    if (record !== undefined) yield line(record);
    clearTimeout(idle);
    if (underWay > 0) continue;
    idle = setTimeout(() => {
      writeWhole(line({ type: "idle", resources: process.getActiveResourcesInfo() }));
    }, idleAfterMs).unref();
  }
}
