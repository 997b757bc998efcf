import assert from "node:assert/strict";
import { mkdir, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import type { Page } from "playwright-core";
import { type Browser, seriousProblems, startBrowser } from "./harness/browser.js";
import { connect, type Http } from "./harness/http.js";
import { type OidcProvider, startOidcProvider } from "./harness/oidc.js";
import { newFolder, removeFolder, type StandaloneTarget, startStandalone } from "./harness/target.js";
import { until } from "./harness/until.js";

const clientID = "console";
const pictures = process.env["ORCH_TEST_PICTURES"] ?? join(tmpdir(), "orch-console-pictures");

describe("signing in to the console at a provider", () => {
  let provider: OidcProvider;
  let target: StandaloneTarget;
  let http: Http;
  let browser: Browser;
  let folder: string;
  const complaints: string[] = [];

  before(async () => {
    await mkdir(pictures, { recursive: true });
    [folder, provider, browser] = await Promise.all([
      newFolder(),
      startOidcProvider({ audience: clientID, algorithm: "RS256" }),
      startBrowser(),
    ]);
    const trust = join(folder, "authentication.json");
    await writeFile(trust, JSON.stringify(trusting(provider)));
    target = await startStandalone({
      args: [
        `--authentication-config=${trust}`,
        `--console-oidc-issuer=${provider.url}`,
        `--console-oidc-client-id=${clientID}`,
        "--console-oidc-scopes=offline_access",
        `--console-oidc-token-origin=${atLocalhost(provider.url)}`,
      ],
    });
    http = connect(target);
    tokensHoldFor(600);
    const token = await provider.token({ sub: "anybody" });
    await until("the server has the provider's keys", async () => {
      const { status } = await http.call({ path: "/api", as: { type: "token", token } });
      return status === 200 || undefined;
    });
  });
  after(async () => {
    http?.close();
    await browser?.close();
    await target?.stop();
    await provider?.stop();
    await removeFolder(folder);
  });

  const home = (): string => `${target.urls[0]}/console/`;
  const tokensHoldFor = (tokenSeconds: number): void =>
    provider.serveBrowsers({ clientID, redirectURI: home(), tokenSeconds });

  async function open(where = ""): Promise<Page> {
    const page = await browser.page();
    page.setDefaultTimeout(60_000);
    page.on("pageerror", (error) => complaints.push(error.message));
    page.on("console", (message) => {
      if (/Content Security Policy|Trusted/.test(message.text())) complaints.push(message.text());
    });
    await page.goto(home() + where);
    return page;
  }

  const leave = (page: Page): Promise<void> => page.getByRole("button", { name: /^Sign in at 127/ }).click();

  async function signIn(page: Page, name: string, answer = "Yes"): Promise<void> {
    await leave(page);
    await page.getByLabel("Name").fill(name);
    await page.getByRole("button", { name: answer }).click();
  }

  const stored = (page: Page): Promise<unknown> => page.evaluate("Object.keys(sessionStorage)");
  const refreshes = (page: Page) =>
    page.waitForRequest((request) => request.postData()?.includes("grant_type=refresh_token") === true);

  test("the page learns of the provider, and may ask it besides the server", async () => {
    const { headers } = await http.get("/console/");
    const policy = String(headers["content-security-policy"]);
    assert.ok(policy.includes(`; connect-src 'self' ${provider.url} ${atLocalhost(provider.url)}; `), policy);
    const { text } = await http.get("/console/config.json");
    assert.deepEqual(JSON.parse(text), {
      dialect: "kubernetes",
      oidc: {
        issuer: provider.url,
        clientID,
        scopes: ["openid", "offline_access"],
        tokenOrigin: atLocalhost(provider.url),
      },
    });
  });

  test("somebody signs in, and is where they were", async () => {
    const page = await open("#/r/-/v1/secrets?ns=default");
    assert.deepEqual(await seriousProblems(page), []);
    await page.screenshot({ path: join(pictures, "sign-in-provider.png") });
    await signIn(page, "alice");
    await page.getByText("oidc:alice", { exact: true }).waitFor();
    await page.getByText(/User "oidc:alice" cannot list resource "secrets"/).waitFor();
    assert.equal(page.url(), `${home()}#/r/-/v1/secrets?ns=default`);
    assert.deepEqual(await stored(page), []);
    await page.reload();
    await page.getByRole("heading", { name: "Sign in to orch" }).waitFor();
    await page.context().close();
  });

  test("a token is renewed before it ends, when it is refused, and after a reload where it is kept", async () => {
    tokensHoldFor(21);
    const page = await open();
    await page.getByLabel("Keep it until this tab is closed").check();
    const renewed = refreshes(page);
    await signIn(page, "alice");
    await renewed;
    tokensHoldFor(600);
    assert.deepEqual(await stored(page), ["orch-console-session"]);
    await page.context().close();

    const refused = await open();
    await refused.getByLabel("Keep it until this tab is closed").check();
    await signIn(refused, "bob");
    await refused.getByRole("heading", { name: "All kinds" }).waitFor();
    await refused.route("**/api/v1/secrets?*", (route) => route.fulfill({ status: 401 }), { times: 1 });
    const again = refreshes(refused);
    await refused.evaluate(`location.hash = "#/r/-/v1/secrets"`);
    await again;
    await refused.getByText(/User "oidc:bob" cannot list resource "secrets"/).waitFor();
    await refused.reload();
    await refused.getByText("oidc:bob", { exact: true }).waitFor();
    await refused.goto(`${home()}?error=access_denied&state=forged`);
    await refused.getByText("oidc:bob", { exact: true }).waitFor();
    await refused.route("**/api/v1/secrets?*", (route) => route.fulfill({ status: 401 }));
    await refused.evaluate(`location.hash = "#/"`);
    await refused.evaluate(`location.hash = "#/r/-/v1/secrets"`);
    await refused.getByText("Your session has ended: the server does not take your credentials any more.").waitFor();
    assert.deepEqual(await stored(refused), []);
    await refused.context().close();
  });

  test("what the provider, the server or a stranger's link does not grant is said", async () => {
    const page = await open();
    await signIn(page, "alice", "No");
    await page.getByText(`${provider.url} refused (access_denied): the person said no.`).waitFor();
    assert.equal(page.url(), home());
    await signIn(page, "mallory");
    await page.getByText("The server does not take this token of").waitFor();
    await page.goto(`${home()}?error=access_denied&error_description=call+0800&state=a`);
    await page.getByText("This tab has not begun that sign-in.").waitFor();
    assert.equal(await page.getByText("0800").count(), 0);
    await leave(page);
    await page.getByLabel("Name").waitFor();
    await page.goto(`${home()}?code=stolen&state=guessed&iss=${encodeURIComponent(provider.url)}`);
    await page.getByText(/gave an answer that cannot be used: .*state/).waitFor();
    assert.equal(page.url(), home());
    assert.deepEqual(await stored(page), []);
    await page.context().close();
  });

  test("tokens may come from another origin that the server names", async () => {
    const page = await open();
    const description = await (await page.request.get(`${provider.url}/.well-known/openid-configuration`)).json();
    const elsewhere = { ...description, token_endpoint: `${atLocalhost(provider.url)}/token` };
    const headers = { "access-control-allow-origin": "*" };
    await page.route("**/.well-known/*", (route) => route.fulfill({ json: elsewhere, headers }));
    const asked = page.waitForRequest(elsewhere.token_endpoint);
    await signIn(page, "alice");
    await asked;
    await page.getByText("oidc:alice", { exact: true }).waitFor();
    await page.context().close();
  });

  test("a provider that cannot be asked is named", async () => {
    const page = await open();
    const description = await (await page.request.get(`${provider.url}/.well-known/openid-configuration`)).json();
    const elsewhere = { ...description, token_endpoint: "https://tokens.example.com/" };
    const headers = { "access-control-allow-origin": "*" };
    await page.route("**/.well-known/*", (route) => route.fulfill({ json: elsewhere, headers }), { times: 1 });
    await leave(page);
    await page.getByText(`this page may ask ${provider.url} and ${atLocalhost(provider.url)} alone.`).waitFor();
    await provider.stop();
    await leave(page);
    await page.getByText(`${provider.url} cannot be reached from this browser`).waitFor();
    assert.deepEqual(await seriousProblems(page), []);
    await page.context().close();
  });

  test("no script has failed and nothing was blocked by the policy of the pages", () => {
    assert.deepEqual(complaints, []);
  });
});

/** The same server to the network, and another origin to a browser. */
const atLocalhost = (url: string): string => url.replace("127.0.0.1", "localhost");

/** Everybody of the provider but one. */
const trusting = ({ url, authority }: OidcProvider): object => ({
  apiVersion: "apiserver.config.k8s.io/v1beta1",
  kind: "AuthenticationConfiguration",
  jwt: [
    {
      issuer: { url, certificateAuthority: authority, audiences: [clientID] },
      claimMappings: { username: { claim: "sub", prefix: "oidc:" } },
      userValidationRules: [{ expression: "user.username != 'oidc:mallory'", message: "not you" }],
    },
  ],
});
