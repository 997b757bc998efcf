import { join } from "node:path";
import { e2eFolder, execute } from "./clients/program.js";
import { clientSuite, type Prepared } from "./clients/suite.js";

const leastMinor = 23;
const unreachable =
  /dial tcp|no such host|i\/o timeout|TLS handshake|proxyconnect|disabled by GOPROXY|502 Bad|503 Serv/;

/** Builds the client of `clients/go` with the caches that Go always uses. */
async function buildClient(folder: string): Promise<Prepared> {
  const go = (...args: readonly string[]) =>
    execute(["go", ...args], {
      cwd: join(e2eFolder, "clients/go"),
      env: { GOTOOLCHAIN: "local" },
      timeoutMs: 280_000,
    });
  const version = await go("env", "GOVERSION");
  const [, minor] = /^go1\.(\d+)/.exec(version.output) ?? [];
  if (minor === undefined) return { missing: `there is no Go here (https://go.dev/dl): ${version.errors}` };
  if (Number(minor) < leastMinor) return { missing: `${version.output.trim()} is older than 1.${leastMinor}` };
  const program = join(folder, "client");
  const { code, errors } = await go("build", "-mod=readonly", "-ldflags=-s -w", "-o", program, ".");
  if (code === 0) return { command: [program] };
  if (unreachable.test(errors)) return { missing: `its modules cannot be downloaded: ${errors}` };
  throw new Error(`go build: ${errors}`);
}

clientSuite({ name: "client-go", prepare: buildClient, current: ["--cbor"] });
