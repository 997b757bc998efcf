import assert from "node:assert/strict";
import { test } from "node:test";
import { commonFlags } from "./common-flags.js";
import { boolFlag, durationFlag, enumFlag, intFlag, listFlag, stringFlag, switchesFlag } from "./flag-types.js";
import { readCommandLine } from "./flags.js";

const program = {
  name: "gateway",
  description: "Serves the API.",
  version: "0.1.0",
  flags: {
    "bind-address": stringFlag("127.0.0.1", { group: "Serving", help: "address to listen on", word: "address" }),
    "secure-port": intFlag(6443, { group: "Serving", min: 0, max: 65535, help: "port of HTTPS; 0 picks one" }),
    "tls-san": listFlag([], { group: "Serving", help: "more names for the certificate" }),
    "anonymous-auth": boolFlag(true, { group: "Access", help: "serve requests without credentials" }),
    "request-timeout": durationFlag(60_000, { help: "time a request may take" }),
    "api-dialect": enumFlag(["orch", "kubernetes"], "orch", { help: "names of the interface" }),
    "feature-gates": switchesFlag({ help: "features on or off" }),
    ...commonFlags,
  },
} as const;

const read = (...argv: string[]) => readCommandLine(program, argv);

test("values come from both ways of writing them, and the last wins", () => {
  const line = read(
    "--secure-port=1",
    "--secure-port",
    "7443",
    "--anonymous-auth=false",
    "--tls-san=a,b",
    "--tls-san",
    "c",
    "--feature-gates=A=true,B=false",
    "--feature-gates=B=true",
    "--request-timeout=1m30s",
    "-v=4",
    "--api-dialect=kubernetes",
    "--bind-address=",
  );
  assert.ok(line.run);
  const { values } = line;
  assert.equal(values["secure-port"], 7443);
  assert.equal(values["anonymous-auth"], false);
  assert.deepEqual(values["tls-san"], ["a", "b", "c"]);
  assert.deepEqual(
    [...values["feature-gates"]],
    [
      ["A", true],
      ["B", true],
    ],
  );
  assert.equal(values["request-timeout"], 90_000);
  assert.equal(values["api-dialect"], "kubernetes");
  assert.equal(values["bind-address"], "");
  assert.equal(values.v, 4);
  assert.ok(line.given.has("secure-port") && !line.given.has("log-level"));
});

test("defaults stand where nothing is given, and a boolean takes no following word", () => {
  const line = read("--anonymous-auth", "--secure-port=0");
  assert.ok(line.run);
  assert.equal(line.values["anonymous-auth"], true);
  assert.equal(line.values["request-timeout"], 60_000);
  assert.deepEqual(line.values["tls-san"], []);
});

test("misuse is one line and exit code 2", () => {
  const rows: readonly (readonly [readonly string[], string])[] = [
    [["--secur-port=1"], "gateway: unknown flag: --secur-port (did you mean --secure-port?)"],
    [["--secure_port"], "gateway: unknown flag: --secure_port (did you mean --secure-port?)"],
    [["--zzzzzzzzzzz"], "gateway: unknown flag: --zzzzzzzzzzz; --help lists the flags"],
    [["-secure-port=1"], "gateway: unknown flag: -secure-port (did you mean --secure-port?)"],
    [["--toString"], "gateway: unknown flag: --toString; --help lists the flags"],
    [["--__proto__=1"], "gateway: unknown flag: --__proto__; --help lists the flags"],
    [["--secure-port"], "gateway: flag needs an argument: --secure-port"],
    [["serve"], "gateway: unexpected argument: serve"],
    [["--"], "gateway: unexpected argument: --"],
    [["--secure-port=x"], 'gateway: invalid argument "x" for "--secure-port" flag: must be an integer'],
    [["--secure-port=1.5"], 'gateway: invalid argument "1.5" for "--secure-port" flag: must be an integer'],
    [
      ["--secure-port=70000"],
      'gateway: invalid argument "70000" for "--secure-port" flag: must be between 0 and 65535',
    ],
    [["--v=-1"], 'gateway: invalid argument "-1" for "--v" flag: must be at least 0'],
    [
      ["--anonymous-auth=maybe"],
      'gateway: invalid argument "maybe" for "--anonymous-auth" flag: must be true or false',
    ],
    [
      ["--request-timeout=10"],
      'gateway: invalid argument "10" for "--request-timeout" flag: must be a duration such as 10s or 1m30s',
    ],
    [["--request-timeout=-1s"], 'gateway: invalid argument "-1s" for "--request-timeout" flag: must not be negative'],
    [
      ["--api-dialect=k8s"],
      'gateway: invalid argument "k8s" for "--api-dialect" flag: must be one of orch, kubernetes',
    ],
    [
      ["--feature-gates=A"],
      'gateway: invalid argument "A" for "--feature-gates" flag: "A" must be formatted as key=value',
    ],
    [
      ["--feature-gates=A=on"],
      'gateway: invalid argument "A=on" for "--feature-gates" flag: "A=on" must be true or false',
    ],
  ];
  for (const [argv, text] of rows) {
    assert.deepEqual(read(...argv), { run: false, exitCode: 2, text: `${text}\n` }, argv.join(" "));
  }
});

test("help shows every flag under its heading with its default", () => {
  const line = read("--secure-port=1", "--help", "--nonsense");
  assert.ok(!line.run);
  assert.equal(line.exitCode, 0);
  for (const part of [
    /^Usage: gateway \[flags\]\n\nServes the API\.\n/,
    /\nServing:\n {2}--bind-address <address> +address to listen on \(default 127\.0\.0\.1\)\n/,
    /--tls-san <list> +more names for the certificate\n/,
    /--anonymous-auth +serve requests without credentials \(default true\)/,
    /--request-timeout <duration> +time a request may take \(default 1m0s\)/,
    /--api-dialect <orch\|kubernetes> +names of the interface \(default orch\)/,
    /\nLogs:\n/,
  ]) {
    assert.match(line.text, part);
  }
});

test("--version prints name and version", () => {
  assert.deepEqual(read("--version"), { run: false, exitCode: 0, text: "gateway 0.1.0\n" });
});
