import { Agent } from "node:https";
import { messageOf } from "@orch/status/message-of.js";
import { readJson } from "@orch/status/read-json.js";
import { askMember } from "./ask-member.js";

/** A member of etcd's cluster; ids are decimal numbers of 64 bits. */
export interface EtcdMember {
  readonly id: string;
  /** Empty until it has started. */
  readonly name: string;
  readonly peerUrls: readonly string[];
  readonly clientUrls: readonly string[];
  readonly isLearner: boolean;
}

export interface EtcdFiles {
  /** PEM. */
  readonly ca: string;
  readonly certificate: string;
  readonly key: string;
}

/** The cluster calls of etcd, by the JSON gateway that its members serve beside gRPC. */
export interface EtcdCluster {
  members(): Promise<readonly EtcdMember[]>;
  /** Takes a member in that does not vote yet. */
  addLearner(peerUrl: string): Promise<readonly EtcdMember[]>;
  /** Lets it vote; fails until it has caught up. */
  promote(id: string): Promise<void>;
  remove(id: string): Promise<void>;
  close(): void;
}

/** Asks the endpoints one after the other until one answers. */
export function etcdCluster(endpoints: readonly string[], { ca, certificate, key }: EtcdFiles): EtcdCluster {
  const agent = new Agent({ ca, cert: certificate, key, keepAlive: false });

  async function post(endpoint: string, path: string, body: object): Promise<unknown> {
    const { status, text } = await askMember(new URL(path, endpoint), { agent, body: JSON.stringify(body) });
    if (status === 200) return readJson(text);
    throw new EtcdError(textOf(text) ?? `etcd answered ${status}`);
  }

  async function call(path: string, body: object): Promise<unknown> {
    const problems: string[] = [];
    for (const endpoint of endpoints) {
      try {
        return await post(endpoint, path, body);
      } catch (error) {
        // An answer is the cluster's: another member would say the same.
        if (error instanceof EtcdError) throw error;
        problems.push(`${endpoint}: ${messageOf(error)}`);
      }
    }
    throw new Error(`no member of etcd answers: ${problems.join("; ")}`);
  }

  return {
    members: async () => membersOf(await call("/v3/cluster/member/list", {})),
    addLearner: async (peerUrl) =>
      membersOf(await call("/v3/cluster/member/add", { peerURLs: [peerUrl], isLearner: true })),
    async promote(id) {
      await call("/v3/cluster/member/promote", { ID: id });
    },
    async remove(id) {
      await call("/v3/cluster/member/remove", { ID: id });
    },
    close: () => agent.destroy(),
  };
}

/** What etcd itself refuses. */
export class EtcdError extends Error {}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null;

function textOf(body: string): string | undefined {
  try {
    const read: unknown = readJson(body);
    if (!isRecord(read)) return undefined;
    return String(read["message"] ?? read["error"] ?? "") || undefined;
  } catch {
    return undefined; // no JSON: the status says enough
  }
}

function membersOf(answer: unknown): readonly EtcdMember[] {
  const members: unknown = isRecord(answer) ? answer["members"] : undefined;
  if (!Array.isArray(members)) throw new Error("etcd names no members");
  const texts = (value: unknown): readonly string[] => (Array.isArray(value) ? value.map(String) : []);
  return members.filter(isRecord).map((member) => ({
    id: String(member["ID"] ?? ""),
    name: String(member["name"] ?? ""),
    peerUrls: texts(member["peerURLs"]),
    clientUrls: texts(member["clientURLs"]),
    isLearner: member["isLearner"] === true,
  }));
}
