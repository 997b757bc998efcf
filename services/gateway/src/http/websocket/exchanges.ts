import { WebSocketServer } from "ws";
import type { Exchange } from "../exchange.js";
import type { PeerOf } from "../peer.js";
import { webSocketRequest } from "./request.js";
import { WebSocketResponse } from "./response.js";
import type { Upgrade } from "./upgrade.js";

/** A client has nothing to say on a watch; what it sends is read and ignored. */
const maxMessageBytes = 1024;

/** `tokenProtocol` begins a protocol that is no protocol but the client's bearer token. */
export function createWebSocketExchanges(tokenProtocol: string, peerOf: PeerOf): (upgrade: Upgrade) => Exchange {
  const acceptor = new WebSocketServer({
    noServer: true,
    maxPayload: maxMessageBytes,
    perMessageDeflate: false,
    // The response ends its own connection.
    clientTracking: false,
    handleProtocols: (offered) => [...offered].find((protocol) => !protocol.startsWith(tokenProtocol)) ?? false,
  });
  return (upgrade) => ({
    request: webSocketRequest(upgrade, { tokenProtocol, peer: peerOf(upgrade.socket) }),
    response: new WebSocketResponse(upgrade, acceptor),
  });
}
