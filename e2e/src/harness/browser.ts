import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import axe from "axe-core";
import { type BrowserContext, chromium, type Page } from "playwright-core";

/** Debian's Chromium, with a folder of its own that goes with it. */
export interface Browser {
  /** An empty page of a new session: nothing is stored in it. */
  page(options?: PageOptions): Promise<Page>;
  close(): Promise<void>;
}

export interface PageOptions {
  readonly width?: number;
  readonly height?: number;
  readonly dark?: boolean;
  /** A certificate that the browser shows to this origin. */
  readonly certificate?: { readonly origin: string; readonly cert: Buffer; readonly key: Buffer };
}

/** Of the program at /usr/bin/chromium. It talks to loopback alone: everything else that it would ask for by itself is off. */
export async function startBrowser(): Promise<Browser> {
  const folder = await mkdtemp(join(tmpdir(), "orch-chromium-"));
  const browser = await chromium.launch({
    executablePath: "/usr/bin/chromium",
    headless: true,
    env: { HOME: folder, PATH: process.env["PATH"] ?? "" },
    args: [
      ...["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking"],
      ...["--disable-component-update", "--disable-sync", `--disk-cache-dir=${join(folder, "cache")}`],
    ],
  });
  const contexts: BrowserContext[] = [];
  return {
    async page({ width = 1280, height = 800, dark = false, certificate } = {}) {
      const context = await browser.newContext({
        viewport: { width, height },
        colorScheme: dark ? "dark" : "light",
        ignoreHTTPSErrors: true,
        ...(certificate === undefined ? {} : { clientCertificates: [certificate] }),
      });
      contexts.push(context);
      return context.newPage();
    },
    async close() {
      for (const context of contexts) await context.close();
      await browser.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** What axe finds that is serious or worse, as sentences. */
export async function seriousProblems(page: Page): Promise<readonly string[]> {
  await page.evaluate(axe.source);
  const violations: readonly axe.Result[] = await page.evaluate(
    "axe.run(document, { resultTypes: ['violations'] }).then((found) => found.violations)",
  );
  return violations
    .filter(({ impact }) => impact === "serious" || impact === "critical")
    .flatMap(({ id, nodes }) => nodes.map((node) => `${id}: ${node.html.slice(0, 200)} ${node.failureSummary ?? ""}`));
}
