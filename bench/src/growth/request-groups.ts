import { groupOf, withData } from "./body-groups.js";
import type { Subject } from "./kinds.js";
import { patchOf, postPart, send } from "./requests.js";
import type { Group, Live } from "./rows.js";
import { longTexts } from "./text-groups.js";

const maps = "/api/v1/namespaces/samples/configmaps";
/** What the server's HTTP parser takes. */
const maxHeadBytes = 64 << 10;

const times = (n: number, of: (i: number) => string, between = ","): string =>
  Array.from({ length: n }, (_, i) => of(i)).join(between);

const selectors: ReadonlyMap<string, (n: number) => string> = new Map([
  ["many equal", (n) => times(n, (i) => `a${i}=b`)],
  ["one again and again", (n) => times(n, () => "a=b")],
  ["one set", (n) => `a in (${times(n, (i) => `b${i}`)})`],
  ["one set of one value", (n) => `a notin (${times(n, () => "b")})`],
  ["many sets", (n) => times(n, (i) => `a${i} in (b,c)`)],
  ["absent", (n) => times(n, (i) => `!a${i}`)],
  ["present", (n) => times(n, (i) => `a${i}`)],
  ["open set", (n) => `a in (${"(".repeat(n)}`],
  ["commas only", (n) => ",".repeat(n)],
  ["metadata.name", (n) => times(n, (i) => `metadata.name=a${i}`)],
  ["metadata.name of one", (n) => times(n, () => "metadata.name!=a")],
  ["escaped", (n) => `metadata.name=${"\\,".repeat(n)}`],
]);

/** What a request's line and headers can hold. */
export function* groupsOfHeads(): Generator<Group> {
  const list = (query: string, headers: Readonly<Record<string, string>> = {}) => ({
    method: "GET",
    target: `${maps}?${query}`,
    headers: { accept: "application/json", ...headers },
  });
  const small = { maxBytes: maxHeadBytes };
  for (const [what, text] of new Map([...selectors, ...longTexts])) {
    const at = (name: string, n: number): string => `${name}=${encodeURIComponent(text(n))}`;
    for (const name of ["labelSelector", "fieldSelector", "continue", "resourceVersion", "limit", "timeoutSeconds"]) {
      yield groupOf(`query ${name} ${what}`, "head", (n) => list(at(name, n)), small);
    }
    for (const name of ["fieldManager", "dryRun", "fieldValidation"]) {
      const ask = (n: number) => send("POST", `${maps}?${at(name, n)}`, { type: "application/json", body: "{}" });
      yield groupOf(`query ${name} ${what}`, "head", ask, small);
    }
    const drop = (n: number) => ({ method: "DELETE", target: `${maps}?dryRun=All&${at("labelSelector", n)}` });
    yield groupOf(`query deletecollection ${what}`, "head", drop, small);
    yield groupOf(`path ${what}`, "head", (n) => ({ method: "GET", target: `/api/v1/${encodeURI(text(n))}` }), small);
    // Line ends end a header.
    if (what === "lines") continue;
    for (const header of ["accept", "content-type", "if-match", "user-agent"]) {
      const headers = (n: number) => ({ "content-type": "application/json", [header]: text(n) });
      const ask = (n: number) => ({
        method: "PUT",
        target: `${maps}/sample?dryRun=All`,
        headers: headers(n),
        body: "{}",
      });
      yield groupOf(`header ${header} ${what}`, "head", ask, small);
    }
  }
  const accepts = (n: number): string => times(n, (i) => `application/x${i};q=0.${i % 10}`);
  yield groupOf("header accept of many", "head", (n) => list("", { accept: accepts(n) }), small);
  const parameters = (n: number): string => `application/json${times(n, (i) => `;p${i}=x`, "")}`;
  yield groupOf("header accept of parameters", "head", (n) => list("", { accept: parameters(n) }), small);
  yield groupOf("query of many", "head", (n) => list(times(n, (i) => `p${i}=x`, "&")), small);
  yield groupOf("query of one again and again", "head", (n) => list(times(n, () => "dryRun=All", "&")), small);
  yield groupOf("path of segments", "head", (n) => ({ method: "GET", target: `/apis${"/a".repeat(n)}` }), small);
}

