import { execFileSync, spawn, spawnSync } from "node:child_process";
import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { until } from "../harness/until.js";

/** A node's network, made within a network namespace of the test's own: nothing here is seen by the machine. */
export interface NodeNetwork {
  /** Asks from somewhere: the pod that answered and the address that it saw, or curl's exit code. */
  ask(from: Place, url: string): Asked;
  /** Sends a datagram from p3, always by the same port: the pod that answered, or "". */
  send(address: string, port: number): string;
  stop(): void;
}

/** `out` is a machine beside the cluster, `node` is the node itself. */
export type Place = "p1" | "p2" | "p3" | "out" | "node";

export type Asked =
  | { readonly ok: true; readonly pod: string; readonly saw: string }
  | { readonly ok: false; readonly code: number; readonly seconds: number };

/** curl's exit codes. */
export const refusedCode = 7;
export const timeoutCode = 28;

const ip = (...args: readonly string[]): void => void execFileSync("ip", args, { stdio: ["ignore", "ignore", "pipe"] });
const set = (path: string, value: string): void => writeFileSync(`/proc/sys/${path}`, value);

/** Answers with the pod's name and the client's address, and to a datagram with the name. */
const server = `
const [, name] = process.argv;
const { createSocket } = require("node:dgram");
const datagrams = createSocket("udp6", (message, { address, port }) => datagrams.send(name, port, address));
datagrams.bind(5353, "::");
require("node:http").createServer((request, response) => response.end(name + " " + request.socket.remoteAddress)).listen(8080, "::");
`;

/** A bridge with three pods, two of which serve at 8080, and a machine outside. To be run in a namespace of its own. */
export async function makeNodeNetwork(): Promise<NodeNetwork> {
  mkdirSync("/run/netns", { recursive: true });
  ip("link", "set", "lo", "up");
  set("net/ipv4/ip_forward", "1");
  set("net/ipv6/conf/all/forwarding", "1");
  ip("link", "add", "br0", "type", "bridge");
  ip("address", "add", "10.180.0.254/24", "dev", "br0");
  ip("address", "add", "fd00:180::fe/64", "dev", "br0", "nodad");
  ip("link", "set", "br0", "up");
  for (const n of [1, 2, 3]) {
    join(`p${n}`, [`10.180.0.${n}/24`, `fd00:180::${n}/64`], ["10.180.0.254", "fd00:180::fe"]);
    ip("link", "set", `v-p${n}`, "master", "br0");
    ip("link", "set", `v-p${n}`, "type", "bridge_slave", "hairpin", "on");
  }
  join("out", ["192.0.2.2/24", "fd00:192::2/64"], ["192.0.2.1", "fd00:192::1"]);
  ip("address", "add", "192.0.2.1/24", "dev", "v-out");
  ip("address", "add", "fd00:192::1/64", "dev", "v-out", "nodad");
  // What the node itself sends to a service needs a route before the rules see it.
  ip("route", "add", "172.30.0.0/16", "dev", "br0");
  ip("-6", "route", "add", "fd30::/112", "dev", "br0");
  // As on any node: what nobody knows leaves by the router, if no rule drops it before.
  ip("route", "add", "default", "via", "192.0.2.2");
  ip("-6", "route", "add", "default", "via", "fd00:192::2");
  // Each refusal is to be told, not one a second.
  set("net/ipv6/icmp/ratelimit", "0");
  for (const name of readdirSync("/proc/sys/net/ipv4/conf")) set(`net/ipv4/conf/${name}/send_redirects`, "0");
  const servers = ["p1", "p2"].map((pod) =>
    spawn("ip", ["netns", "exec", pod, process.execPath, "-e", server, pod], { stdio: "ignore" }),
  );
  for (const n of [1, 2]) {
    for (const url of [`http://10.180.0.${n}:8080/`, `http://[fd00:180::${n}]:8080/`]) {
      await until(`pod ${n} serves at ${url}`, () => ask("p3", url).ok || undefined);
    }
  }
  return { ask, send, stop: () => void servers.map((each) => each.kill("SIGKILL")) };
}

/** A namespace with one interface, whose other end stays here. */
function join(name: string, addresses: readonly string[], gateways: readonly string[]): void {
  ip("netns", "add", name);
  ip("link", "add", `v-${name}`, "type", "veth", "peer", "name", "eth0", "netns", name);
  ip("link", "set", `v-${name}`, "up");
  for (const address of addresses) {
    ip("-n", name, "address", "add", address, "dev", "eth0", ...(address.includes(":") ? ["nodad"] : []));
  }
  ip("-n", name, "link", "set", "eth0", "up");
  ip("-n", name, "link", "set", "lo", "up");
  for (const gateway of gateways) ip("-n", name, "route", "add", "default", "via", gateway);
}

function ask(from: Place, url: string): Asked {
  const within = from === "node" ? [] : ["ip", "netns", "exec", from];
  const [program = "curl", ...args] = [...within, "curl", "-g", "-s", "-m", "2", url];
  const began = performance.now();
  const { status, stdout } = spawnSync(program, args, { encoding: "utf8" });
  if (status !== 0) return { ok: false, code: status ?? -1, seconds: (performance.now() - began) / 1000 };
  const [pod = "", saw = ""] = stdout.split(" ");
  return { ok: true, pod, saw: saw.replace("::ffff:", "") };
}

const sender = `
const [, address, port] = process.argv;
const socket = require("node:dgram").createSocket(address.includes(":") ? "udp6" : "udp4");
const end = (text) => { process.stdout.write(text); process.exit(0); };
socket.on("message", (message) => end(message.toString()));
socket.on("error", () => end(""));
socket.bind(40000, () => socket.send("who", Number(port), address));
setTimeout(() => end(""), 1000);
`;

function send(address: string, port: number): string {
  const args = ["netns", "exec", "p3", process.execPath, "-e", sender, address, String(port)];
  return execFileSync("ip", args, { encoding: "utf8" });
}

/** Why there can be no such network here; undefined where there can be one. */
export function networkMissing(): string | undefined {
  if (process.platform !== "linux" || process.getuid?.() !== 0)
    return "namespaces of networks are made on Linux, by root";
  for (const program of ["ip", "unshare", "curl", "nft", "iptables", "ip6tables", "conntrack"]) {
    if (spawnSync(program, ["--version"]).error !== undefined) return `there is no ${program} here`;
  }
  const { status, stderr } = spawnSync("unshare", ["-n", "-m", "true"], { encoding: "utf8" });
  return status === 0 ? undefined : `no namespace can be made here: ${stderr}`;
}
