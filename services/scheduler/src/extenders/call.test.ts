import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { test } from "node:test";
import type { Extender as Configuration } from "@orch/component-config/scheduler/scheduler-configuration.js";
import { createManualClock } from "@orch/status/testing/manual-clock.js";
import { createAsk } from "./call.js";

const answers: Readonly<Record<string, (response: ServerResponse) => void>> = {
  "nothing at all": () => {},
  "a body that never ends": (response) => void response.writeHead(200).write(" "),
};
for (const [what, answer] of Object.entries(answers)) {
  test(`an extender that answers with ${what} is given up after its time`, async (t) => {
    const clock = createManualClock();
    const server = createServer((request, response) => {
      request.resume().on("end", () => {
        answer(response);
        setImmediate(() => clock.advance(2_000));
      });
    });
    await once(server.listen(0, "127.0.0.1"), "listening");
    const { port } = server.address() as AddressInfo;
    const configuration: Configuration = {
      ...{ urlPrefix: `http://127.0.0.1:${port}/`, filterVerb: "f", prioritizeVerb: "", preemptVerb: "", bindVerb: "" },
      ...{ weight: 1, enableHTTPS: false, httpTimeout: "2s", nodeCacheCapable: true, ignorable: false },
      managedResources: [],
    };
    const { ask, close } = createAsk(configuration, { clock });
    t.after(async () => {
      server.closeAllConnections();
      server.close();
      await close();
    });
    await assert.rejects(ask("f", {}, new AbortController().signal), {
      message: `failed f with extender at URL http://127.0.0.1:${port}/, no answer within 2000 ms`,
    });
  });
}
