import { type ChildProcess, execFile, spawn } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import type { IncomingHttpHeaders } from "node:http";
import { type Agent, request as httpsRequest } from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { fileURLToPath } from "node:url";
import type { KeyPair } from "@orch/pki/key-pair.js";

/** The built repository. */
export const root = fileURLToPath(new URL("../../", import.meta.url));

export const programs = {
  standalone: join(root, "services/standalone/dist/main.js"),
  gateway: join(root, "services/gateway/dist/main.js"),
  resource: join(root, "services/resource/dist/main.js"),
  "watch-cache": join(root, "services/watch-cache/dist/main.js"),
  deploy: join(root, "deploy/dist/main.js"),
  orch: join(root, "services/cli/dist/main.js"),
} as const;

export interface Exit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

/** What a command that ends by itself has said. */
export interface Ended {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

/** Runs a command of the program `orch` to its end. */
export function orch(...args: string[]): Promise<Ended> {
  return new Promise((resolve) => {
    execFile(process.execPath, [programs.orch, ...args], (error, out, err) => {
      resolve({ code: Number(error?.code ?? 0), out, err });
    });
  });
}

/** A process that runs, with what it has printed so far. */
export interface Running {
  readonly child: ChildProcess;
  readonly pid: number;
  output(): string;
  errors(): string;
  /** Settles once standard output has it. @throws Error when the process ends before */
  printed(pattern: RegExp): Promise<RegExpExecArray>;
  readonly exit: Promise<Exit>;
}

export interface RunOptions {
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
}

/** Starts a program of this repository, or another command where `command` is one; ended with its test. */
export function run(t: TestContext, command: readonly string[], options: RunOptions = {}): Running {
  const [file = "", ...args] = command;
  const script = file.endsWith(".js");
  const child = spawn(script ? process.execPath : file, script ? [file, ...args] : args, {
    cwd: options.cwd ?? root,
    env: { ...process.env, ORCH_DATA: "", ...options.env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let output = "";
  let errors = "";
  const listeners = new Set<() => void>();
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    output += text;
    for (const listener of listeners) listener();
  });
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    errors += text;
  });
  const exit = new Promise<Exit>((resolve, reject) => {
    child.once("error", reject);
    // "close": what it printed last has been read too.
    child.once("close", (code, signal) => resolve({ code, signal }));
  });
  t.after(async () => {
    if (child.exitCode === null && child.signalCode === null) child.kill("SIGKILL");
    await exit.catch(() => {});
  });
  return {
    child,
    pid: child.pid ?? 0,
    output: () => output,
    errors: () => errors,
    exit,
    printed: (pattern) =>
      new Promise((resolve, reject) => {
        const look = (): void => {
          const found = pattern.exec(output);
          if (found === null) return;
          listeners.delete(look);
          resolve(found);
        };
        listeners.add(look);
        look();
        exit.then(({ code, signal }) => reject(new Error(`ended (${code ?? signal}): ${errors}${output}`)), reject);
      }),
  };
}

/** A folder that goes with its test. */
export async function temporaryFolder(t: TestContext, prefix = "orch-e2e-"): Promise<string> {
  const folder = await makeFolder(prefix);
  t.after(() => removeFolder(folder));
  return folder;
}

const makeFolder = (prefix: string): Promise<string> => mkdtemp(join(tmpdir(), prefix));
const removeFolder = (folder: string): Promise<void> => rm(folder, { recursive: true, force: true });

export interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  /** As they stood: several of one name stay apart. */
  readonly rawHeaders: readonly string[];
  readonly body: string;
}

export interface Ask {
  readonly method?: string;
  /** A list is a header for each of its values. */
  readonly headers?: Readonly<Record<string, string | readonly string[]>>;
  readonly body?: string | Buffer;
  /** The administrator's where absent; none where "". */
  readonly token?: string;
  /** The client's certificate, with its chain. */
  readonly pair?: KeyPair;
  /** Whose connections are used; one of its own for each request where absent. */
  readonly agent?: Agent;
}

/** A standalone server that answers. */
export interface Server extends Running {
  readonly url: string;
  readonly port: number;
  readonly dataDir: string;
  readonly token: string;
  /** PEM. */
  readonly ca: string;
  /** One request on a connection of its own; the path goes out as it is. */
  ask(path: string, ask?: Ask): Promise<Answer>;
  /** A series of the process's metrics, without labels. */
  metric(name: string): Promise<number>;
}

export interface ServerOptions extends RunOptions {
  readonly dataDir?: string;
  readonly dialect?: "orch" | "kubernetes";
  readonly args?: readonly string[];
}

/** Starts standalone on a free port and waits until it says that it is ready. */
export async function startServer(t: TestContext, options: ServerOptions = {}): Promise<Server> {
  const dataDir = options.dataDir ?? (await makeFolder("orch-e2e-"));
  const dialect = options.dialect ?? "kubernetes";
  const args = [`--data-dir=${dataDir}`, "--secure-port=0", `--api-dialect=${dialect}`, ...(options.args ?? [])];
  const running = run(t, [programs.standalone, ...args], options);
  // In the order in which they were asked for: nobody writes there any more.
  if (options.dataDir === undefined) t.after(() => removeFolder(dataDir));
  const [, url = ""] = await running.printed(/ready at (https:\S+)[\s\S]*\?watch=1/);
  const [ca, tokens] = await Promise.all([
    readFile(join(dataDir, "pki/ca.crt"), "utf8"),
    readFile(join(dataDir, "pki/tokens.csv"), "utf8"),
  ]);
  const [token = ""] = tokens.split(",");
  const port = Number(new URL(url).port);
  const ask = (path: string, asked: Ask = {}): Promise<Answer> => {
    const { method = "GET", headers, body, token: other = token, pair, agent } = asked;
    return send({ ca, port, path, method, body, pair, agent, headers: { ...bearer(other), ...headers } });
  };
  return {
    ...running,
    url,
    port,
    dataDir,
    token,
    ca,
    ask,
    async metric(name) {
      const { body } = await ask("/metrics");
      const line = body.split("\n").find((text) => text.startsWith(`${name} `));
      if (line === undefined) throw new Error(`no metric ${name}`);
      return Number(line.slice(name.length));
    },
  };
}

function bearer(token: string): Record<string, string> {
  return token === "" ? {} : { Authorization: `Bearer ${token}` };
}

interface Sending {
  readonly ca: string;
  readonly port: number;
  readonly path: string;
  readonly method: string;
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  readonly body: string | Buffer | undefined;
  readonly pair: KeyPair | undefined;
  readonly agent: Agent | undefined;
}

function send({ ca, port, path, method, headers, body, pair, agent }: Sending): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const length = body === undefined ? {} : { "Content-Length": String(Buffer.byteLength(body)) };
    const options = {
      ...{ host: "127.0.0.1", port, ca, path, method, headers: { ...length, ...headers }, agent: agent ?? false },
      ...(pair === undefined ? {} : { cert: pair.certificate, key: pair.key }),
    };
    const request = httpsRequest(options, (response) => {
      const parts: Buffer[] = [];
      response.on("data", (part: Buffer) => parts.push(part));
      response.on("error", reject);
      response.on("end", () =>
        resolve({
          status: response.statusCode ?? 0,
          headers: response.headers,
          rawHeaders: response.rawHeaders,
          body: Buffer.concat(parts).toString("utf8"),
        }),
      );
    });
    request.on("error", reject);
    request.end(body);
  });
}
