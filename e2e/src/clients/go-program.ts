import { join, resolve } from "node:path";
import { e2eFolder, execute } from "./program.js";

const leastMinor = 23;
const tooOld = /go\.mod requires go >= [\d.]+/;
const unreachable =
  /dial tcp|no such host|i\/o timeout|TLS handshake|proxyconnect|disabled by GOPROXY|502 Bad|503 Serv|403 Forbidden/;

export interface GoProgram {
  /** Where its `go.mod` is: below `e2e/clients`, or an absolute path. */
  readonly module: string;
  /** What is built there: `.`, or a package of a module that it requires. */
  readonly package: string;
  /** Path of the program. */
  readonly to: string;
  /** The tests of the package instead of its program. */
  readonly tests?: boolean;
  /** Whether others need the machine meanwhile: the build has a low priority and takes two processors at most. */
  readonly gently?: boolean;
}

/** Why it cannot be built here, for a loud skip; undefined once it is. Uses the caches that Go always uses. */
export async function buildGoProgram(program: GoProgram): Promise<string | undefined> {
  const { module, package: built, to, tests, gently = false } = program;
  const go = (...args: readonly string[]) =>
    execute([...(gently ? ["nice", "-n", "19"] : []), "go", ...args], {
      cwd: resolve(e2eFolder, "clients", module),
      env: { GOTOOLCHAIN: "local", ...(gently ? { GOMAXPROCS: "2" } : {}) },
      timeoutMs: 580_000,
    });
  const version = await go("env", "GOVERSION");
  const [, minor] = /^go1\.(\d+)/.exec(version.output) ?? [];
  if (minor === undefined) return `there is no Go here (https://go.dev/dl): ${version.errors}`;
  if (Number(minor) < leastMinor) return `${version.output.trim()} is older than 1.${leastMinor}`;
  const { code, errors } = await go(
    ...(tests === true ? ["test", "-c"] : ["build"]),
    ...(gently ? ["-p=2"] : []),
    "-mod=readonly",
    "-ldflags=-s -w",
    "-o",
    to,
    built,
  );
  if (code === 0) return undefined;
  if (tooOld.test(errors)) return `${version.output.trim()} is too old: ${errors}`;
  if (unreachable.test(errors)) return `its modules cannot be downloaded: ${errors}`;
  throw new Error(`go build: ${errors}`);
}

/** The folder of the sources of a module that the program is made of, where it could be built. */
export async function goModuleFolder(module: string, of: string): Promise<string> {
  const cwd = join(e2eFolder, "clients", module);
  const list = ["go", "list", "-mod=readonly", "-m", "-f", "{{.Dir}}", of];
  const { code, output, errors } = await execute(list, { cwd, env: { GOTOOLCHAIN: "local" } });
  if (code !== 0) throw new Error(`go list: ${errors}`);
  return output.trim();
}
