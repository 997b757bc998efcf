import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, readdir, rename, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { promisify } from "node:util";
import { issueAuthority, issueClient, issueServing } from "@orch/pki/certificates.js";
import type { KeyPair } from "@orch/pki/key-pair.js";
import { freePorts } from "@orch/store/testing/etcd-server.js";
import { Kafka, logLevel } from "kafkajs";

const run = promisify(execFile);
const release = "3.9.0";

/** A broker in KRaft mode, from its Maven jars, that can be killed and started again on its data. */
export interface KafkaBroker {
  readonly address: string;
  readonly secure: SecureListeners;
  kill(): Promise<void>;
  start(): Promise<void>;
  /** Every message of a topic: its key, and its value as text. */
  messages(topic: string): Promise<readonly KafkaMessage[]>;
  stop(): Promise<void>;
}

/** The same broker by TLS. Its certificate is for `localhost` alone: by its address it is somebody else. */
export interface SecureListeners {
  /** Asks for a client's certificate. */
  readonly tlsPort: number;
  /** Asks for the user, by PLAIN, SCRAM-SHA-256 or SCRAM-SHA-512. */
  readonly saslPort: number;
  readonly authority: KeyPair;
  readonly client: KeyPair;
  readonly user: { readonly name: string; readonly password: string };
}

export interface KafkaMessage {
  readonly key: string;
  readonly value: string;
}

/** Why there can be no broker here; false if there can. */
export async function kafkaMissing(): Promise<string | false> {
  try {
    await run("java", ["-version"]);
  } catch {
    return "SKIPPED LOUDLY: no Java on this machine, so no Kafka to test against";
  }
  try {
    await kafkaJars();
    return false;
  } catch (error) {
    return `SKIPPED LOUDLY: the jars of Kafka ${release} cannot be had: ${error instanceof Error ? error.message.slice(0, 200) : ""}`;
  }
}

const project = `<project xmlns="http://maven.apache.org/POM/4.0.0">
<modelVersion>4.0.0</modelVersion><groupId>orch.test</groupId><artifactId>kafka</artifactId><version>1</version>
<dependencies><dependency>
<groupId>org.apache.kafka</groupId><artifactId>kafka_2.13</artifactId><version>${release}</version>
</dependency></dependencies></project>`;

