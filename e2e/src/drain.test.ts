import assert from "node:assert/strict";
import { once } from "node:events";
import { connect as connectHttp2, constants } from "node:http2";
import { connect } from "node:net";
import { describe, type TestContext, test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import { connect as connectTls } from "node:tls";
import { etcdMissing } from "@orch/store/testing/etcd-server.js";
import { converse, head } from "./bad-input-conversation.js";
import { startServer } from "./command-line-program.js";
import { startDistributed } from "./harness/target.js";
import { until } from "./harness/until.js";

/** A server under load, and what stops it. */
interface Place {
  readonly host: string;
  readonly port: number;
  readonly ca: string;
  readonly token: string;
  readonly stop: () => Promise<unknown>;
}

interface Outcome {
  /** Answers, by their code. */
  readonly codes: Map<number, number>;
  /** Requests that were sent before an end could be seen, and never answered. */
  lost: number;
  /** Connections whose last answer said so. */
  told: number;
}

const maps = "/api/v1/namespaces/default/configmaps";
const connections = 24;
const sessions = 6;
/** Answers to each protocol before the stop. */
const load = 200;

const create = (name: string): string => JSON.stringify({ metadata: { name } });

function counted(outcome: Outcome, code: number): void {
  outcome.codes.set(code, (outcome.codes.get(code) ?? 0) + 1);
}

/** Reads and writes over one kept-alive connection of HTTP/1, one after the other, until an answer or an end says that it is over. */
async function overHttp1(place: Place, client: number, outcome: Outcome): Promise<() => Promise<void>> {
  const { host, port, ca, token } = place;
  const socket = connectTls({ host, port, ca, servername: "localhost", ALPNProtocols: ["http/1.1"] });
  let ended = false;
  let received = "";
  let wake = (): void => {};
  const end = (): void => {
    ended = true;
    wake();
  };
  socket.on("error", end).on("end", end).on("close", end);
  socket.setEncoding("latin1").on("data", (text: string) => {
    received += text;
    wake();
  });
  await once(socket, "secureConnect");
  return async () => {
    for (let i = 0; !ended; i++) {
      const body = i % 3 === 0 ? create(`http1-${client}-${i}`) : "";
      const line = body === "" ? `GET ${maps}/none` : `POST ${maps}`;
      const type = body === "" ? "" : `Content-Type: application/json\r\nContent-Length: ${body.length}\r\n`;
      socket.write(`${line} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\n${type}\r\n${body}`);
      const answered = (): boolean => {
        const [head = "", rest] = received.split("\r\n\r\n", 2);
        return rest !== undefined && rest.length >= Number(/content-length: (\d+)/i.exec(head)?.[1]);
      };
      while (!ended && !answered())
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      if (!answered()) {
        outcome.lost += 1;
        break;
      }
      counted(outcome, Number(received.slice(9, 12)));
      const last = /\r\nconnection: close\r\n/i.test(received);
      received = "";
      if (last) {
        outcome.told += 1;
        break;
      }
      // A client that thinks for a moment is found idle by the signal.
      await pause(client % 4 === 0 ? 20 : 0);
    }
    socket.destroy();
  };
}

/** The same over HTTP/2, some streams at once, until the server says that no more may come. */
async function overHttp2(place: Place, client: number, outcome: Outcome): Promise<() => Promise<void>> {
  const session = connectHttp2(`https://${place.host}:${place.port}`, { ca: place.ca, servername: "localhost" });
  let over = false;
  session.on("error", () => {
    over = true;
  });
  session.once("goaway", () => {
    over = true;
    outcome.told += 1;
  });
  session.on("close", () => {
    over = true;
  });
  await once(session, "remoteSettings");
  const authorization = `Bearer ${place.token}`;
  const one = async (i: number): Promise<void> => {
    const writes = i % 3 === 0;
    const stream = session.request(
      writes
        ? { ":method": "POST", ":path": maps, authorization, "content-type": "application/json" }
        : { ":path": `${maps}/none`, authorization },
    );
    if (writes) stream.end(create(`http2-${client}-${i}`));
    try {
      const [headers]: { readonly ":status"?: number }[] = await once(stream, "response");
      counted(outcome, Number(headers?.[":status"]));
      for await (const _part of stream);
    } catch {
      // What the last GOAWAY says was not looked at is sent again elsewhere by every client: it is not lost.
      if (stream.rstCode !== constants.NGHTTP2_REFUSED_STREAM) outcome.lost += 1;
    }
  };
  return async () => {
    for (let i = 0; !over; i += 4) await Promise.all([0, 1, 2, 3].map((n) => one(i + n)));
    session.close();
  };
}

async function throughTheStop(place: Place): Promise<void> {
  const [first, second] = [0, 0].map((): Outcome => ({ codes: new Map(), lost: 0, told: 0 }));
  assert.ok(first && second);
  const clients = await Promise.all([
    ...Array.from({ length: connections }, (_, client) => overHttp1(place, client, first)),
    ...Array.from({ length: sessions }, (_, client) => overHttp2(place, client, second)),
  ]);
  const running = clients.map((run) => run());
  const answers = ({ codes }: Outcome): number => [...codes.values()].reduce((sum, count) => sum + count, 0);
  await until("the load is on", () => (answers(first) > load && answers(second) > load) || undefined);
  await Promise.all([place.stop(), ...running]);
  for (const { codes, lost } of [first, second]) {
    assert.equal(lost, 0, "requests that were sent before the end was told");
    assert.deepEqual([...codes.keys()].sort(), [201, 404], JSON.stringify([...codes]));
  }
  assert.equal(first.told, connections, "each last answer of HTTP/1 says so");
  assert.equal(second.told, sessions, "each connection of HTTP/2 is told");
}

async function standalone(t: TestContext, args: readonly string[]): Promise<Place> {
  const server = await startServer(t, { args });
  const stop = async (): Promise<void> => {
    server.child.kill("SIGTERM");
    assert.deepEqual(await server.exit, { code: 0, signal: null }, server.errors());
  };
  return { host: "127.0.0.1", ...server, stop };
}

describe("a stop under load over kept-alive connections answers what was sent before its end was told", () => {
  for (const args of [[], ["--gateway-workers=2"], ["--shutdown-delay-duration=300ms"]]) {
    test(`standalone ${args.join(" ")}`, async (t) => throughTheStop(await standalone(t, args)));
  }

  test("a gateway of many", { skip: etcdMissing() ?? false }, async (t) => {
    const target = await startDistributed();
    t.after(() => target.stop());
    const { cluster } = target;
    const [gateway] = cluster.gateways;
    assert.ok(gateway);
    const [host = "", port] = (gateway.addresses["https"] ?? "").split(":");
    const stop = async (): Promise<void> => assert.equal(await gateway.stop(), 0);
    await throughTheStop({ host, port: Number(port), ca: target.pki.ca, token: target.pki.adminToken, stop });
  });
});

function takesConnections(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host: "127.0.0.1", port });
    socket.once("connect", () => {
      socket.destroy();
      resolve(true);
    });
    socket.once("error", () => resolve(false));
  });
}

test("with --shutdown-send-retry-after a request that comes while others end is told when to come again", async (t) => {
  const server = await startServer(t, { args: ["--shutdown-send-retry-after"] });
  const [first, second] = await Promise.all([converse(t, server), converse(t, server)]);
  const body = create("under-way");
  const json = "Content-Type: application/json";
  // A request that is under way: the server waits for its body.
  first.socket.write(head(server, { method: "POST", path: maps, headers: [json, `Content-Length: ${body.length}`] }));
  await server.ask("/livez");
  server.child.kill("SIGTERM");
  // The log tells that the stop begins; a port that takes nobody tells that it has come to the server of HTTP.
  while (await takesConnections(server.port)) await pause(5);
  second.socket.write(head(server, { path: maps }));
  const refused = await second.ended;
  assert.match(refused, /^HTTP\/1\.1 429 /);
  assert.match(refused, /\r\nRetry-After: 5\r\n/);
  assert.match(refused, /\r\nConnection: close\r\n/);
  first.socket.write(body);
  assert.match(await first.ended, /^HTTP\/1\.1 201 /);
  assert.equal((await server.exit).code, 0);
});
