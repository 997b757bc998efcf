import assert from "node:assert/strict";
import { test } from "node:test";
import { createManualClock } from "./clock.js";
import { type Reloaded, reloadedFiles, tlsIdentity } from "./tls-files.js";

/** Files in memory, the log's lines and a clock. */
async function setup(
  first: Record<string, string>,
  make: (texts: readonly string[]) => string | Promise<string> = (texts) => texts.join("+"),
) {
  const files = new Map(Object.entries(first));
  const clock = createManualClock();
  const lines: string[] = [];
  const counts: string[] = [];
  const note = (_fields: object, message: string): void => void lines.push(message);
  let reads = 0;
  const reloaded = await reloadedFiles({
    paths: Object.keys(first),
    make,
    clock,
    log: { info: note, error: note },
    counted: (result) => void counts.push(result),
    read: async (path) => {
      reads++;
      const text = files.get(path);
      if (text === undefined) throw new Error(`${path} is not there`);
      return text;
    },
  });
  const look = async (times = 1): Promise<void> => {
    for (let i = 0; i < times; i++) {
      clock.advance(1_000);
      await new Promise((resolve) => setImmediate(resolve));
    }
  };
  return { files, reloaded, look, lines, counts, reads: () => reads };
}

const notes = (reloaded: Reloaded<string>): string[] => {
  const seen: string[] = [];
  reloaded.onChange(() => void seen.push(reloaded.current()));
  return seen;
};

const noBad = (texts: readonly string[]): string => {
  if (texts.some((text) => text.startsWith("bad"))) throw new Error("it is bad");
  return texts.join("+");
};

test("a change is in force at the next look, and is told once", async () => {
  const { files, reloaded, look, counts } = await setup({ a: "1", b: "2" });
  const seen = notes(reloaded);
  await look(2);
  assert.deepEqual([reloaded.current(), seen, counts], ["1+2", [], []]);
  files.set("b", "3");
  await look(3);
  assert.deepEqual([reloaded.current(), seen, counts], ["1+3", ["1+3"], ["success"]]);
});

test("a broken file keeps what was before, is logged once, and its repair is taken", async () => {
  const { files, reloaded, look, lines, counts } = await setup({ a: "1" }, noBad);
  const seen = notes(reloaded);
  files.set("a", "bad");
  await look(5);
  assert.deepEqual([reloaded.current(), seen, counts, lines.length], ["1", [], ["failure"], 1]);
  files.set("a", "bad too");
  await look(5);
  assert.deepEqual([counts, lines.length], [["failure", "failure"], 2]);
  files.set("a", "2");
  await look();
  assert.deepEqual([reloaded.current(), seen, counts.at(-1)], ["2", ["2"], "success"]);
});

test("what takes its time to be made is in force once it is there, and not at all where it fails", async () => {
  const made: (() => void)[] = [];
  const make = async (texts: readonly string[]): Promise<string> => {
    if (texts[0] !== "1") await new Promise<void>((resolve) => made.push(resolve));
    return noBad(texts);
  };
  const { files, reloaded, look, counts } = await setup({ a: "1" }, make);
  const seen = notes(reloaded);
  files.set("a", "bad");
  await look(3);
  assert.deepEqual([reloaded.current(), counts, made.length], ["1", [], 1], "it is made once at a time");
  made.pop()?.();
  await new Promise((resolve) => setImmediate(resolve));
  assert.deepEqual([reloaded.current(), seen, counts], ["1", [], ["failure"]]);
  files.set("a", "2");
  await look();
  made.pop()?.();
  await new Promise((resolve) => setImmediate(resolve));
  assert.deepEqual([reloaded.current(), seen, counts], ["2", ["2"], ["failure", "success"]]);
  files.set("a", "3");
  await look();
  reloaded.stop();
  made.pop()?.();
  await new Promise((resolve) => setImmediate(resolve));
  assert.deepEqual([reloaded.current(), seen], ["2", ["2"]], "who was stopped takes nothing more");
});

