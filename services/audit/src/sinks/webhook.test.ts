import assert from "node:assert/strict";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { type TestContext, test } from "node:test";
import { createListPrinter } from "@orch/audit/event-list.js";
import { createNaming } from "@orch/naming/naming.js";
import { createOutboundCaller } from "@orch/outbound/caller.js";
import { dialDirectly } from "@orch/outbound/dial.js";
import { readJson } from "@orch/status/read-json.js";
import { eventLine, testSink } from "./sink.suite.js";
import { createWebhookSink } from "./webhook.js";

interface Received {
  readonly url: string;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly body: {
    readonly kind?: string;
    readonly items?: readonly { readonly auditID?: string; readonly kind?: string }[];
  };
}

/** A webhook that answers as the test says. */
async function bed(t: TestContext, timeoutMs = 5_000) {
  const received: Received[] = [];
  let answer = (response: ServerResponse): void => void response.end();
  const server = createServer((request, response) => {
    let text = "";
    request.setEncoding("utf8").on("data", (part: string) => {
      text += part;
    });
    request.on("end", () => {
      if (response.socket === null) return;
      const kept: Received = { url: request.url ?? "", headers: request.headers, body: readJson(text) };
      response.on("finish", () => {
        if (response.statusCode === 200) received.push(kept);
      });
      answer(response);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const naming = createNaming("kubernetes");
  const sink = createWebhookSink(
    {
      to: { endpoint: { type: "url", url: `http://127.0.0.1:${port}/audit` }, ca: "" },
      credentialsOf: () => ({ authorization: "Bearer token" }),
      timeoutMs,
    },
    {
      caller: createOutboundCaller({
        dial: { url: dialDirectly, service: dialDirectly },
        resolve: () => Promise.reject(new Error("no service")),
        userAgent: "audit",
      }),
      print: createListPrinter(naming),
    },
  );
  t.after(async () => {
    await sink.close();
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  return {
    sink,
    received,
    answers(with_: typeof answer): void {
      answer = with_;
    },
  };
}

const status =
  (code: number) =>
  (response: ServerResponse): void =>
    void response.writeHead(code).end("no");

testSink("webhook", async (t) => {
  const { sink, received, answers } = await bed(t);
  return {
    sink,
    arrived: async () => received.flatMap(({ body }) => (body.items ?? []).map(({ auditID = "" }) => auditID)),
    async cutOff() {
      answers((response) => response.destroy());
      return async () => answers((response) => void response.end());
    },
  };
});

test("events are posted as a list in JSON, with the credentials of the file", async (t) => {
  const { sink, received } = await bed(t, 30_000);
  await sink.write([eventLine("a"), eventLine("b")]);
  const [{ url, headers, body } = { url: "", headers: {}, body: {} }] = received;
  assert.equal(url, "/audit?timeout=30s");
  assert.equal(headers["content-type"], "application/json");
  assert.equal(headers["authorization"], "Bearer token");
  assert.equal(body.kind, "EventList");
  assert.deepEqual(
    body.items?.map(({ auditID, kind }) => [auditID, kind]),
    [
      ["a", undefined],
      ["b", undefined],
    ],
  );
});

test("a code that blames the events is a refusal, another one is a failure", async (t) => {
  const { sink, answers } = await bed(t);
  for (const [code, outcome] of [
    [400, "refused"],
    [413, "refused"],
    [401, "failed"],
    [404, "failed"],
    [429, "failed"],
    [500, "failed"],
    [503, "failed"],
    [302, "failed"],
  ] as const) {
    answers(status(code));
    assert.equal((await sink.write([eventLine("a")])).outcome, outcome, `${code}`);
  }
});

test("a webhook that does not answer is a failure, and one that floods has had the events", async (t) => {
  const { sink, answers } = await bed(t, 200);
  answers(() => {});
  const late = await sink.write([eventLine("a")]);
  assert.equal(late.outcome, "failed");
  answers((response) => {
    const flood = (): void => {
      while (!response.destroyed && response.write("x".repeat(65_536)));
      if (!response.destroyed) response.once("drain", flood);
    };
    response.on("error", () => {});
    flood();
  });
  assert.equal((await sink.write([eventLine("b")])).outcome, "written");
});
