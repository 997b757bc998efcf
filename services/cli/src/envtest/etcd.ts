import type { RequestListener } from "node:http";
import { createServer } from "@orch/status/node-http.js";

const urlsFlag = /^--?listen-client-urls(?:=([\s\S]*))?$/;
const usual = "http://localhost:2379";

/** Where etcd is told to answer clients: of repeated flags the last counts. */
export function listenUrls(argv: readonly string[]): readonly string[] {
  let urls = usual;
  argv.forEach((argument, i) => {
    const [whole, attached] = urlsFlag.exec(argument) ?? [];
    if (whole !== undefined) urls = attached ?? argv[i + 1] ?? usual;
  });
  return urls.split(",").filter((url) => url !== "");
}

const answers: Readonly<Record<string, object>> = {
  "/health": { health: "true", reason: "" },
  "/livez": {},
  "/readyz": {},
  "/version": { etcdserver: "3.5.0", etcdcluster: "3.5.0" },
};

const answer: RequestListener = ({ url = "/", method }, response) => {
  const [path = "/"] = url.split("?", 1);
  const found = Object.hasOwn(answers, path) ? answers[path] : undefined;
  const body = JSON.stringify(found ?? { error: "this is a stub: orch-envtest keeps everything itself, in memory" });
  response.writeHead(found === undefined ? 404 : 200, { "content-type": "application/json" });
  response.end(method === "HEAD" ? undefined : body);
};

/**
 * Answers whether etcd is well, at the addresses of etcd's own flags; all its other flags are passed over. Resolves when
 * it listens. @throws Error in one line
 */
export async function serveEtcdStub(argv: readonly string[]): Promise<{ readonly close: () => void }> {
  const servers = await Promise.all(
    listenUrls(argv).map((text) => {
      const url = URL.canParse(text) ? new URL(text) : undefined;
      if (url?.protocol !== "http:") throw new Error(`--listen-client-urls: ${text.slice(0, 200)} is no http address`);
      const server = createServer(answer);
      return new Promise<typeof server>((resolve, reject) => {
        server.once("error", reject);
        server.listen(Number(url.port || 80), url.hostname.replace(/^\[(.*)\]$/, "$1"), () => resolve(server));
      });
    }),
  );
  return {
    close() {
      for (const server of servers) {
        server.close();
        server.closeAllConnections();
      }
    },
  };
}
