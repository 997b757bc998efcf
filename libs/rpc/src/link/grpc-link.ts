import type { SecureContextOptions } from "node:tls";
import { type ChannelCredentials, credentials, type MethodDefinition, ServerCredentials } from "@grpc/grpc-js";
import { maxPayload } from "../limits.js";

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

const minVersion = "TLSv1.3";

export const channelOptions = {
  "grpc-node.flow_control_window": 4 * 1024 * 1024,
  "grpc.max_receive_message_length": maxPayload + 1024 * 1024,
  "grpc.max_send_message_length": -1,
  "grpc.keepalive_time_ms": 10_000,
  "grpc.keepalive_timeout_ms": 5_000,
  "grpc.keepalive_permit_without_calls": 1,
  "grpc.enable_channelz": 0,
} as const;

/** PEM texts: the authority of the other side, and the own certificate with its key. */
export interface LinkCredentials {
  readonly ca: string;
  readonly cert: string;
  readonly key: string;
}

/** How one side proves who it is, and whom it takes for the other. Without it a connection is plain. */
export interface LinkSecurity {
  /** What new connections are made with; the files behind it may change while the process runs. */
  readonly credentials: {
    current(): LinkCredentials;
    onChange(run: () => void): void;
  };
  /** Asked of a certificate that the authority has signed and that is in its time; the identity is for logs. */
  readonly accepts: (certificate: { readonly subjectaltname?: string | undefined }) => {
    readonly accepted: boolean;
    readonly identity: string;
  };
}

/** For one connection: with what is in force when it begins. The identity takes the place of the host's name. */
export function clientCredentials(security: LinkSecurity | undefined): ChannelCredentials {
  if (security === undefined) return credentials.createInsecure();
  const { ca, key, cert } = security.credentials.current();
  return credentials.createSsl(Buffer.from(ca), Buffer.from(key), Buffer.from(cert), {
    checkServerIdentity: (_host, certificate) => {
      const { accepted, identity } = security.accepts(certificate);
      return accepted ? undefined : new Error(`the peer is not who is expected, but ${named(identity)}`);
    },
  });
}

/** An identity for a sentence. */
export const named = (identity: string): string => (identity === "" ? "nobody by name" : identity);

const handshakeMs = 10_000;

export function serverCredentials(security: LinkSecurity | undefined): ServerCredentials {
  return security === undefined ? ServerCredentials.createInsecure() : new ReloadedCredentials(security);
}

/** The library's own are made once; it asks these again for every connection after a change. */
class ReloadedCredentials extends ServerCredentials {
  constructor({ credentials: source }: LinkSecurity) {
    super({ requestCert: true, rejectUnauthorized: true, handshakeTimeout: handshakeMs }, contextOf(source.current()));
    source.onChange(() => this.updateSecureContextOptions(contextOf(source.current())));
  }

  override _equals(other: ServerCredentials): boolean {
    return this === other;
  }
}

const contextOf = ({ ca, cert, key }: LinkCredentials): SecureContextOptions => ({ ca, cert, key, minVersion });
