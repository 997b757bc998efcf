import type { Budget } from "../../../shared/warnings/text.js";
import type { ContainerPort, PlacedContainer } from "../types.js";

interface PlacedPort {
  readonly at: string;
  readonly port: Required<Omit<ContainerPort, "name">>;
}

/** Ports of all containers that are one another's, or may be. */
export function* portWarnings(containers: readonly PlacedContainer[], at: string, budget: Budget): Iterable<string> {
  const byNumber = new Map<string, PlacedPort[]>();
  for (const { container, at: of } of containers) {
    for (const [i, given] of (container.ports ?? []).entries()) {
      const { name = "", containerPort = 0, hostPort = 0, hostIP = "", protocol = "TCP" } = given;
      const placed = { at: `${at}.${of}.ports[${i}]`, port: { containerPort, hostPort, hostIP, protocol } };
      if (hostIP !== "" && hostPort === 0) {
        const shown = `{Name:${name} HostPort:0 ContainerPort:${containerPort} Protocol:${protocol} HostIP:${hostIP}}`;
        yield `${placed.at}: hostIP set without hostPort: ${shown}`;
      }
      const number = `${containerPort}/${protocol}`;
      const others = byNumber.get(number) ?? [];
      for (const other of others) {
        if (budget.comparisons-- <= 0) return;
        const how = relation(placed.port, other.port);
        if (how !== undefined) yield `${placed.at}: ${how} port definition with ${other.at}`;
      }
      others.push(placed);
      byNumber.set(number, others);
    }
  }
}

function relation(a: PlacedPort["port"], b: PlacedPort["port"]): string | undefined {
  if (a.hostIP === b.hostIP && a.hostPort === b.hostPort) return "duplicate";
  if (a.hostPort === 0 || b.hostPort === 0) return "overlapping";
  const isOpen = (a.hostIP === "") !== (b.hostIP === "");
  return a.hostPort === b.hostPort && isOpen ? "dangerously ambiguous" : undefined;
}
