import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";

/** A program of ours as a child process, which can be killed and started again on the same ports. */
export interface Process {
  readonly name: string;
  /** Of the running one; undefined while there is none. */
  readonly pid: number | undefined;
  /** Addresses that it said it serves: `rpc`, `metrics`, `https`. */
  readonly addresses: Readonly<Record<string, string>>;
  /** Ends it as a power cut would. */
  kill(): Promise<void>;
  /** Asks it to stop and waits until it has; its exit code. */
  stop(): Promise<number | null>;
  /** Starts it again on the same ports. */
  restart(): Promise<void>;
  /** The end of what it wrote to standard error. */
  log(): string;
}

export interface ProcessOptions {
  readonly name: string;
  /** The script and its flags. */
  readonly script: string;
  /** Whether it runs by itself, without Node. */
  readonly executable?: boolean;
  readonly args: readonly string[];
  readonly nodeArgs?: readonly string[];
  /** From an address it was given to the flags that ask for the same again. */
  readonly sameAgain: (addresses: Readonly<Record<string, string>>) => readonly string[];
  readonly patienceMs?: number;
}

const defaultPatienceMs = 30_000;
const logTail = 16_384;

/** A process that did not come to serve: its message has all that it wrote, `reason` the line that says why. */
export class StartError extends Error {
  readonly reason: string;

  constructor(name: string, why: string, written: string) {
    super(`${name} ${why}\n${written}`);
    this.name = "StartError";
    const lines = written.split("\n").filter((line) => line.trim() !== "");
    const said = lines.findLast((line) => line.startsWith("could not start: ")) ?? lines.at(-1);
    this.reason = said === undefined ? `${name} ${why}` : `${name} ${why}: ${said.replace("could not start: ", "")}`;
  }
}

/** Starts it and waits for its line of addresses: `rpc=127.0.0.1:4711 metrics=…`. @throws StartError when it ends or stays silent */
export async function startProcess(options: ProcessOptions): Promise<Process> {
  let child: ChildProcess | undefined;
  let addresses: Record<string, string> = {};
  let log = "";

  const spawnChild = async (again: readonly string[]): Promise<void> => {
    const { script, executable = false, nodeArgs = [] } = options;
    const program = executable ? script : process.execPath;
    const before = executable ? [] : [...nodeArgs, script];
    const started = spawn(program, [...before, ...options.args, ...again], { stdio: ["ignore", "pipe", "pipe"] });
    child = started;
    const killWithUs = (): boolean => started.kill("SIGKILL");
    process.once("exit", killWithUs);
    started.once("close", () => process.removeListener("exit", killWithUs));
    started.stderr.on("data", (bytes: Buffer) => {
      log = (log + bytes.toString()).slice(-logTail);
    });
    addresses = await firstAddresses(started, options, () => log);
  };

  const exited = async (signal: NodeJS.Signals): Promise<number | null> => {
    const running = child;
    if (running === undefined || running.exitCode !== null || running.signalCode !== null)
      return running?.exitCode ?? null;
    const exit = once(running, "exit");
    running.kill(signal);
    await exit;
    return running.exitCode;
  };

  await spawnChild([]);
  return {
    name: options.name,
    get pid() {
      return child?.pid;
    },
    get addresses() {
      return addresses;
    },
    async kill() {
      await exited("SIGKILL");
    },
    stop: () => exited("SIGTERM"),
    restart: () => spawnChild(options.sameAgain(addresses)),
    log: () => log,
  };
}

async function firstAddresses(
  child: ChildProcess,
  options: ProcessOptions,
  log: () => string,
): Promise<Record<string, string>> {
  let output = "";
  return new Promise((resolve, reject) => {
    const fail = (why: string): void => {
      clearTimeout(timer);
      child.kill("SIGKILL");
      reject(new StartError(options.name, why, output + log()));
    };
    const patience = options.patienceMs ?? defaultPatienceMs;
    const timer = setTimeout(() => fail(`said nothing for ${patience} ms`), patience);
    const ended = (code: number | null, signal: string | null): void =>
      fail(`ended with ${code ?? signal} before it served`);
    child.once("exit", ended);
    child.stdout?.on("data", (bytes: Buffer) => {
      output = (output + bytes.toString()).slice(-logTail);
      const said = addressesIn(output);
      if (said === undefined) return;
      clearTimeout(timer);
      child.removeListener("exit", ended);
      resolve(said);
    });
  });
}

/** A service's line of addresses, or the greeting of the whole server in one process. */
function addressesIn(output: string): Record<string, string> | undefined {
  const greeting = /ready at https:\/\/(\S+)\n/.exec(output);
  if (greeting !== null) return { https: greeting[1] ?? "" };
  const line = /^\w+=(?:\S+:\d+|\/).*\n/m.exec(output)?.[0];
  return line === undefined
    ? undefined
    : Object.fromEntries(
        line
          .trim()
          .split(" ")
          .map((pair) => splitPair(pair)),
      );
}

function splitPair(pair: string): [string, string] {
  const at = pair.indexOf("=");
  return [pair.slice(0, at), pair.slice(at + 1)];
}

export function portOf(address: string | undefined): string {
  return address?.slice(address.lastIndexOf(":") + 1) ?? "0";
}
