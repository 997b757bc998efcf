import { type Incoming, type Outgoing, type Party, TrustError, type Upstream } from "../aggregation/upstream.js";
import type { Listener, Location } from "./locations.js";

export interface ListenersDeps {
  /** With the client certificate that agents know. */
  readonly agents: Upstream;
  /** Without one. */
  readonly others: Upstream;
  /** PEM of those by whom agents' certificates are checked; "" where they are not. */
  readonly agentCa: () => string;
}

/** Requests to nodes' agents and to what listens in the cluster. */
export interface Listeners {
  /** `insecure`: the certificate of an agent is not checked. */
  send(to: Location, outgoing: Outgoing, insecure?: boolean): Promise<Incoming>;
  close(): void;
}

const unchecked = { ca: "", insecure: true } as const;

export function createListeners({ agents, others, agentCa }: ListenersDeps): Listeners {
  // Connections are kept by these values: there is one of each.
  const parties: Record<Exclude<Listener, "agent">, Party> = {
    http: { ...unchecked, plain: true },
    https: unchecked,
  };
  const anyAgent: Party = { ...unchecked };
  let known: Party = anyAgent;
  const agent = (): Party => {
    const ca = agentCa();
    if (known.ca === ca) return known;
    agents.forget(known);
    known = ca === "" ? anyAgent : { ca, insecure: false };
    return known;
  };
  return {
    send({ listener, at }, outgoing, insecure = false) {
      if (listener !== "agent") return others.send(parties[listener], at, outgoing);
      return agents.send(insecure ? anyAgent : agent(), at, outgoing);
    },
    close() {
      agents.close();
      others.close();
    },
  };
}

/** Whether an agent was not trusted, which is counted. */
export function isDistrust(error: unknown, problem: string): boolean {
  return error instanceof TrustError || problem.includes("x509:");
}
