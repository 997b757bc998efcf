import assert from "node:assert/strict";
import { test } from "node:test";
import { golden } from "../testing/golden.js";
import { type IpvsOptions, renderIpvs } from "./render.js";

const ports = golden.services().flatMap((each) => each.ports.IPv4);
const options: IpvsOptions = {
  family: "IPv4",
  scheduler: "rr",
  prefix: "KUBE-",
  surroundings: golden.surroundings({ nodePorts: ["10.180.0.254"] }),
};

test("each address of a service is a virtual server", () => {
  const { servers, addresses } = renderIpvs(ports, options);
  assert.deepEqual(servers.trimEnd().split("\n"), [
    "-A -t 172.30.0.41:80 -s rr",
    "-a -t 172.30.0.41:80 -r 10.180.0.1:80 -m -w 1",
    "-a -t 172.30.0.41:80 -r 10.180.0.2:80 -m -w 1",
    "-A -t 10.180.0.254:30080 -s rr",
    "-a -t 10.180.0.254:30080 -r 10.180.0.1:80 -m -w 1",
    "-a -t 10.180.0.254:30080 -r 10.180.0.2:80 -m -w 1",
    "-A -t 172.30.0.46:80 -s rr",
  ]);
  assert.deepEqual(addresses, ["172.30.0.41", "172.30.0.46"]);
});

test("sets name what rules ask for", () => {
  const { sets } = renderIpvs(ports, options);
  const lines = sets.split("\n");
  assert.ok(lines.includes("create KUBE-CLUSTER-IP hash:ip,port family inet -exist"));
  assert.ok(lines.includes("add KUBE-CLUSTER-IP 172.30.0.46,tcp:80"));
  assert.ok(lines.includes("add KUBE-NODE-PORT-TCP 30080"));
});
