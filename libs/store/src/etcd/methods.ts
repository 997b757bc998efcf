import { etcdserverpb as pb } from "../../generated/etcd.js";

/** A gRPC method: its path and the codecs of its two messages. */
export interface Method<Request, Response> {
  readonly path: string;
  readonly serialize: (request: Request) => Buffer;
  readonly deserialize: (bytes: Buffer) => Response;
}

interface Codec<Properties, Message> {
  encode(message: Properties): { finish(): Uint8Array };
  decode(bytes: Uint8Array): Message;
}

function method<Request, Response>(
  path: string,
  request: Pick<Codec<Request, unknown>, "encode">,
  response: Pick<Codec<never, Response>, "decode">,
): Method<Request, Response> {
  return {
    path,
    serialize: (message) => {
      const bytes = request.encode(message).finish();
      return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    },
    deserialize: (bytes) => response.decode(bytes),
  };
}

/** What of etcd's API the store calls; proto/etcd.proto holds the messages. */
export const methods = {
  range: method("/etcdserverpb.KV/Range", pb.RangeRequest, pb.RangeResponse),
  txn: method("/etcdserverpb.KV/Txn", pb.TxnRequest, pb.TxnResponse),
  compact: method("/etcdserverpb.KV/Compact", pb.CompactionRequest, pb.CompactionResponse),
  watch: method("/etcdserverpb.Watch/Watch", pb.WatchRequest, pb.WatchResponse),
  authenticate: method("/etcdserverpb.Auth/Authenticate", pb.AuthenticateRequest, pb.AuthenticateResponse),
  status: method("/etcdserverpb.Maintenance/Status", pb.StatusRequest, pb.StatusResponse),
  snapshot: method("/etcdserverpb.Maintenance/Snapshot", pb.SnapshotRequest, pb.SnapshotResponse),
} as const;

/** With every answer: whose it is, and of which revision. */
export type Header = pb.ResponseHeader.$Properties | null | undefined;
export type RangeRequest = pb.RangeRequest.$Properties;
export type RangeResponse = pb.RangeResponse.$Properties;
export type TxnRequest = pb.TxnRequest.$Properties;
export type TxnResponse = pb.TxnResponse.$Properties;
export type WatchRequest = pb.WatchRequest.$Properties;
export type WatchResponse = pb.WatchResponse.$Properties;
export type KeyValue = pb.KeyValue.$Properties;
export type EtcdEvent = pb.Event.$Properties;

export const compareResult = pb.Compare.CompareResult;
export const compareTarget = pb.Compare.CompareTarget;
export const eventType = pb.Event.EventType;

/** A 64-bit field as a number: protobufjs gives a Long, or the default when the field is absent. */
export function toNumber(value: KeyValue["modRevision"]): number {
  if (value === null || value === undefined) return 0;
  return typeof value === "number" ? value : value.toNumber();
}
