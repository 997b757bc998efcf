import assert from "node:assert/strict";
import { test } from "node:test";
import { proxyByEnvironment } from "./environment-proxy.js";

const through = "http://proxy.example:3128";

const rows: readonly (readonly [
  what: string,
  environment: Readonly<Record<string, string>>,
  target: string,
  proxy: string | undefined,
])[] = [
  ["nothing is said", {}, "https://10.0.0.5", undefined],
  ["the scheme has one", { HTTPS_PROXY: through }, "https://10.0.0.5", `${through}/`],
  ["the other scheme has one", { HTTP_PROXY: through }, "https://10.0.0.5", undefined],
  ["plain HTTP has one", { HTTP_PROXY: through }, "http://10.0.0.5", `${through}/`],
  ["it is said in small letters", { https_proxy: through }, "https://10.0.0.5", `${through}/`],
  ["capitals win", { HTTPS_PROXY: "http://a", https_proxy: "http://b" }, "https://10.0.0.5", "http://a/"],
  ["an empty text is none", { HTTPS_PROXY: "", https_proxy: through }, "https://10.0.0.5", `${through}/`],
  ["it has no scheme", { HTTPS_PROXY: "proxy.example:3128" }, "https://10.0.0.5", `${through}/`],
  ["it is an address without a scheme", { HTTPS_PROXY: "10.9.9.9:3128" }, "https://a.example", "http://10.9.9.9:3128/"],
  ["it is no address", { HTTPS_PROXY: "a b" }, "https://10.0.0.5", undefined],
  ["the target is this machine", { HTTPS_PROXY: through }, "https://127.0.0.9:6443", undefined],
  ["the target is this machine by IPv6", { HTTPS_PROXY: through }, "https://[::1]:6443", undefined],
  ["the target is this machine by name", { HTTPS_PROXY: through }, "https://localhost", undefined],
];
for (const [what, environment, target, proxy] of rows) {
  test(`a proxy by the environment: ${what}`, () => {
    assert.equal(proxyByEnvironment(new URL(target), environment)?.href, proxy);
  });
}

/** Whether the target is reached by the proxy in spite of NO_PROXY. */
const exceptions: readonly (readonly [except: string, target: string, isProxied: boolean])[] = [
  ["*", "https://10.0.0.5", false],
  ["10.0.0.0/8", "https://10.0.0.5", false],
  ["10.0.0.0/8", "https://11.0.0.5", true],
  ["10.0.0.0/8", "https://ten.example", true],
  ["fd00::/8", "https://[fd00::5]:6443", false],
  ["fd00::/8", "https://10.0.0.5", true],
  ["10.0.0.5/32", "https://10.0.0.5", false],
  ["10.0.0.5", "https://10.0.0.5", false],
  ["10.0.0.5:6443", "https://10.0.0.5:6443", false],
  ["10.0.0.5:6443", "https://10.0.0.5", true],
  ["10.0.0.5:443", "https://10.0.0.5", false],
  ["[fd00::5]:6443", "https://[fd00:0::5]:6443", false],
  ["fd00::5", "https://[fd00:0::5]", false],
  ["a.example , 10.0.0.5", "https://10.0.0.5", false],
  [",,", "https://10.0.0.5", true],
  [":6443", "https://10.0.0.5:6443", true],
  ["A.example", "https://a.example", false],
  ["a.example", "https://b.a.example", false],
  ["a.example", "https://ba.example", true],
  [".a.example", "https://b.a.example", false],
  [".a.example", "https://a.example", true],
  ["*.a.example", "https://b.a.example", false],
  ["*.a.example", "https://a.example", true],
  ["a.example:6443", "https://b.a.example:6443", false],
  ["a.example:6443", "https://b.a.example:6444", true],
  ["bücher.example", "https://xn--bcher-kva.example", false],
];
for (const [except, target, isProxied] of exceptions) {
  test(`NO_PROXY=${except} ${isProxied ? "leaves" : "spares"} ${target} the proxy`, () => {
    const proxy = proxyByEnvironment(new URL(target), { HTTPS_PROXY: through, NO_PROXY: except });
    assert.equal(proxy?.href, isProxied ? `${through}/` : undefined);
  });
}
