import { connect as connectTcp, isIP } from "node:net";
import { connect as connectTls } from "node:tls";
import { connectionProblem } from "@orch/outbound/failure.js";
import type { ISocketFactory } from "kafkajs";

export interface BrokerSockets {
  readonly factory: ISocketFactory;
  /** Why the newest connection that broke did, with the broker's address; what kafkajs says of it is less. */
  readonly problem: string | undefined;
}

const keepAliveMs = 60_000;

/** Connections to brokers, as kafkajs makes them where nobody else does. */
export function createBrokerSockets(): BrokerSockets {
  let problem: string | undefined;
  return {
    factory({ host, port, ssl, onConnect }) {
      const name = isIP(host) === 0 ? { servername: host } : {};
      const socket = ssl
        ? connectTls({ host, port, ...name, ...ssl }, onConnect)
        : connectTcp({ host, port }, onConnect);
      socket.setKeepAlive(true, keepAliveMs);
      socket.once("error", (error) => {
        problem = `${host}:${port}: ${connectionProblem(error)}`;
      });
      return socket;
    },
    get problem() {
      return problem;
    },
  };
}
