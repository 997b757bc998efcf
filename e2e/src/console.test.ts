import assert from "node:assert/strict";
import { mkdir } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import type { Page } from "playwright-core";
import { type Browser, type PageOptions, seriousProblems, startBrowser } from "./harness/browser.js";
import { connect, type Http } from "./harness/http.js";
import { type StandaloneTarget, startStandalone } from "./harness/target.js";

/** Where pictures are left for who wants to look at them. */
const pictures = process.env["ORCH_TEST_PICTURES"] ?? join(tmpdir(), "orch-console-pictures");

describe("the console", () => {
  let target: StandaloneTarget;
  let http: Http;
  let browser: Browser;
  let page: Page;
  /** What pages say is wrong: errors of scripts, and what their policy has blocked. */
  const complaints: string[] = [];

  before(async () => {
    await mkdir(pictures, { recursive: true });
    [target, browser] = await Promise.all([startStandalone(), startBrowser()]);
    http = connect(target);
    page = await signedIn(target.pki.adminToken);
  });
  after(async () => {
    http?.close();
    await browser?.close();
    await target?.stop();
  });

  const home = (): string => `${target.urls[0]}/console/`;

  async function open(options: PageOptions = {}): Promise<Page> {
    const opened = await browser.page(options);
    opened.setDefaultTimeout(20_000);
    opened.on("pageerror", (error) => complaints.push(error.message));
    opened.on("console", (message) => {
      if (/Content Security Policy|Trusted/.test(message.text())) complaints.push(message.text());
    });
    await opened.goto(home());
    return opened;
  }

  async function signedIn(token: string, options: PageOptions = {}): Promise<Page> {
    const opened = await open(options);
    await opened.getByLabel("Token", { exact: true }).fill(token);
    await opened.getByRole("button", { name: "Sign in with the token" }).click();
    await opened.getByRole("heading", { name: "All kinds" }).waitFor();
    return opened;
  }

  const go = (hash: string, on = page): Promise<unknown> => on.evaluate(`location.hash = ${JSON.stringify(hash)}`);
  const picture = (name: string, of = page) => of.screenshot({ path: join(pictures, `${name}.png`) });
  const row = (name: string, on = page) => on.getByRole("row").filter({ hasText: name });

  async function made(path: string, object: object): Promise<void> {
    const { status, text } = await http.post(path, object);
    assert.equal(status, 201, text);
  }

  test("its files are whole, cached by their names, and nothing else can be had by its path", async () => {
    const whole = await http.get("/console/");
    assert.equal(whole.status, 200);
    assert.match(
      String(whole.headers["content-security-policy"]),
      /default-src 'none'; script-src 'self'; style-src 'self'/,
    );
    const script = /src="\.\/(assets\/[^"]+\.js)"/.exec(whole.text)?.[1];
    const plain = await http.get(`/console/${script}`);
    assert.equal(plain.headers["cache-control"], "public, max-age=31536000, immutable");
    const headers = { "accept-encoding": "br" };
    const small = await http.call({ path: `/console/${script}`, headers, as: { type: "anonymous" } });
    assert.equal(small.headers["content-encoding"], "br");
    assert.ok(small.bytes.length * 2 < plain.bytes.length);
    const known = { "if-none-match": String(plain.headers["etag"]) };
    assert.equal((await http.call({ path: `/console/${script}`, headers: known })).status, 304);
    for (const path of [
      "/console/../package.json",
      "/console/%2e%2e/site.js",
      "/console/assets/",
      "/console/index.html",
    ])
      assert.equal((await http.get(path)).status, 404, path);
    assert.equal((await http.post("/console/", {})).status, 405);
    assert.equal((await http.get("/console")).headers["location"], "console/");
  });

  test("a token that the server does not know is refused with a sentence", async () => {
    const stranger = await open();
    await stranger.getByLabel("Token", { exact: true }).fill("wrong");
    await stranger.getByRole("button", { name: "Sign in with the token" }).click();
    await stranger.getByText("The server does not know this token").waitFor();
    assert.deepEqual(await seriousProblems(stranger), []);
    await picture("sign-in", stranger);
    await stranger.context().close();
  });

  test("a list is live: rows come, change and go as their objects do", async () => {
    await go("#/r/-/v1/configmaps?ns=default");
    await page.getByText("live", { exact: true }).waitFor();
    await made("/api/v1/namespaces/default/configmaps", { metadata: { name: "alive" }, data: { a: "1" } });
    await row("alive").getByText("1", { exact: true }).waitFor();
    await http.patch("/api/v1/namespaces/default/configmaps/alive", "merge", { data: { b: "2" } });
    await row("alive").getByText("2", { exact: true }).waitFor();
    await picture("list");
    assert.deepEqual(await seriousProblems(page), []);
    await http.delete("/api/v1/namespaces/default/configmaps/alive");
    await row("alive").waitFor({ state: "detached" });
  });

  test("no script has failed and nothing was blocked by the policy of the pages", () => {
    assert.deepEqual(complaints, []);
  });
});