/** Bodies that are no objects: patches, options, and what subresources take. */
export function* groupsOfPatches(map: Subject, pod: Subject, account: Subject): Generator<Group> {
  const on = (subject: Subject): Live => ({ by: "plant", kind: subject.kind, object: () => subject.object });
  const grownMap: Live = { by: "plant", kind: map.kind, object: (n) => withData(map, n) };
  const json = (name: string, operations: (n: number) => string, live = grownMap): Group =>
    groupOf(`patch json ${name}`, "patch", (n) => patchOf("json", map, `[${operations(n)}]`), { live });
  yield json("copies", (n) => times(n, (i) => `{"op":"copy","from":"/data/k0","path":"/data/c${i}"}`));
  yield json("copies of all", (n) =>
    times(Math.min(n, 50), (i) => `{"op":"copy","from":"/data","path":"/metadata/c${i}"}`),
  );
  yield json("moves to and fro", (n) => times(n, (i) => `{"op":"move","from":"/data/k${i}","path":"/data/k${i}"}`));
  yield json("moves of all", (n) =>
    times(n, (i) => `{"op":"move","from":"/${i % 2 === 0 ? "data" : "d"}","path":"/${i % 2 === 0 ? "d" : "data"}"}`),
  );
  yield json("deep paths", (n) => `{"op":"test","path":"${"/a".repeat(n)}","value":1}`);
  yield json("escaped paths", (n) => `{"op":"test","path":"/${"~1".repeat(n)}","value":1}`);
  yield json("indexes", (n) => `{"op":"add","path":"/metadata/finalizers/${"9".repeat(n)}","value":1}`);
  yield json("unknown operations", (n) => times(n, (i) => `{"op":"x${i}","path":"/a"}`));
  yield json("tests of all", (n) => times(n, () => '{"op":"test","path":"/metadata/name","value":"sample"}'));
  yield json("replaced whole", (n) => times(n, () => '{"op":"replace","path":"/data","value":{"a":"b"}}'));
  yield json(
    "added to a list",
    (n) =>
      `{"op":"add","path":"/metadata/finalizers","value":[]},${times(n, (i) => `{"op":"add","path":"/metadata/finalizers/0","value":"example.com/f${i}"}`)}`,
  );
  for (const [what, text] of longTexts) {
    yield groupOf(
      `patch strategic directive ${what}`,
      "patch",
      (n) => patchOf("strategic", map, { data: { $patch: text(n) } }),
      { live: grownMap },
    );
    yield groupOf(
      `patch delete options ${what}`,
      "patch",
      (n) => options({ preconditions: { resourceVersion: text(n) } }),
      { live: on(map) },
    );
    const review = { spec: { audiences: ["a"], boundObjectRef: { kind: "Pod", apiVersion: "v1", name: "" } } };
    yield groupOf(
      `patch token ${what}`,
      "patch",
      (n) => postPart(account, "token", { spec: { ...review.spec, audiences: [text(n)] } }),
      { live: on(account) },
    );
  }
  const options = (body: unknown) =>
    send("DELETE", `${maps}/sample?dryRun=All`, { type: "application/json", body: JSON.stringify(body) });
  const list = (n: number, of: (i: number) => unknown): readonly unknown[] =>
    Array.from({ length: n }, (_, i) => of(i));
  yield groupOf("patch delete options dryRun", "patch", (n) => options({ dryRun: list(n, () => "All") }), {
    live: on(map),
  });
  yield groupOf("patch delete options wrong dryRun", "patch", (n) => options({ dryRun: list(n, (i) => `x${i}`) }), {
    live: on(map),
  });
  const unknown = (n: number) => Object.fromEntries(list(n, (i) => i).map((i) => [`u${String(i)}`, 1]));
  yield groupOf("patch delete options unknown", "patch", (n) => options(unknown(n)), { live: on(map) });
  yield groupOf(
    "patch binding",
    "patch",
    (n) =>
      postPart(pod, "binding", { metadata: { annotations: unknownTexts(n) }, target: { kind: "Node", name: "a" } }),
    { live: on(pod) },
  );
  yield groupOf(
    "patch eviction",
    "patch",
    (n) =>
      postPart(pod, "eviction", {
        metadata: { name: "sample", annotations: unknownTexts(n) },
        deleteOptions: { dryRun: list(n, () => "All") },
      }),
    { live: on(pod) },
  );
  yield groupOf(
    "patch token audiences",
    "patch",
    (n) => postPart(account, "token", { spec: { audiences: list(n, (i) => `a${i}`) } }),
    { live: on(account) },
  );
}

function unknownTexts(n: number): Readonly<Record<string, string>> {
  return Object.fromEntries(Array.from({ length: n }, (_, i) => [`a${i}`, "x"]));
}
