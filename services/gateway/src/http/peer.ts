import type { Socket } from "node:net";
import { TLSSocket } from "node:tls";
import type { ClientCertificate } from "@orch/auth/authenticator.js";
import { clientCertificate, createChains } from "@orch/auth/client-certificate.js";
import type { UserInfo } from "@orch/auth/user.js";
import type { Staging } from "../staging.js";

/** The other end of a connection. */
export interface Peer {
  /** Its IP address; "" once the connection is gone. */
  readonly address: string;
  /** That it showed when the connection opened, whether or not anybody vouches for it. */
  readonly certificate: ClientCertificate | undefined;
  /** Who it is, of a client in this process; nobody that came over a network. */
  readonly user?: UserInfo;
  /** Of a client in this process whose writes are stored together with others. */
  readonly staging?: Staging | undefined;
}

/** The peer of a connection, the same value for each of its requests. */
export type PeerOf = (socket: Socket) => Peer;

type Chains = ReturnType<typeof createChains>;

export function createPeerOf(): PeerOf {
  const known = new WeakMap<Socket, Peer>();
  const chains = createChains();
  return (socket) => {
    const before = known.get(socket);
    if (before !== undefined) return before;
    const peer = new ConnectionPeer(socket, chains);
    known.set(socket, peer);
    return peer;
  };
}

class ConnectionPeer implements Peer {
  readonly #socket: Socket;
  readonly #chains: Chains;
  #shown: { readonly certificate: ClientCertificate | undefined } | undefined;

  constructor(socket: Socket, chains: Chains) {
    this.#socket = socket;
    this.#chains = chains;
  }

  get address(): string {
    return this.#socket.remoteAddress ?? "";
  }

  /** Taken apart once: that of a connection cannot change. */
  get certificate(): ClientCertificate | undefined {
    this.#shown ??= { certificate: certificateOf(this.#socket, this.#chains) };
    return this.#shown.certificate;
  }
}

/** The subject of a connection's certificate with the fingerprints of its chain. */
function certificateOf(socket: Socket, chains: Chains): ClientCertificate | undefined {
  if (!(socket instanceof TLSSocket)) return undefined;
  const leaf = socket.getPeerCertificate(true);
  // Without one node gives an empty object.
  if (leaf.raw === undefined) return undefined;
  return clientCertificate(leaf.subject, {
    verified: socket.authorized,
    notAfter: Date.parse(leaf.valid_to),
    chain: socket.authorized ? chains(leaf) : [],
  });
}
