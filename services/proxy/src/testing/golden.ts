import { createNaming } from "@orch/naming/naming.js";
import { createCluster } from "../model/cluster.js";
import type { RulesetOptions, Surroundings } from "../ruleset.js";
import { endpoint, service, slice } from "./objects.js";

const naming = createNaming("kubernetes");

const options: RulesetOptions = {
  mark: "0x4000",
  masqueradesAll: false,
  systemName: naming.systemName,
  product: naming.word("orch"),
};

function surroundings(parts: Partial<Surroundings> = {}): Surroundings {
  return {
    detection: { by: "source", network: "10.0.0.0/8" },
    nodePorts: "all",
    address: "10.180.0.254",
    serviceNetworks: ["172.30.0.0/16"],
    ...parts,
  };
}

/** A service with a node port and two endpoints, and one without endpoints. */
function services() {
  const cluster = createCluster({ hostname: "here", families: ["IPv4"] });
  const nodePort = { type: "NodePort", ports: [{ name: "p80", port: 80, nodePort: 30_080 }] };
  cluster.service("ns1/svc1", service("ns1/svc1", nodePort));
  cluster.service("ns6/svc6", service("ns6/svc6", { clusterIP: "172.30.0.46" }));
  cluster.slice("ns1/a", "ns1/svc1", slice([endpoint("10.180.0.1"), endpoint("10.180.0.2")]));
  return cluster.take();
}

/** What the golden files of the reference were made of. */
export const golden = { options, surroundings, services };