/** The folder of the jars; they are fetched once for this machine, and kept in its folder for temporary files. */
export async function kafkaJars(): Promise<string> {
  const kept = join(tmpdir(), `orch-kafka-${release}`);
  if (existsSync(kept)) return kept;
  const folder = await mkdtemp(`${kept}-`);
  try {
    await writeFile(join(folder, "pom.xml"), project);
    const copy = ["-q", "-B", "dependency:copy-dependencies", "-DoutputDirectory=jars", "-DincludeScope=runtime"];
    await run("mvn", copy, { cwd: folder, timeout: 300_000 });
    if ((await readdir(join(folder, "jars"))).length < 10) throw new Error("they are not all there");
    // Somebody else may have been faster.
    await rename(join(folder, "jars"), kept).catch(() => {});
    return kept;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function secureListeners(ports: Pick<SecureListeners, "tlsPort" | "saslPort">): Promise<SecureListeners> {
  const authority = await issueAuthority("kafka-ca", Date.now());
  const client = await issueClient(authority, { name: "audit" }, Date.now());
  return { ...ports, authority, client, user: { name: "auditor", password: "right" } };
}

/** Of the listeners by TLS: their certificate, whose clients they trust, and their users by PLAIN. */
async function secureProperties({ authority, user }: SecureListeners, folder: string): Promise<object> {
  const own = await issueServing(authority, ["localhost"], Date.now());
  const [identity, trusted] = [join(folder, "identity.pem"), join(folder, "trusted.pem")];
  await writeFile(identity, `${own.key}${own.certificate}`, { mode: 0o600 });
  await writeFile(trusted, authority.certificate);
  const login = "org.apache.kafka.common.security";
  return {
    "listener.security.protocol.map": "CONTROLLER:PLAINTEXT,PLAINTEXT:PLAINTEXT,SSL:SSL,SASL_SSL:SASL_SSL",
    "ssl.keystore.type": "PEM",
    "ssl.keystore.location": identity,
    "ssl.truststore.type": "PEM",
    "ssl.truststore.location": trusted,
    "listener.name.ssl.ssl.client.auth": "required",
    "sasl.enabled.mechanisms": "PLAIN,SCRAM-SHA-256,SCRAM-SHA-512",
    "listener.name.sasl_ssl.plain.sasl.jaas.config": `${login}.plain.PlainLoginModule required user_${user.name}="${user.password}";`,
    "listener.name.sasl_ssl.scram-sha-256.sasl.jaas.config": `${login}.scram.ScramLoginModule required;`,
    "listener.name.sasl_ssl.scram-sha-512.sasl.jaas.config": `${login}.scram.ScramLoginModule required;`,
  };
}

const startMs = 90_000;

export async function startKafka(): Promise<KafkaBroker> {
  const folder = await mkdtemp(join(tmpdir(), "orch-kafka-data-"));
  const [port = 0, controller = 0, tlsPort = 0, saslPort = 0] = await freePorts(4);
  const address = `127.0.0.1:${port}`;
  const secure = await secureListeners({ tlsPort, saslPort });
  const properties = join(folder, "server.properties");
  await mkdir(join(folder, "logs"));
  await writeFile(
    properties,
    Object.entries({
      "process.roles": "broker,controller",
      "node.id": "1",
      "controller.quorum.voters": `1@127.0.0.1:${controller}`,
      listeners: [
        `PLAINTEXT://${address}`,
        `CONTROLLER://127.0.0.1:${controller}`,
        `SSL://localhost:${tlsPort}`,
        `SASL_SSL://localhost:${saslPort}`,
      ].join(","),
      "controller.listener.names": "CONTROLLER",
      "inter.broker.listener.name": "PLAINTEXT",
      "log.dirs": join(folder, "logs"),
      "offsets.topic.replication.factor": "1",
      "offsets.topic.num.partitions": "1",
      "transaction.state.log.replication.factor": "1",
      "transaction.state.log.min.isr": "1",
      "group.initial.rebalance.delay.ms": "0",
      "message.max.bytes": "5000000",
      ...(await secureProperties(secure, folder)),
    })
      .map(([name, value]) => `${name}=${value}\n`)
      .join(""),
  );
  const classes = `${await kafkaJars()}/*`;
  const java = (...args: readonly string[]): readonly string[] => ["-Xmx320m", "-cp", classes, ...args, properties];
  const { name, password } = secure.user;
  const scram = ["SCRAM-SHA-256", "SCRAM-SHA-512"].flatMap((how) => [
    "--add-scram",
    `${how}=[name=${name},password=${password}]`,
  ]);
  await run("java", [...java("kafka.tools.StorageTool", "format", ...scram, "-t", "MkU3OEVBNTcwNTJENDM2Qg", "-c")]);
  let child: ChildProcess | undefined;
  const quiet = { clientId: "test", brokers: [address], logLevel: logLevel.NOTHING };
  const asking = new Kafka({ ...quiet, retry: { retries: 0 } });
  const client = new Kafka(quiet);

  async function answers(): Promise<boolean> {
    const admin = asking.admin();
    try {
      await admin.connect();
      await admin.listTopics();
      return true;
    } catch {
      return false;
    } finally {
      await admin.disconnect().catch(() => {});
    }
  }

  async function start(): Promise<void> {
    const started = spawn("java", [...java("kafka.Kafka")], { stdio: "ignore" });
    child = started;
    const killWithUs = (): boolean => started.kill("SIGKILL");
    process.once("exit", killWithUs);
    started.once("close", () => process.removeListener("exit", killWithUs));
    const end = performance.now() + startMs;
    while (!(await answers())) {
      if (started.exitCode !== null) throw new Error(`Kafka ended with ${started.exitCode}`);
      if (performance.now() > end) throw new Error(`Kafka does not answer after ${startMs} ms`);
      await pause(250);
    }
  }

  async function kill(): Promise<void> {
    const running = child;
    child = undefined;
    if (running === undefined || running.exitCode !== null) return;
    const exit = once(running, "exit");
    running.kill("SIGKILL");
    await exit;
  }

  await start();
  return {
    address,
    secure,
    kill,
    start,
    async messages(topic) {
      const admin = client.admin();
      await admin.connect();
      const offsets = await admin.fetchTopicOffsets(topic);
      await admin.disconnect();
      const total = offsets.reduce((sum, { high, low }) => sum + Number(high) - Number(low), 0);
      const found: KafkaMessage[] = [];
      if (total === 0) return found;
      const consumer = client.consumer({ groupId: `test-${Date.now()}-${Math.random()}` });
      await consumer.connect();
      await consumer.subscribe({ topic, fromBeginning: true });
      await new Promise<void>((resolve, reject) => {
        consumer
          .run({
            async eachMessage({ message: { key, value } }) {
              found.push({ key: String(key), value: String(value) });
              if (found.length >= total) resolve();
            },
          })
          .catch(reject);
      });
      await consumer.disconnect();
      return found;
    },
    async stop() {
      await kill();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
