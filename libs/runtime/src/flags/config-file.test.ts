import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { printConfig, readConfig, readConfigFile } from "./config-file.js";
import { configFlags } from "./config-flags.js";
import { boolFlag, durationFlag, enumFlag, intFlag, listFlag, stringFlag, switchesFlag } from "./flag-types.js";
import { readCommandLine } from "./flags.js";

const flags = {
  "bind-address": stringFlag("127.0.0.1", { help: "where" }),
  "secure-port": intFlag(6443, { min: 0, max: 65535, help: "port" }),
  "tls-san": listFlag(["localhost"], { help: "names" }),
  "anonymous-auth": boolFlag(true, { help: "who" }),
  "request-timeout": durationFlag(60_000, { help: "time" }),
  "api-dialect": enumFlag(["orch", "kubernetes"], "orch", { help: "names" }),
  "feature-gates": switchesFlag({ help: "features" }),
  ...configFlags,
};
const program = { name: "orch-gateway", description: "", version: "1", flags };
const file = (body: string): Buffer => Buffer.from(`apiVersion: flags.config.orch/v1\nkind: GatewayFlags\n${body}`);
const problemsOf = (bytes: Buffer): readonly string[] => {
  const read = readConfig(program.name, flags, bytes);
  return read.ok ? [] : read.problems;
};
function lineOf(body: string, ...argv: string[]) {
  const read = readConfig(program.name, flags, file(body));
  assert.ok(read.ok, body);
  const line = readCommandLine(program, argv, read.occurrences);
  assert.ok(line.run, body);
  return line;
}

test("a file gives flags their values, and the command line takes the place of what it says", () => {
  const body = `flags:
  bind-address: ""
  secure-port: 1
  tls-san: [a, b]
  anonymous-auth: false
  request-timeout: 1m30s
  feature-gates: {A: true, B: false}
`;
  const { values, given } = lineOf(body);
  assert.deepEqual(
    [values["bind-address"], values["secure-port"], values["tls-san"], values["anonymous-auth"]],
    ["", 1, ["a", "b"], false],
  );
  assert.equal(values["request-timeout"], 90_000);
  assert.deepEqual(Object.fromEntries(values["feature-gates"]), { A: true, B: false });
  assert.ok(given.has("secure-port") && !given.has("api-dialect"));
  const over = lineOf(body, "--tls-san=c", "--tls-san=d", "--secure-port=2").values;
  assert.deepEqual([over["tls-san"], over["secure-port"], over["anonymous-auth"]], [["c", "d"], 2, false]);
});

test("what a program prints it reads as the same, and defaults in it count as left out", () => {
  for (const argv of [
    [],
    ["--tls-san=a,b", "--feature-gates=A=true", "--request-timeout=90s", "--anonymous-auth=false", "--bind-address="],
  ]) {
    const line = readCommandLine(program, argv);
    assert.ok(line.run);
    const text = printConfig(program, line.values);
    const read = readConfig(program.name, flags, Buffer.from(text));
    assert.ok(read.ok);
    const again = readCommandLine(program, [], read.occurrences);
    assert.ok(again.run);
    assert.deepEqual(again.values, line.values);
    assert.deepEqual([...again.given].sort(), [...line.given].sort());
  }
});

test("problems of a file name the field, all of them at once", () => {
  const rows: readonly (readonly [Buffer, readonly string[]])[] = [
    [Buffer.from("[]"), ["must be a map with apiVersion, kind and flags"]],
    [Buffer.from(""), ["yaml: the body holds no document"]],
    [
      Buffer.from("apiVersion: v1\nkind: Flags"),
      ["apiVersion: must be flags.config.orch/v1", "kind: must be GatewayFlags"],
    ],
    [file("flagz: {}"), ['"flagz": unknown field (did you mean flags?)']],
    [file("flags: 1"), ["flags: must be a map of flags"]],
    [
      file("flags: {secure-prt: 1, secure-port: x, tls-san: [[]], anonymous-auth: null}"),
      [
        'flags."secure-prt": unknown flag (did you mean secure-port?)',
        'flags.secure-port: invalid value "x": must be an integer',
        "flags.tls-san: must be a value, or a list or map of values",
        "flags.anonymous-auth: must be a value, or a list or map of values",
      ],
    ],
    [
      file("flags: {feature-gates: {A: maybe}}"),
      ['flags.feature-gates: invalid value "A=maybe": "A=maybe" must be true or false'],
    ],
    [file("flags: {config: other.yaml}"), ["flags.config: stands on the command line alone"]],
    [file("flags: {secure-port: 1, secure-port: 2}"), ["flags.secure-port: stands there twice"]],
    [file("flags: {__proto__: 1}"), ['flags."__proto__": unknown flag']],
  ];
  for (const [bytes, problems] of rows) assert.deepEqual(problemsOf(bytes), problems, bytes.toString());
});

test("a name that is very long is cut in the problem", () => {
  const [problem = ""] = problemsOf(file(`flags: {${"x".repeat(100_000)}: 1}`));
  assert.ok(problem.length < 300 && problem.includes("unknown flag"), problem);
});

test("a program that knows a component configuration is given the documents that are not its own", () => {
  const folder = mkdtempSync(join(tmpdir(), "orch-config-"));
  const path = join(folder, "c.yaml");
  const own = "apiVersion: flags.config.orch/v1\nkind: GatewayFlags\nflags: {secure-port: 1}\n";
  const other = "apiVersion: example.com/v1\nkind: Other\n";
  const read = (text: string, component?: unknown) => {
    writeFileSync(path, text);
    return readConfigFile({ ...program, component }, path);
  };
  try {
    const occurrences = [{ name: "secure-port", text: "1" }];
    assert.deepEqual(read(`${own}---\n${other}`, true), { ok: true, occurrences, others: [`\n${other}`] });
    assert.deepEqual(read(other, true), { ok: true, occurrences: [], others: [other] });
    assert.deepEqual(read(own), { ok: true, occurrences, others: [] });
    const refusals = [
      read(`${own}---\n${other}`),
      read(`${own}---\n${own}`, true),
      read("", true),
      read(own.replace("Gateway", "Audit"), true),
    ].map((file) =>
      file.ok ? [] : file.problems.map((problem) => problem.slice(problem.indexOf(path) + path.length)),
    );
    assert.deepEqual(refusals, [
      [": yaml: more than one document in the body"],
      [": kind GatewayFlags duplicated"],
      [": yaml: the body holds no document"],
      [": kind: must be GatewayFlags"],
    ]);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
