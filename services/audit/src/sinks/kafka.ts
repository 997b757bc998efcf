import { auditIdOf } from "@orch/audit/read-line.js";
import { messageOf } from "@orch/status/message-of.js";
import type { Kafka, KafkaConfig, Producer, ProducerConfig, ProducerRecord } from "kafkajs";
import { createBrokerSockets } from "./broker-sockets.js";
import { type Sink, type Written, written } from "./sink.js";

export interface KafkaTarget {
  /** How brokers are reached: addresses, TLS, SASL. */
  readonly client: KafkaConfig;
  readonly topic: string;
  /** -1: all replicas in sync have the events; 1: the leader has; 0: nobody says so. */
  readonly acks: -1 | 0 | 1;
  readonly compression: KafkaCompression;
  readonly timeoutMs: number;
}

export type KafkaCompression = "none" | "gzip";

export interface KafkaTools {
  /** kafkajs, which takes long to load: it is loaded with the first events. */
  readonly load: () => Promise<{ new (config: KafkaConfig): Kafka }>;
}

const codecs = { none: 0, gzip: 1 } as const;

/** Sends events to a topic; the key is the id of the request, so that its events stay in order. */
export function createKafkaSink(target: KafkaTarget, { load }: KafkaTools): Sink {
  const { topic, acks, timeoutMs } = target;
  const compression = codecs[target.compression];
  // Who sends again is the service: it has the events on disk, and decides when.
  const options: ProducerConfig = { retry: { retries: 2 }, allowAutoTopicCreation: true };
  const sockets = createBrokerSockets();
  // What went wrong is told by who called, once; kafkajs would tell each attempt several times.
  const client: KafkaConfig = { ...target.client, socketFactory: sockets.factory, logCreator: () => () => {} };
  let connecting: Promise<Producer> | undefined;

  async function connect(): Promise<Producer> {
    const Client = await load();
    const producer = new Client(client).producer(options);
    await producer.connect();
    return producer;
  }

  return {
    name: "kafka",
    async write(batch): Promise<Written> {
      const messages: ProducerRecord["messages"] = batch.map((line) => ({ key: auditIdOf(line), value: line }));
      try {
        connecting ??= connect();
        const producer = await connecting;
        await producer.send({ topic, acks, timeout: timeoutMs, compression, messages });
        return written;
      } catch (error) {
        const broken = connecting;
        connecting = undefined;
        // A broker that has come back elsewhere is found anew.
        void broken?.then((producer) => producer.disconnect()).catch(() => {});
        return { outcome: isTooLarge(error) ? "refused" : "failed", why: problemOf(error, sockets.problem) };
      }
    },
    async close() {
      const producer = await connecting?.catch(() => undefined);
      await producer?.disconnect().catch(() => {});
    },
  };
}

/** One line: of a connection what its socket knows, else what a broker has answered. */
function problemOf(error: unknown, ofSocket: string | undefined): string {
  const names = causesOf(error).map(({ name }) => name);
  return names.includes("KafkaJSConnectionError") && ofSocket !== undefined ? ofSocket : messageOf(error);
}

/** What a broker says of messages that it will never take. */
function isTooLarge(error: unknown): boolean {
  const types: unknown[] = causesOf(error).map((cause) => ("type" in cause ? cause.type : undefined));
  return types.includes("MESSAGE_TOO_LARGE") || types.includes("RECORD_LIST_TOO_LARGE");
}

/** An error and what has led to it. */
function causesOf(error: unknown): readonly Error[] {
  const causes: Error[] = [];
  for (let at: unknown = error; at instanceof Error; at = at.cause) causes.push(at);
  return causes;
}
