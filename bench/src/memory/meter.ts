import { rmSync } from "node:fs";
import { createServer } from "node:http";
import { setFlagsFromString, writeHeapSnapshot } from "node:v8";
import { runInNewContext } from "node:vm";
import { isMainThread } from "node:worker_threads";

// Loaded before a server's own code (`node --import`): what its memory is made of. `/gc` collects all garbage first,
// `/snapshot` writes a heap snapshot into the working directory and answers its name.

if (isMainThread) {
  const server = createServer(({ url }, response) => {
    if (url === "/snapshot") {
      response.end(writeHeapSnapshot());
      return;
    }
    if (url === "/gc") {
      setFlagsFromString("--expose-gc");
      runInNewContext("gc")();
    }
    response.end(JSON.stringify(process.memoryUsage()));
  });
  const socket = process.env["BENCH_METER"] ?? "";
  // Of a server that was killed.
  rmSync(socket, { force: true });
  server.listen(socket);
  server.unref();
}
