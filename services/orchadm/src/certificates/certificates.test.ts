import assert from "node:assert/strict";
import { X509Certificate } from "node:crypto";
import { after, before, describe, test } from "node:test";
import { type FileMachine, initFile, openFileMachine } from "../testing/commands.js";
import { serviceAddress } from "./service-address.js";

const pki = "etc/orch/pki";
const dayMs = 86_400_000;

describe("the certificates of a control plane machine", () => {
  let machine: FileMachine;
  const certificate = (base: string): X509Certificate => new X509Certificate(machine.read(`${pki}/${base}.crt`));
  const config = (more?: string): string =>
    `--config=${machine.write("init.yaml", initFile(`controlPlaneEndpoint: api.example.com:6443\n${more ?? ""}`))}`;
  const makeAll = (more?: string) => machine.run("init", "phase", "certs", "all", config(more));

  before(async () => {
    machine = openFileMachine();
    const { code, errors } = await makeAll();
    assert.deepEqual([code, errors], [0, ""]);
  });
  after(() => machine.close());

  const [server, client] = ["1.3.6.1.5.5.7.3.1", "1.3.6.1.5.5.7.3.2"];
  const etcdNames = "DNS:one, DNS:localhost, IP Address:10.0.0.5, IP Address:127.0.0.1, IP Address:0:0:0:0:0:0:0:1";
  const leaves: readonly (readonly [
    base: string,
    authority: string,
    subject: string,
    uses: readonly string[],
    names?: string,
  ])[] = [
    [
      "apiserver",
      "ca",
      "CN=orch-apiserver",
      [server],
      "DNS:one, DNS:orch, DNS:orch.default, DNS:orch.default.svc, DNS:orch.default.svc.cluster.local, IP Address:10.96.0.1, IP Address:10.0.0.5, DNS:api.example.com",
    ],
    ["apiserver-kubelet-client", "ca", "O=orchadm:cluster-admins\nCN=orch-apiserver-kubelet-client", [client]],
    ["front-proxy-client", "front-proxy-ca", "CN=front-proxy-client", [client]],
    ["etcd/server", "etcd/ca", "CN=one", [server, client], etcdNames],
    ["etcd/peer", "etcd/ca", "CN=one", [server, client], etcdNames],
    ["etcd/healthcheck-client", "etcd/ca", "CN=orch-etcd-healthcheck-client", [client]],
    ["apiserver-etcd-client", "etcd/ca", "CN=orch-apiserver-etcd-client", [client]],
  ];
  for (const [base, authority, subject, uses, names] of leaves) {
    test(`${base} is ${subject.replace("\n", ", ")}, signed by ${authority}`, () => {
      const read = certificate(base);
      const signer = certificate(authority);
      assert.equal(read.subject, subject);
      assert.ok(read.verify(signer.publicKey) && read.checkIssued(signer) && !read.ca);
      assert.deepEqual(read.keyUsage, uses);
      assert.equal(read.subjectAltName, names);
      assert.equal(Math.round((Date.parse(read.validTo) - Date.parse(read.validFrom)) / dayMs), 365);
    });
  }

  for (const [base, name] of [
    ["ca", "orch"],
    ["front-proxy-ca", "front-proxy-ca"],
    ["etcd/ca", "etcd-ca"],
  ] as const) {
    test(`${base} signs itself for ten years`, () => {
      const read = certificate(base);
      assert.equal(read.subject, `CN=${name}`);
      assert.ok(read.ca && read.verify(read.publicKey));
      assert.equal(Math.round((Date.parse(read.validTo) - Date.parse(read.validFrom)) / dayMs), 3650);
    });
  }

  test("a second run uses what is there", async () => {
    const serial = certificate("apiserver").serialNumber;
    const key = machine.read(`${pki}/sa.key`);
    const { code, output } = await makeAll();
    assert.equal(code, 0);
    assert.match(output, /\[certs\] Using existing apiserver certificate and key on disk/);
    assert.equal(certificate("apiserver").serialNumber, serial);
    assert.equal(machine.read(`${pki}/sa.key`), key);
  });

  test("one that is there for other names is refused", async () => {
    const { code, errors } = await makeAll("apiServer: {certSANs: [other.example.com]}");
    assert.equal(code, 1);
    assert.match(errors, /certificate apiserver is invalid: certificate is not valid for other.example.com/);
  });

  test("one of another authority is refused", async () => {
    const other = openFileMachine();
    const made = await other.run("init", "phase", "certs", "ca", `--config=${other.write("init.yaml", initFile())}`);
    assert.equal(made.code, 0);
    const own = machine.read(`${pki}/ca.crt`);
    machine.write(`${pki}/ca.crt`, other.read(`${pki}/ca.crt`));
    assert.match(
      (await makeAll()).errors,
      /certificate ca is invalid: the certificate and the key do not belong together/,
    );
    machine.write(`${pki}/ca.crt`, own);
    other.close();
  });

  test("renewing keeps subject and names, with a new key", async () => {
    const before = certificate("apiserver");
    const { code, output } = await machine.run("certs", "renew", "apiserver", config());
    assert.deepEqual([code, /certificate apiserver renewed/.test(output)], [0, true]);
    const now = certificate("apiserver");
    assert.deepEqual(
      [now.subject, now.subjectAltName, now.keyUsage],
      [before.subject, before.subjectAltName, before.keyUsage],
    );
    assert.notEqual(now.serialNumber, before.serialNumber);
    assert.ok(!now.publicKey.equals(before.publicKey) && now.verify(certificate("ca").publicKey));
  });

  test("what is asked of expiration is told of each", async () => {
    const { output } = await machine.run("certs", "check-expiration", config());
    assert.match(output, /^CERTIFICATE +EXPIRES +RESIDUAL TIME +CERTIFICATE AUTHORITY +EXTERNALLY MANAGED\n/);
    assert.match(output, /\n!MISSING! admin.conf +ca\n/);
    assert.match(output, /\napiserver +\w{3} \d\d, \d{4} \d\d:\d\d UTC +364d +ca +no\n/);
    assert.match(
      output,
      /\n\nCERTIFICATE AUTHORITY +EXPIRES +RESIDUAL TIME +EXTERNALLY MANAGED\nca +.* 9y +no\netcd-ca +.* 9y +no\nfront-proxy-ca +.* 9y +no\n$/,
    );
    const json = JSON.parse((await machine.run("certs", "check-expiration", "-o", "json", config())).output);
    const [admin, apiserver] = json.certificates;
    assert.deepEqual(admin, { name: "admin.conf", caName: "ca", externallyManaged: false, missing: true });
    assert.deepEqual([apiserver.name, apiserver.missing], ["apiserver", false]);
  });

  test("without the authority's key what is there serves, and nothing can be made", async () => {
    const key = machine.read(`${pki}/ca.key`);
    machine.remove(`${pki}/ca.key`);
    const whole = await makeAll();
    assert.equal(whole.code, 0);
    assert.match(whole.output, /external CA mode/);
    assert.match((await machine.run("certs", "check-expiration", config())).output, /\napiserver .* yes\n/);
    const unsigned = await machine.run("certs", "renew", "apiserver", config());
    assert.deepEqual([unsigned.code, /is not renewed/.test(unsigned.output)], [1, true]);
    machine.remove(`${pki}/apiserver.crt`);
    assert.match(
      (await makeAll()).errors,
      /apiserver lacks and the key of its authority is not here \(external CA mode\)/,
    );
    machine.write(`${pki}/ca.key`, key);
    assert.equal((await makeAll()).code, 0);
  });

  test("lifetimes and algorithm are the cluster's", async () => {
    const other = openFileMachine();
    const more = "certificateValidityPeriod: 48h\ncaCertificateValidityPeriod: 24h";
    const flag = `--config=${other.write("init.yaml", initFile(more))}`;
    assert.equal((await other.run("init", "phase", "certs", "ca", flag)).code, 0);
    assert.equal((await other.run("init", "phase", "certs", "apiserver", flag)).code, 0);
    const [ca, leaf] = ["ca", "apiserver"].map((base) => new X509Certificate(other.read(`${pki}/${base}.crt`)));
    assert.ok(ca && leaf);
    assert.equal(leaf.validTo, ca.validTo, "no longer than its authority");
    assert.equal(leaf.publicKey.asymmetricKeyType, "ec");
    other.close();
  });

  test("keys are the owner's alone, certificates anybody's", async () => {
    const { statSync } = await import("node:fs");
    const mode = (file: string): number => statSync(`${machine.root}/${pki}/${file}`).mode & 0o777;
    assert.deepEqual([mode("etcd/ca.key"), mode("sa.key"), mode("etcd/peer.key")], [0o600, 0o600, 0o600]);
    assert.deepEqual([mode("ca.crt"), mode("etcd/peer.crt")], [0o644, 0o644]);
  });
});

const addresses: readonly (readonly [network: string, place: number, address: string])[] = [
  ["10.96.0.0/12", 1, "10.96.0.1"],
  ["10.96.7.9/12", 10, "10.96.0.10"],
  ["192.168.255.0/24", 10, "192.168.255.10"],
  ["fd00:1::/108", 1, "fd00:1::1"],
  ["2001:db8:0:1:2:3:4:0/112", 10, "2001:db8:0:1:2:3:4:a"],
];
for (const [network, place, address] of addresses) {
  test(`address ${place} of ${network} is ${address}`, () => assert.equal(serviceAddress(network, place), address));
}
test("what is no network has no addresses", () => assert.throws(() => serviceAddress("10.0.0.1", 1), /is no network/));
