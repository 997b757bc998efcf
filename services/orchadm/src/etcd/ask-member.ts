import { type Agent, request as requestHttp } from "node:http";
import { request as requestHttps } from "node:https";

export interface Question {
  /** Of the address's scheme: what the member trusts and is trusted by. */
  readonly agent: Agent;
  /** JSON that is posted; without one the address is read. */
  readonly body?: string;
}

export interface Answer {
  readonly status: number;
  readonly text: string;
}

const timeoutMs = 10_000;
const maxBytes = 1 << 20;

/** Asks a member of etcd once. @throws Error where no whole answer comes in time */
export function askMember(url: URL, { agent, body }: Question): Promise<Answer> {
  const request = url.protocol === "https:" ? requestHttps : requestHttp;
  const method = body === undefined ? "GET" : "POST";
  return new Promise((resolve, reject) => {
    const asked = request(url, { agent, method, timeout: timeoutMs }, (answer) => {
      const parts: Buffer[] = [];
      let bytes = 0;
      answer.on("data", (part: Buffer) => {
        bytes += part.length;
        if (bytes > maxBytes) answer.destroy(new Error("the answer of etcd is too long"));
        parts.push(part);
      });
      answer.on("error", reject);
      answer.on("end", () => resolve({ status: answer.statusCode ?? 0, text: Buffer.concat(parts).toString() }));
    });
    asked.on("timeout", () => asked.destroy(new Error("etcd did not answer in time")));
    asked.on("error", reject);
    asked.end(body);
  });
}
