import assert from "node:assert/strict";
import { X509Certificate } from "node:crypto";
import { describe, test } from "node:test";
import { createNaming } from "@orch/naming/naming.js";
import { identityOf } from "@orch/runtime/service-identity.js";
import { planBundles } from "./bundles.js";
import { ensureCertificates } from "./ensure.js";
import type { Bundle, CertificatePlace } from "./place.js";

const naming = createNaming("orch");
const dayMs = 24 * 3600 * 1000;
const started = Date.parse("2026-01-01T00:00:00Z");

/** A place in memory. */
function memory(): CertificatePlace & { readonly bundles: Map<string, Bundle> } {
  const bundles = new Map<string, Bundle>();
  return {
    bundles,
    read: async (name) => bundles.get(name),
    write: async (name, bundle) => void bundles.set(name, bundle),
  };
}

interface Wanted {
  readonly now?: number;
  readonly servingNames?: readonly string[];
  readonly etcdNames?: readonly string[];
  readonly trustDomain?: string;
}

/** The names of the bundles that were written. */
async function ensure(place: CertificatePlace, wanted: Wanted = {}): Promise<readonly string[]> {
  const { now = started, servingNames = ["api.example.com"], etcdNames = [], trustDomain = "cluster.local" } = wanted;
  const wrote: string[] = [];
  await ensureCertificates({
    plans: planBundles({ naming, trustDomain, servingNames, etcdNames }),
    ...{ place, naming, now },
    server: `https://${servingNames[0]}`,
    wrote: (name) => void wrote.push(name),
  });
  return wrote;
}

const certificate = (bundle: Bundle | undefined): X509Certificate => new X509Certificate(bundle?.["tls.crt"] ?? "");

describe("certificates of a cluster", () => {
  test("each service has its identity from the authority of services, which signs nothing else", async () => {
    const place = memory();
    await ensure(place, { etcdNames: ["etcd-0"] });
    const services = certificate(place.bundles.get("services-ca"));
    for (const [name, bundle] of place.bundles) {
      const own = certificate(bundle);
      assert.ok(own.verify(new X509Certificate(bundle["ca.crt"] ?? "").publicKey), name);
      const identity = identityOf({ subjectaltname: own.subjectAltName });
      const service = /^service-(?!accounts)(.*)/.exec(name)?.[1];
      assert.equal(identity, service && `spiffe://cluster.local/service/${service}`, name);
      assert.equal(own.verify(services.publicKey), service !== undefined || name === "services-ca", name);
    }
  });

  test("what is good stays as it is, and is not written again", async () => {
    const place = memory();
    assert.equal((await ensure(place)).length, 18);
    assert.deepEqual(await ensure(place, { now: started + 300 * dayMs }), []);
  });

  test("certificates with less than a month left are made anew by the same authorities", async () => {
    const place = memory();
    await ensure(place, { etcdNames: ["etcd-0"] });
    const before = new Map(place.bundles);
    const wrote = await ensure(place, { etcdNames: ["etcd-0"], now: started + 340 * dayMs });
    const lasting = ["services-ca", "clients-ca", "service-accounts", "etcd-ca"];
    assert.deepEqual([...wrote, ...lasting].sort(), [...place.bundles.keys()].sort());
    for (const name of wrote)
      assert.equal(place.bundles.get(name)?.["ca.crt"], before.get(name)?.["ca.crt"], `${name}: the authority`);
  });

  const changes: ReadonlyArray<readonly [title: string, wanted: Wanted, wrote: readonly string[]]> = [
    [
      "another name of the server: its certificate, and the configurations of clients",
      { servingNames: ["other.example.com"] },
      ["serving", "client-admin", "client-controller-manager", "client-scheduler", "client-monitoring"],
    ],
    ["a further name of the server: its certificate", { servingNames: ["api.example.com", "::1"] }, ["serving"]],
    ["etcd that was not there: all that it needs", { etcdNames: ["e"] }, ["etcd-ca", "etcd-member", "etcd-client"]],
  ];
  for (const [title, wanted, expected] of changes) {
    test(`what is made anew for ${title}`, async () => {
      const place = memory();
      await ensure(place);
      assert.deepEqual(await ensure(place, wanted), expected);
      assert.deepEqual(await ensure(place, wanted), []);
    });
  }

  test("another trust domain is another identity for every service", async () => {
    const place = memory();
    await ensure(place);
    const wrote = await ensure(place, { trustDomain: "other.example" });
    assert.ok(wrote.length > 0 && wrote.every((name) => name.startsWith("service-")));
  });

  test("an authority that is damaged ends it with its name, and nothing is written", async () => {
    const place = memory();
    await ensure(place);
    place.bundles.set("clients-ca", { "tls.crt": "x", "tls.key": "y" });
    await assert.rejects(ensure(place, { servingNames: ["other.example.com"] }), /^Error: the authority clients-ca is/);
    assert.equal(certificate(place.bundles.get("serving")).subjectAltName, "DNS:api.example.com");
  });
});
