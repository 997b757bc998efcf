import assert from "node:assert/strict";
import { once } from "node:events";
import { connect } from "node:http2";
import { test } from "node:test";
import { type Server, startServer } from "./command-line-program.js";

const unknown = Object.fromEntries(Array.from({ length: 90 }, (_, i) => [`unknown${i}`, 1]));
const maps = "/api/v1/namespaces/default/configmaps";

interface Asked {
  readonly title: string;
  readonly method: string;
  readonly path: string;
  readonly body: object;
}

const requests: readonly Asked[] = [
  { title: "a create", method: "POST", path: maps, body: { metadata: { generateName: "a" }, ...unknown } },
  {
    title: "a review",
    method: "POST",
    path: "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews",
    body: { spec: { nonResourceAttributes: { path: "/", verb: "get" } }, ...unknown },
  },
];

async function overHttp2(server: Server, { method, path, body }: Asked): Promise<readonly string[]> {
  const session = connect(server.url, { ca: server.ca });
  try {
    const stream = session.request({
      ":method": method,
      ":path": path,
      authorization: `Bearer ${server.token}`,
      "content-type": "application/json",
    });
    stream.end(JSON.stringify(body));
    const [headers]: { readonly warning?: string | readonly string[] }[] = await once(stream, "response");
    const joined = [headers?.warning ?? []].flat().join(", ");
    return joined.split(/, (?=299 - )/);
  } finally {
    // Before the server is stopped: a session that it resets is an error without anybody to take it.
    session.destroy();
  }
}

async function overHttp1(server: Server, { method, path, body }: Asked): Promise<readonly string[]> {
  const headers = { "Content-Type": "application/json" };
  const answer = await server.ask(path, { method, headers, body: JSON.stringify(body) });
  assert.equal(answer.status, 201, answer.body);
  return answer.rawHeaders.filter((_, i, all) => i % 2 === 1 && all[i - 1] === "Warning");
}

test("no answer has more than fifty warnings and one that tells how many more there are", async (t) => {
  const server = await startServer(t);
  for (const asked of requests) {
    const first = await overHttp1(server, asked);
    assert.equal(first.length, 51, asked.title);
    assert.match(first[0] ?? "", /^299 - "unknown field \\"unknown0\\""$/);
    assert.equal(first.at(-1), '299 - "and 40 more warnings"', asked.title);
    assert.deepEqual(await overHttp2(server, asked), first, asked.title);
  }
});
