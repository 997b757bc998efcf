import { type ChannelCredentials, credentials, type MethodDefinition, ServerCredentials } from "@grpc/grpc-js";
import { maxPayload } from "./limits.js";

/** What client and server agree on below our frames. */
const bytes = (value: Buffer): Buffer => value;

export const linkMethod: MethodDefinition<Buffer, Buffer> = {
  path: "/rpc.v1.Link/Open",
  requestStream: true,
  responseStream: true,
  requestSerialize: bytes,
  requestDeserialize: bytes,
  responseSerialize: bytes,
  responseDeserialize: bytes,
};

export const channelOptions = {
  "grpc-node.flow_control_window": 4 * 1024 * 1024,
  "grpc.max_receive_message_length": maxPayload + 1024 * 1024,
  "grpc.max_send_message_length": -1,
  "grpc.keepalive_time_ms": 10_000,
  "grpc.keepalive_timeout_ms": 5_000,
  "grpc.keepalive_permit_without_calls": 1,
  "grpc.enable_channelz": 0,
} as const;

/** PEM texts. With them both sides prove who they are; without them the connection is plain. */
export interface LinkCredentials {
  readonly ca: string | Buffer;
  readonly cert: string | Buffer;
  readonly key: string | Buffer;
}

export function clientCredentials(given: LinkCredentials | undefined): ChannelCredentials {
  if (given === undefined) return credentials.createInsecure();
  return credentials.createSsl(Buffer.from(given.ca), Buffer.from(given.key), Buffer.from(given.cert));
}

export function serverCredentials(given: LinkCredentials | undefined): ServerCredentials {
  if (given === undefined) return ServerCredentials.createInsecure();
  const pair = { cert_chain: Buffer.from(given.cert), private_key: Buffer.from(given.key) };
  return ServerCredentials.createSsl(Buffer.from(given.ca), [pair], true);
}
