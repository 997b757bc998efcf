import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, describe, type TestContext, test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { joinLines } from "@orch/audit/lines.js";
import { type Process, portOf, startProcess } from "@orch/deploy/process.js";
import { issueAuthority } from "@orch/pki/certificates.js";
import { connect } from "@orch/rpc/link/grpc-client.js";
import { auditAppend } from "@orch/rpc/methods.js";
import { silentLog } from "@orch/runtime/log.js";
import { createKafkaSink } from "@orch/service-audit/sinks/kafka.js";
import { eventLine, testSink } from "@orch/service-audit/sinks/sink.suite.js";
import { Kafka, logLevel } from "kafkajs";
import { type KafkaBroker, kafkaMissing, startKafka } from "./harness/servers/kafka-broker.js";
import { newFolder, removeFolder } from "./harness/target.js";
import { until } from "./harness/until.js";

const skip = await kafkaMissing();
if (skip !== false) process.stderr.write(`${skip}\n`);

interface AuditBed {
  readonly folder: string;
  /** The service with its spool in the folder; stopped with the test. */
  start(args: readonly string[]): Promise<Process>;
}

async function auditBed(t: TestContext): Promise<AuditBed> {
  const folder = await newFolder();
  const started: Process[] = [];
  t.after(async () => {
    await Promise.all(started.map((service) => service.stop()));
    await removeFolder(folder);
  });
  return {
    folder,
    async start(args) {
      const service = await startProcess({
        name: "audit",
        script: fileURLToPath(new URL("../../services/audit/dist/main.js", import.meta.url)),
        args: [
          ...["--api-dialect=kubernetes", `--audit-spool-directory=${join(folder, "spool")}`],
          ...["--audit-kafka-timeout=5s", "--audit-kafka-batch-max-wait=50ms", "--audit-kafka-initial-backoff=100ms"],
          ...args,
        ],
        sameAgain: ({ rpc, metrics }) => [`--rpc-port=${portOf(rpc)}`, `--metrics-port=${portOf(metrics)}`],
      });
      started.push(service);
      return service;
    },
  };
}

/** A counter of the sink. */
async function counted(service: Process, name: string): Promise<number> {
  const page = await (await fetch(`http://${service.addresses["metrics"]}/metrics`)).text();
  return Number(new RegExp(`^${name}\\{plugin="kafka"\\} (\\d+)`, "m").exec(page)?.[1] ?? 0);
}

/** Files of secrets and certificates, each as a flag of the sink. */
async function fileFlags(folder: string, texts: Readonly<Record<string, string>>): Promise<readonly string[]> {
  return await Promise.all(
    Object.entries(texts).map(async ([name, text]) => {
      await writeFile(join(folder, name), text, { mode: 0o600 });
      return `--audit-kafka-${name}-file=${join(folder, name)}`;
    }),
  );
}

interface SecureRow {
  readonly what: string;
  /** Flags that a broker, or this side, refuses, and what is said of it. */
  readonly wrong: (broker: KafkaBroker, folder: string) => Promise<readonly string[]>;
  readonly why: RegExp;
  readonly right: (broker: KafkaBroker, folder: string) => Promise<readonly string[]>;
}

type Certificates = "ca" | "cert" | "key";

/** By TLS with a certificate of ours, some files replaced. */
const byCertificate =
  (host: string, files: (given: Record<Certificates, string>) => Partial<Record<Certificates, string>>) =>
  async ({ secure }: KafkaBroker, folder: string): Promise<readonly string[]> => [
    ...["--audit-kafka-tls", `--audit-kafka-brokers=${host}:${secure.tlsPort}`],
    ...(await fileFlags(
      folder,
      files({ ca: secure.authority.certificate, cert: secure.client.certificate, key: secure.client.key }),
    )),
  ];

const rightCertificate = byCertificate("localhost", (files) => files);

/** By TLS as a user. */
const byUser =
  (mechanism: string, password: string) =>
  async ({ secure }: KafkaBroker, folder: string): Promise<readonly string[]> => [
    ...["--audit-kafka-tls", `--audit-kafka-brokers=localhost:${secure.saslPort}`],
    `--audit-kafka-sasl-mechanism=${mechanism}`,
    ...(await fileFlags(folder, {
      ca: secure.authority.certificate,
      ...{ "sasl-username": `${secure.user.name}\n`, "sasl-password": `${password}\n` },
    })),
  ];

const secureRows: readonly SecureRow[] = [
  {
    what: "a wrong password by PLAIN",
    wrong: byUser("plain", "wrong"),
    why: /^SASL PLAIN authentication failed: .*Invalid username or password$/,
    right: byUser("plain", "right"),
  },
  ...["256", "512"].map((size) => ({
    what: `a wrong password by SCRAM-SHA-${size}`,
    wrong: byUser(`scram-sha-${size}`, "wrong"),
    why: new RegExp(`^SASL SCRAM SHA${size} authentication failed: .*invalid credentials`),
    right: byUser(`scram-sha-${size}`, "right"),
  })),
  {
    what: "a broker whose authority is not ours",
    wrong: async (broker, folder) => {
      const { certificate } = await issueAuthority("another", Date.now());
      return byCertificate("localhost", (files) => ({ ...files, ca: certificate }))(broker, folder);
    },
    why: /^localhost:\d+: tls: failed to verify certificate: x509: certificate signed by unknown authority$/,
    right: rightCertificate,
  },
  {
    what: "a broker whose certificate has another name",
    wrong: byCertificate("127.0.0.1", (files) => files),
    why: /^127\.0\.0\.1:\d+: tls: failed to verify certificate: x509: certificate is valid for localhost, not 127\.0\.0\.1$/,
    right: rightCertificate,
  },
  {
    what: "a broker that misses our certificate",
    wrong: byCertificate("localhost", ({ ca }) => ({ ca })),
    why: /^localhost:\d+: remote error: tls: /,
    right: rightCertificate,
  },
];

