import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { Server, ServerCredentials, type ServerDuplexStream } from "@grpc/grpc-js";
import { etcdserverpb as pb } from "../../generated/etcd.js";
import { systemClock } from "../clock.js";
import { openEtcdStore } from "../etcd-store.js";
import { key, revision } from "../revision.js";
import { follow, line } from "../testing/drive.js";
import { methods } from "./methods.js";

type Watches = ServerDuplexStream<Buffer, Buffer>;

const same = (bytes: Buffer): Buffer => bytes;
const asBytes = {
  requestSerialize: same,
  requestDeserialize: same,
  responseSerialize: same,
  responseDeserialize: same,
};

/** A server that knows watches and its own version alone; gives its address. */
async function serve(t: TestContext, watch: (stream: Watches) => void): Promise<string> {
  const server = new Server();
  const { path: watchPath } = methods.watch;
  const { path: statusPath } = methods.status;
  server.addService(
    {
      watch: { path: watchPath, requestStream: true, responseStream: true, ...asBytes },
      status: { path: statusPath, requestStream: false, responseStream: false, ...asBytes },
    },
    {
      watch,
      status: (_call: unknown, answer: (error: null, bytes: Buffer) => void) =>
        answer(null, Buffer.from(pb.StatusResponse.encode({ version: "3.4.23" }).finish())),
    },
  );
  const port = await new Promise<number>((resolve, reject) => {
    server.bindAsync("127.0.0.1:0", ServerCredentials.createInsecure(), (error, bound) =>
      error === null ? resolve(bound) : reject(error),
    );
  });
  t.after(() => server.forceShutdown());
  return `http://127.0.0.1:${port}`;
}

const event = { type: pb.Event.EventType.PUT, kv: { key: Buffer.from("/p/a"), createRevision: 5, modRevision: 5 } };

test("a watch that the server never begins is asked for again", async (t) => {
  let asked = 0;
  const endpoint = await serve(t, (stream) => {
    stream.on("error", () => {});
    stream.on("data", () => {
      asked++;
      // As a server that has lost the request: the stream stands, and nothing comes.
      if (asked === 1) return;
      stream.write(Buffer.from(pb.WatchResponse.encode({ created: true }).finish()));
      stream.write(Buffer.from(pb.WatchResponse.encode({ events: [event] }).finish()));
    });
  });
  const store = await openEtcdStore({
    endpoints: [endpoint],
    prefix: "/p/",
    clock: {
      now: systemClock.now,
      // Ten seconds are a moment here.
      sleep: (ms, signal) => systemClock.sleep(ms === 10_000 ? 50 : ms, signal),
    },
  });
  t.after(() => store.close());
  const events = await follow(store, { prefix: key("/p/"), from: revision(1), count: 1 });
  assert.deepEqual(
    events.map((each) => line(each, "/p/")),
    ["+a@5="],
  );
  assert.equal(asked, 2);
});