test("a file that goes away keeps what was before, and that it comes back is no change", async () => {
  const { files, reloaded, look, lines, counts } = await setup({ a: "1" });
  const seen = notes(reloaded);
  files.delete("a");
  await look(5);
  assert.deepEqual([reloaded.current(), counts, lines.length], ["1", ["failure"], 1]);
  files.set("a", "1");
  await look();
  assert.deepEqual([reloaded.current(), seen, counts], ["1", [], ["failure"]]);
  files.delete("a");
  await look();
  assert.deepEqual(counts, ["failure", "failure"], "gone again is told again");
});

test("without a good first value there is none", async () => {
  await assert.rejects(setup({ a: "bad" }, noBad), /it is bad/);
  await assert.rejects(reloadedFiles({ paths: ["/none/such"], make: String, clock: createManualClock(), log }), {
    code: "ENOENT",
  });
});

const log = { info: () => {}, error: () => {} };

test("who is stopped looks no more, and who left is told nothing", async () => {
  const { files, reloaded, look, reads } = await setup({ a: "1" });
  const seen: string[] = [];
  const leave = reloaded.onChange(() => void seen.push(reloaded.current()));
  leave();
  files.set("a", "2");
  await look();
  assert.deepEqual([reloaded.current(), seen], ["2", []]);
  reloaded.stop();
  const before = reads();
  await look(3);
  assert.equal(reads(), before);
});

test("files that are no identity are told apart, and no text of theirs is told", () => {
  const secret = "-----BEGIN PRIVATE KEY-----\nc2VjcmV0\n-----END PRIVATE KEY-----\n";
  const told = (texts: readonly string[]): string => {
    try {
      tlsIdentity(texts);
    } catch (error) {
      return String(error);
    }
    return "";
  };
  assert.match(told(["nonsense", "", ""]), /authority's file holds no certificate/);
  assert.match(told([testCertificate, "nonsense", secret]), /do not make a pair/);
  assert.match(told([testCertificate, testCertificate, secret]), /do not make a pair/);
  assert.match(told([testCertificate, testCertificate, otherKey]), /do not make a pair/);
  assert.doesNotMatch(told([testCertificate, testCertificate, secret]), /c2VjcmV0/);
  assert.equal(told([testCertificate, testCertificate, testKey]), "");
});

/** A self-signed pair, and the key of another; they protect nothing. */
const testCertificate = `-----BEGIN CERTIFICATE-----
MIIBdTCCARugAwIBAgIUNIaYsf4reS9VgPs1HJX+eMO8/MswCgYIKoZIzj0EAwIw
DzENMAsGA1UEAwwEdGVzdDAgFw0yNjExMjEyMjM4MTBaGA8yMTI2MTAyODIyMzgx
MFowDzENMAsGA1UEAwwEdGVzdDBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IABHWO
vfps/QHPQ30AWu0v6neRamsdzAruni3D0s5MLz9bJWVJS1DJzCQtb0xNniuEtYAk
4enbcto/i1sayP/5nimjUzBRMB0GA1UdDgQWBBSej0xleV6PWZDrFWdO3faJr66Q
PzAfBgNVHSMEGDAWgBSej0xleV6PWZDrFWdO3faJr66QPzAPBgNVHRMBAf8EBTAD
AQH/MAoGCCqGSM49BAMCA0gAMEUCIQCBUmTDTaOoLBSOiK6/GvSQhRpaHWjvs5gd
bnLa4u6spgIgdk5SmK/LPZPKfPifTia5NXiOtaIAj9qMmWVNCdXYCB4=
-----END CERTIFICATE-----
`;

const testKey = `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgVbUAOYoNmJCKHqfG
Vpm82yEl3tFV860Q/twFaoTQrjmhRANCAAR1jr36bP0Bz0N9AFrtL+p3kWprHcwK
7p4tw9LOTC8/WyVlSUtQycwkLW9MTZ4rhLWAJOHp23LaP4tbGsj/+Z4p
-----END PRIVATE KEY-----
`;

const otherKey = `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgfqm0etj54X+BOM2L
ah0gYuClh0gVHg4PJ4KHjZ4e9pmhRANCAARqGx0qXRvRCoyJ9vqncngWVJpatTz3
7u2w4BaGe5W4TG3slsX/aJaoe4CRnA9Ty7PrnwqbHJLHLQnCf5vrVbHC
-----END PRIVATE KEY-----
`;
