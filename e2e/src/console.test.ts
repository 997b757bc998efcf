import assert from "node:assert/strict";
import { once } from "node:events";
import { mkdir } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import type { Page } from "playwright-core";
import { type Browser, type PageOptions, seriousProblems, startBrowser } from "./harness/browser.js";
import { connect, type Http } from "./harness/http.js";
import { outward } from "./harness/outward.js";
import { type StandaloneTarget, startStandalone } from "./harness/target.js";
import { until } from "./harness/until.js";

/** Where pictures are left for who wants to look at them. */
const pictures = process.env["ORCH_TEST_PICTURES"] ?? join(tmpdir(), "orch-console-pictures");

/** Tries what a page of the server's origin could do, and tells of it in its title. */
const hostile = `<script type="module">
  const tried = async (run) => { try { return await run(); } catch (error) { return error.name; } };
  const forged = new Blob([JSON.stringify({ metadata: { name: "forged" } })]);
  const write = { method: "POST", mode: "no-cors", credentials: "include", body: forged };
  const watched = (socket) => new Promise((resolve) => {
    for (const type of ["open", "error"]) socket.addEventListener(type, () => resolve(type));
  });
  const kept = await tried(() => sessionStorage.getItem("orch-console-session"));
  const read = await tried(async () => (await fetch("/api/v1/secrets", { credentials: "include" })).status);
  const wrote = await tried(async () => (await fetch("/api/v1/namespaces/default/configmaps", write)).type);
  const watch = await tried(() => watched(new WebSocket("wss://" + location.host + "/api/v1/secrets?watch=1")));
  document.title = JSON.stringify({ kept, read, write: wrote, watch });
</script>`;