describe("a broker of Kafka 3.9 in KRaft mode", { skip }, () => {
  let broker: KafkaBroker;
  before(async () => {
    broker = await startKafka();
  });
  after(() => broker?.stop());

  let topics = 0;
  testSink("kafka", async (t) => {
    const topic = `suite-${topics++}`;
    const sink = createKafkaSink(
      {
        client: {
          ...{ clientId: "test", brokers: [broker.address], logLevel: logLevel.NOTHING, retry: { retries: 2 } },
          ...{ connectionTimeout: 2_000, requestTimeout: 5_000 },
        },
        ...{ topic, acks: -1, compression: "gzip", timeoutMs: 5_000 },
      },
      { load: async () => Kafka },
    );
    t.after(() => sink.close());
    return {
      sink: {
        ...sink,
        // A topic is made with the first event of it, and the broker may say meanwhile that there is none.
        async write(batch) {
          const first = await sink.write(batch);
          if (first.outcome === "written" || !/topic-partition|leader/.test(first.why)) return first;
          await pause(500);
          return sink.write(batch);
        },
      },
      arrived: async () => (await broker.messages(topic)).map(({ key }) => key),
      async cutOff() {
        await broker.kill();
        return () => broker.start();
      },
    };
  });

  test("killed and started again under load: no event is lost, and keys are the ids of requests", async (t) => {
    const { start } = await auditBed(t);
    const service = await start([`--audit-kafka-brokers=${broker.address}`, "--audit-kafka-topic=load"]);
    const caller = connect({ target: service.addresses["rpc"] ?? "", log: silentLog });
    t.after(() => caller.close());
    const acknowledged: string[] = [];
    let stopped = false;
    const load = (async () => {
      for (let next = 0; !stopped; next += 20) {
        const ids = Array.from({ length: 20 }, (_, i) => `e${next + i}`);
        await caller.call(
          auditAppend,
          { lines: joinLines(ids.map((id) => eventLine(id))), count: ids.length, strict: false },
          { deadlineMs: 5_000 },
        );
        acknowledged.push(...ids);
        await pause(5);
      }
    })();
    for (let i = 1; i <= 2; i++) {
      await until("load", () => (acknowledged.length > i * 1_000 ? true : undefined));
      await broker.kill();
      await until("load without a broker", () => (acknowledged.length > i * 1_000 + 500 ? true : undefined));
      await broker.start();
    }
    stopped = true;
    await load;
    await until("every event", async () =>
      (await counted(service, "orch_audit_events_delivered_total")) >= acknowledged.length ? true : undefined,
    );
    const messages = await broker.messages("load");
    const there = new Set(messages.map(({ key }) => key));
    assert.deepEqual(
      acknowledged.filter((id) => !there.has(id)),
      [],
    );
    for (const { key, value } of messages.slice(0, 50)) assert.ok(value.includes(`"auditID":"${key}"`));
    // A batch whose acknowledgement was cut off comes twice: at most one for each time that the broker was killed.
    assert.ok(messages.length - there.size <= 2 * 2 * 400, `${messages.length - there.size} came twice`);
  });

  for (const [i, { what, wrong, why, right }] of secureRows.entries()) {
    test(`${what} is told once, and no event is lost`, async (t) => {
      const { folder, start } = await auditBed(t);
      const topic = `secure-${i}`;
      const refused = await start([`--audit-kafka-topic=${topic}`, ...(await wrong(broker, folder))]);
      const caller = connect({ target: refused.addresses["rpc"] ?? "", log: silentLog });
      t.after(() => caller.close());
      const ids = ["a", "b", "c"];
      const lines = joinLines(ids.map((id) => eventLine(id)));
      await caller.call(auditAppend, { lines, count: ids.length, strict: false }, { deadlineMs: 5_000 });
      await until("two attempts", async () =>
        (await counted(refused, "orch_audit_delivery_failures_total")) >= 2 ? true : undefined,
      );
      assert.equal(await refused.stop(), 0);
      const told = refused
        .log()
        .split("\n")
        .filter((line) => line.includes("kafka"));
      assert.equal(told.length, 1, refused.log());
      assert.match(JSON.parse(told[0] ?? "").why, why);

      const trusted = await start([`--audit-kafka-topic=${topic}`, ...(await right(broker, folder))]);
      await until("every event", async () =>
        (await counted(trusted, "orch_audit_events_delivered_total")) >= ids.length ? true : undefined,
      );
      assert.deepEqual(
        (await broker.messages(topic)).map(({ key }) => key),
        ids,
      );
    });
  }
});
