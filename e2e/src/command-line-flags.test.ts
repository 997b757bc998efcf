import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { programs, run, temporaryFolder } from "./command-line-program.js";

interface Ended {
  readonly code: number | null;
  readonly output: string;
  readonly errors: string;
}

async function ended(t: TestContext, command: readonly string[]): Promise<Ended> {
  const running = run(t, command);
  const { code } = await running.exit;
  return { code, output: running.output(), errors: running.errors() };
}

/** `orch` takes a command before flags. */
const { orch: _, ...withFlags } = programs;

for (const [name, program] of Object.entries(withFlags)) {
  test(`${name} tells its flags with their defaults`, async (t) => {
    const { code, output, errors } = await ended(t, [program, "--help"]);
    assert.equal(code, 0);
    assert.equal(errors, "");
    assert.match(output, /^Usage: orch[a-z-]* \[flags\]\n/);
    assert.match(output, /\(default [^)]+\)/);
    assert.match(output, /--version /);
  });

  test(`${name} tells its version`, async (t) => {
    const { code, output } = await ended(t, [program, "--version"]);
    assert.equal(code, 0);
    assert.match(output, /^orch[a-z-]* v1\.32\.\d+\S*\n$/);
  });

  test(`${name} refuses an unknown flag in one line and suggests a known one`, async (t) => {
    const { code, output, errors } = await ended(t, [program, "--verson"]);
    assert.equal(code, 2);
    assert.equal(output, "");
    assert.match(errors, /^orch[a-z-]*: unknown flag: --verson \(did you mean --version\?\)\n$/);
  });
}

interface Misuse {
  readonly title: string;
  readonly args: readonly string[];
  readonly code: number;
  readonly says: RegExp;
}

const misuses: readonly Misuse[] = [
  {
    title: "a near flag is suggested",
    args: ["--secur-port=1"],
    code: 2,
    says: /unknown flag: --secur-port \(did you mean --secure-port\?\)/,
  },
  { title: "nothing near is not", args: ["--zzzzzz"], code: 2, says: /unknown flag: --zzzzzz; --help lists the flags/ },
  {
    title: "a store in memory is not in etcd",
    args: ["--store-in-memory", "--etcd-servers=http://127.0.0.1:1"],
    code: 2,
    says: /^orch: --store-in-memory and --etcd-servers exclude each other$/m,
  },
  {
    title: "without certificates of its own it needs others'",
    args: ["--own-pki=false", "--controllers=", "--tls-cert-file=/a"],
    code: 2,
    says: /^orch: --own-pki=false needs --tls-private-key-file$/m,
  },
  {
    title: "without certificates of its own it runs no controllers",
    args: ["--own-pki=false", "--tls-cert-file=/a", "--tls-private-key-file=/b"],
    code: 2,
    says: /^orch: --own-pki=false needs --controllers=$/m,
  },
  { title: "a port is in range", args: ["--secure-port=99999"], code: 2, says: /between 0 and 65535/ },
  { title: "a port is a number", args: ["--secure-port=x"], code: 2, says: /invalid argument "x" for "--secure-port"/ },
  { title: "a dialect is one of two", args: ["--api-dialect=foo"], code: 2, says: /must be one of orch, kubernetes/ },
  { title: "a duration has a unit", args: ["--request-timeout=x"], code: 2, says: /--request-timeout/ },
  {
    title: "services are given addresses of a range that is not too large",
    args: ["--service-cluster-ip-range=10.0.0.0/8"],
    code: 2,
    says: /specified --service-cluster-ip-range is too large; for 32-bit addresses, the mask must be >= 12/,
  },
  {
    title: "node ports end behind their beginning",
    args: ["--service-node-port-range=32767-30000"],
    code: 2,
    says: /end port cannot be less than start port: 32767-30000/,
  },
  {
    title: "no endpoint is on this machine alone",
    args: ["--advertise-address=127.0.0.1"],
    code: 2,
    says: /may not be in the loopback range/,
  },
  { title: "a flag wants its value", args: ["--data-dir"], code: 2, says: /needs an argument: --data-dir/ },
  { title: "nothing but flags is understood", args: ["start"], code: 2, says: /unexpected argument: start/ },
  {
    title: "a name of the certificate is a name",
    args: ["--tls-san=a b"],
    code: 1,
    says: /--tls-san: "a b" is neither/,
  },
  {
    title: "an address is one of this machine",
    args: ["--bind-address=203.0.113.7"],
    code: 1,
    says: /203\.0\.113\.7 is not one of this machine/,
  },
  {
    title: "a token file is there",
    args: ["--token-auth-file=/nowhere/tokens"],
    code: 1,
    says: /--token-auth-file: ENOENT.*\/nowhere\/tokens/,
  },
  {
    title: "a data folder is no file",
    args: [`--data-dir=${programs.standalone}`],
    code: 1,
    says: /main\.js/,
  },
  { title: "a data folder can be made", args: ["--data-dir=/proc/orch"], code: 1, says: /\/proc\/orch/ },
];

for (const { title, args, code, says } of misuses) {
  test(`${title}, and it is said in one line`, async (t) => {
    const folder = await temporaryFolder(t);
    const answer = await ended(t, [programs.standalone, `--data-dir=${folder}`, "--secure-port=0", ...args]);
    assert.equal(answer.code, code, answer.errors);
    assert.match(answer.errors, /^[^\n]+\n$/);
    assert.match(answer.errors, says);
    assert.equal(answer.output, "");
  });
}

test("a bad line of a token file is named", async (t) => {
  const folder = await temporaryFolder(t);
  const tokens = join(folder, "tokens.csv");
  await writeFile(tokens, "t,user,1\nonly,two\n");
  const args = [`--data-dir=${folder}`, "--secure-port=0", `--token-auth-file=${tokens}`];
  const { code, errors } = await ended(t, [programs.standalone, ...args]);
  assert.equal(code, 1);
  assert.match(errors, /^orch: --token-auth-file: line 2: needs three columns[^\n]*\n$/);
});