describe("the console", () => {
  let target: StandaloneTarget;
  let http: Http;
  let browser: Browser;
  let page: Page;
  /** What pages say is wrong: errors of scripts, and what their policy has blocked. */
  const complaints: string[] = [];

  before(async () => {
    await mkdir(pictures, { recursive: true });
    [target, browser] = await Promise.all([
      startStandalone({ args: ["--simulate-nodes=1", "--scheduler=false"] }),
      startBrowser(),
    ]);
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
    opened.setDefaultTimeout(60_000);
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

  /** The log of a pod holds a text twice at least: what was sent, and what came back. */
  const logged = (text: string): Promise<true> =>
    until(`twice ${JSON.stringify(text)}`, async () => {
      const log = (await page.getByRole("log").textContent()) ?? "";
      return log.split(text).length > 2 || undefined;
    });

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

  test("the keyboard alone leads to an object and back", async () => {
    await made("/api/v1/namespaces/default/configmaps", { metadata: { name: "keys" }, data: { a: "1" } });
    for (const key of ["g", "k", "g", "c"]) await page.keyboard.press(key);
    // The page before has the row, too; the one of all namespaces names them.
    await row("keys").getByText("default", { exact: true }).waitFor();
    await page.keyboard.press("/");
    await page.keyboard.type("keys");
    await page.keyboard.press("Enter");
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "keys" }).waitFor();
    await page.keyboard.press("y");
    await page.getByLabel("YAML", { exact: true }).waitFor();
    await page.keyboard.press("Escape");
    await page.getByRole("grid").waitFor();
    await page.keyboard.press("?");
    await page.getByRole("dialog", { name: "Keys" }).getByText("next row").first().waitFor();
    await page.keyboard.press("Escape");
    await page.keyboard.press("Control+k");
    await page.getByLabel("Kind or page").fill("deploy");
    await page.getByRole("option", { name: "Deployment", selected: true }).waitFor();
    await picture("palette");
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "Deployment" }).waitFor();
  });

  test("a change is compared before it is saved, and what the server refuses is said", async () => {
    const path = "/api/v1/namespaces/default/configmaps/edited";
    await made("/api/v1/namespaces/default/configmaps", { metadata: { name: "edited" }, data: { mode: "slow" } });
    await http.patch(path, "merge", { data: { extra: "1" } }, { fieldManager: "bob" });
    await go("#/r/-/v1/configmaps/default/edited?tab=yaml");
    const text = page.getByLabel("YAML", { exact: true });
    await page.locator(".owner", { hasText: "bob" }).first().waitFor();
    await text.fill((await text.inputValue()).replace("slow", "fast"));
    await page.getByRole("button", { name: "Review and save" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.locator(".diff-removed", { hasText: "mode: slow" }).waitFor();
    await dialog.locator(".diff-added", { hasText: "mode: fast" }).waitFor();
    assert.equal((await http.get(path)).at("data.mode"), "slow");
    assert.deepEqual(await seriousProblems(page), []);
    await picture("review");
    await dialog.getByRole("button", { name: "Save" }).click();
    await dialog.waitFor({ state: "detached" });
    assert.equal((await http.get(path)).at("data.mode"), "fast");

    await text.fill(`${await text.inputValue()}unheard: of\n`);
    await page.getByRole("button", { name: "Review and save" }).click();
    await page.getByText('unknown field "unheard"').waitFor();
    await text.fill("a: [");
    await page.getByText("Line 1:").waitFor();
  });

  test("the editor knows what may stand where the cursor is", async () => {
    const containers = [{ name: "web", image: "nginx:1.27" }];
    const labels = { app: "web" };
    await made("/apis/apps/v1/namespaces/default/deployments", {
      metadata: { name: "web", labels },
      spec: {
        replicas: 1,
        selector: { matchLabels: labels },
        template: { metadata: { labels }, spec: { containers } },
      },
    });
    await go("#/r/apps/v1/deployments/default/web?tab=yaml");
    const text = page.getByLabel("YAML", { exact: true });
    await text.waitFor();
    const at = (await text.inputValue()).indexOf("image: nginx");
    await text.focus();
    await page.evaluate(`document.querySelector("textarea").setSelectionRange(${at}, ${at})`);
    await page.keyboard.type("liveness");
    await page.getByRole("option", { name: "livenessProbe" }).waitFor();
    await picture("completion");
    await page.keyboard.press("Enter");
    assert.match(await text.inputValue(), / {10}livenessProbe:\n {12}image: nginx/);
  });

  test("what broke an object is found in its history, and rolled back", async () => {
    const path = "/apis/apps/v1/namespaces/default/deployments/web";
    const broken = { spec: { template: { spec: { containers: [{ name: "web", image: "nginx:typo" }] } } } };
    await http.patch(path, "strategic-merge", broken, { fieldManager: "hasty" });
    await go("#/r/apps/v1/deployments/default/web?tab=history");
    await page.getByRole("button", { name: /by hasty/ }).click();
    await page.locator(".diff-added", { hasText: "nginx:typo" }).waitFor();
    assert.deepEqual(await seriousProblems(page), []);
    await picture("history");
    await page.getByRole("button", { name: /created/ }).click();
    await page.getByRole("button", { name: "Roll back to this" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.locator(".diff-removed", { hasText: "nginx:typo" }).waitFor();
    await dialog.getByRole("button", { name: "Roll back" }).click();
    await page.getByText("web is as it was at revision").waitFor();
    assert.equal((await http.get(path)).at("spec.template.spec.containers.0.image"), "nginx:1.27");
  });

  test("what is deleted comes back", async () => {
    const path = "/api/v1/namespaces/default/configmaps/edited";
    await go("#/r/-/v1/configmaps/default/edited");
    await page.getByRole("button", { name: "Delete", exact: true }).click();
    await page.getByRole("button", { name: "Delete it" }).click();
    await page.getByText("deleted", { exact: true }).first().waitFor();
    assert.equal((await http.get(path)).status, 404);
    await go("#/deleted");
    await page.getByRole("link", { name: "edited" }).waitFor();
    assert.deepEqual(await seriousProblems(page), []);
    await picture("deleted");
    await page.getByRole("button", { name: "Undelete edited" }).click();
    await page.getByText("edited is back").waitFor();
    assert.equal((await http.get(path)).at("data.mode"), "fast");
  });

  test("a pod's events, log and commands", async () => {
    await made("/api/v1/namespaces/default/pods", {
      metadata: { name: "runs" },
      spec: { nodeName: "node-0", containers: [{ name: "c", image: "i" }] },
    });
    await made("/api/v1/namespaces/default/events", {
      metadata: { name: "said" },
      involvedObject: { kind: "Pod", name: "runs", namespace: "default" },
      ...{ reason: "Greeted", message: "hello from an event", type: "Normal" },
    });
    await go("#/r/-/v1/pods/default/runs");
    await page.getByText("Running", { exact: true }).first().waitFor();
    await page.keyboard.press("v");
    await page.getByText("hello from an event").waitFor();
    await page.keyboard.press("l");
    await page.getByRole("log").getByText("c").first().waitFor();
    await logged("\n");
    await picture("log");
    await page.keyboard.press("r");
    await page.getByRole("button", { name: "Run", exact: true }).click();
    await page.getByLabel("Line of input").fill("echo me");
    await page.keyboard.press("Enter");
    await page.getByRole("log").getByText("echo me").first().waitFor();
    await logged("echo me");
    await page.getByRole("button", { name: "End it" }).click();
    assert.deepEqual(await seriousProblems(page), []);
  });

  test("what deprecation, queues and rights look like", async () => {
    await http.get("/api/v1/componentstatuses");
    const pages = [
      ["deprecated", "Deprecated API use", "componentstatuses"],
      ["flow-control", "Flow control", "workload-low"],
      ["who-can", "Who can", "system:masters"],
    ] as const;
    for (const [hash, title, text] of pages) {
      await go(`#/${hash}`);
      await page.getByRole("heading", { name: title, exact: true }).waitFor();
      await page.getByText(text, { exact: true }).first().waitFor();
      assert.deepEqual(await seriousProblems(page), []);
      await picture(hash);
    }
  });

  test("nothing that somebody wrote into an object becomes markup", async () => {
    const attack = `"><img src=x onerror="window.attacked=1"><script>window.attacked=2</script>\u202e{{7*7}}`;
    await made("/api/v1/namespaces/default/configmaps", {
      metadata: { name: "attack", annotations: { note: attack }, labels: { "a.b/c": "javascript_alert.1" } },
      data: { text: attack, url: "javascript:window.attacked=3" },
    });
    await made("/api/v1/namespaces/default/events", {
      ...{ metadata: { name: "attack" }, involvedObject: { kind: "ConfigMap", name: "attack", namespace: "default" } },
      ...{ reason: attack.slice(0, 100), message: attack, type: attack.slice(0, 20), source: { component: attack } },
    });
    await http.patch(
      "/api/v1/namespaces/default/configmaps/attack",
      "merge",
      { data: { more: attack } },
      { fieldManager: "<b>manager</b>" },
    );
    for (const tab of ["overview", "yaml", "history", "events"]) {
      await go(`#/r/-/v1/configmaps/default/attack?tab=${tab}`);
      await page.getByText("onerror").first().waitFor();
      if (tab === "yaml") await page.getByText("<b>manager</b>").first().waitFor();
    }
    await go("#/r/-/v1/events?q=onerror");
    await page.getByRole("row").filter({ hasText: "onerror" }).first().waitFor();
    await go(
      `#/r/-/v1/configmaps/${encodeURIComponent("<img src=x onerror=attacked=4>")}/${encodeURIComponent("../../<svg/onload=attacked=5>")}`,
    );
    await page.getByRole("alert").first().waitFor();
    assert.equal(await page.evaluate("window.attacked"), undefined);
    assert.equal(await page.locator("img, main script").count(), 0);
  });

  test("ten thousand rows are there to scroll", async (t) => {
    await made("/api/v1/namespaces", { metadata: { name: "many" } });
    let next = 0;
    const worker = async (): Promise<void> => {
      for (let at = next++; at < 10_000; at = next++) {
        const name = `row-${String(at).padStart(5, "0")}`;
        await http.post("/api/v1/namespaces/many/configmaps", { metadata: { name } });
      }
    };
    await Promise.all(Array.from({ length: 16 }, worker));
    await go("#/r/-/v1/configmaps?ns=many");
    await page.getByText(/^10,00[01]$/).waitFor();
    const frames = await page.evaluate(`new Promise((resolve) => {
      const grid = document.querySelector("[role=grid]");
      const times = [];
      let longest = 0;
      new PerformanceObserver((list) => {
        for (const entry of list.getEntries()) longest = Math.max(longest, entry.duration);
      }).observe({ type: "longtask" });
      const step = (time) => {
        times.push(time);
        grid.scrollTop += 400;
        if (times.length < 150) requestAnimationFrame(step);
        else {
          const gaps = times.slice(1).map((at, index) => at - times[index]).sort((a, b) => a - b);
          resolve({ median: gaps[gaps.length >> 1], longest: gaps.at(-1), task: longest, rows: grid.querySelectorAll("[role=row]").length });
        }
      };
      requestAnimationFrame(step);
    })`);
    t.diagnostic(`frames while scrolling, in ms: ${JSON.stringify(frames)}`);
    await page
      .getByText(/^row-0[12]\d{3}$/)
      .first()
      .waitFor();
    await page.keyboard.press("G");
    await row("row-09999").waitFor();
    assert.ok((await page.getByRole("row").count()) < 100);
    await picture("ten-thousand");

    await page.evaluate(`new MutationObserver(() => {
      const row = [...document.querySelectorAll("[role=row]")].find((each) => each.textContent.includes("row-09999"));
      if (row?.querySelectorAll("[role=gridcell]")[1]?.textContent === "1") window.seen ??= performance.timeOrigin + performance.now();
    }).observe(document.querySelector("[role=grid]"), { subtree: true, childList: true, characterData: true })`);
    await http.patch("/api/v1/namespaces/many/configmaps/row-09999", "merge", { data: { a: "1" } });
    const answered = performance.timeOrigin + performance.now();
    const seen = Number(await until("the row shows it", () => page.evaluate("window.seen")));
    t.diagnostic(`a row changed ${(seen - answered).toFixed(1)} ms after the answer to its write`);
  });

  test("what one may not see is said, and a session that has ended asks for another", async () => {
    await made("/api/v1/namespaces/default/serviceaccounts", { metadata: { name: "guest" } });
    const request = { spec: { expirationSeconds: 600 } };
    const answer = await http.post("/api/v1/namespaces/default/serviceaccounts/guest/token", request);
    const guest = await signedIn(String(answer.at("status.token")));
    await go("#/r/-/v1/secrets", guest);
    await guest.getByText("secrets cannot be listed").waitFor();
    await guest.getByText(/cannot list resource "secrets"/).waitFor();
    await picture("forbidden", guest);
    await http.delete("/api/v1/namespaces/default/serviceaccounts/guest");
    // The server remembers for some seconds whose a token is.
    await until("the session has ended", async () => {
      await go("#/", guest);
      await go("#/r/-/v1/pods", guest);
      const isOver = guest.getByText("Your session has ended").waitFor({ timeout: 5000 });
      return isOver.then(() => true as const).catch(() => undefined);
    });
    await guest.getByRole("heading", { name: "Sign in to orch" }).waitFor();
    await guest.context().close();
  });

  test("a certificate of the browser signs in as well", async () => {
    const { certificate: cert, key } = target.pki.admin;
    const certificate = { origin: target.urls[0] ?? "", cert: Buffer.from(cert), key: Buffer.from(key) };
    const holder = await open({ certificate });
    await holder.getByRole("button", { name: "Use my browser’s certificate" }).click();
    await holder.getByRole("heading", { name: "All kinds" }).waitFor();
    await holder.context().close();
    const nobody = await open();
    await nobody.getByRole("button", { name: "Use my browser’s certificate" }).click();
    await nobody.getByText("Your browser has shown no certificate").waitFor();
    await nobody.context().close();
  });

  test("a page that a pod serves has nothing of the console, and cannot act by the browser's certificate", async (t) => {
    if (outward === undefined) return t.skip("SKIPPED: this machine has no address but loopback's");
    const server = createServer((_request, response) => response.setHeader("Content-Type", "text/html").end(hostile));
    server.listen(0, "0.0.0.0");
    await once(server, "listening");
    t.after(() => server.close());
    const { port } = server.address() as AddressInfo;
    const pods = "/api/v1/namespaces/default/pods";
    const pod = { metadata: { name: "hostile" }, spec: { nodeName: "none", containers: [{ name: "c", image: "i" }] } };
    assert.equal((await http.post(pods, pod)).status, 201);
    const status = { podIP: outward, podIPs: [{ ip: outward }] };
    assert.equal((await http.patch(`${pods}/hostile/status`, "merge", { status })).status, 200);
    const { certificate: cert, key } = target.pki.admin;
    const certificate = { origin: target.urls[0] ?? "", cert: Buffer.from(cert), key: Buffer.from(key) };
    const visitor = await open({ certificate });
    await visitor.goto(`${target.urls[0]}${pods}/hostile:${port}/proxy/`);
    await visitor.waitForFunction("document.title !== ''");
    assert.deepEqual(JSON.parse(await visitor.title()), {
      ...{ kept: "SecurityError", read: "TypeError", write: "opaque", watch: "error" },
    });
    assert.equal((await http.get("/api/v1/namespaces/default/configmaps/forged")).status, 404);
    await visitor.context().close();
    assert.equal((await http.call({ method: "DELETE", path: `${pods}/hostile` })).status, 200);
  });

  test("dark, and on a phone", async () => {
    const phone = await signedIn(target.pki.adminToken, { width: 390, height: 800, dark: true });
    for (const [name, hash] of [
      ["phone-kinds", "#/"],
      ["phone-list", "#/r/-/v1/configmaps?ns=default"],
      ["phone-history", "#/r/apps/v1/deployments/default/web?tab=history"],
      ["phone-yaml", "#/r/apps/v1/deployments/default/web?tab=yaml"],
    ] as const) {
      await go(hash, phone);
      await phone.waitForTimeout(400);
      await picture(name, phone);
      assert.deepEqual(await seriousProblems(phone), []);
      assert.equal(await phone.evaluate("document.documentElement.scrollWidth <= innerWidth"), true, name);
    }
    await phone.getByRole("button", { name: "Menu" }).click();
    await phone.getByRole("link", { name: "Pod", exact: true }).click();
    await phone.getByRole("heading", { name: "Pod" }).waitFor();
    await phone.context().close();
  });

  test("no script has failed and nothing was blocked by the policy of the pages", () => {
    assert.deepEqual(complaints, []);
  });
});
