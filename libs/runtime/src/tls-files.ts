import { X509Certificate } from "node:crypto";
import { readFile } from "node:fs/promises";
import { createSecureContext } from "node:tls";
import { messageOf } from "@orch/status/message-of.js";
import type { Clock } from "./clock.js";
import type { Log } from "./log.js";

/** A value that is made of files, and made anew when one of them changes. */
export interface Reloaded<T> {
  current(): T;
  /** Runs after each change; the returned function ends that. */
  onChange(run: () => void): () => void;
  /** Looks at the files no more. */
  stop(): void;
}

export interface ReloadDeps {
  readonly clock: Pick<Clock, "after">;
  readonly log: Pick<Log, "info" | "error">;
  /** Told of every reload: a metric. */
  readonly counted?: (result: "success" | "failure") => void;
  /** Reads a file; `readFile` where absent. */
  readonly read?: (path: string) => Promise<string>;
}

export interface ReloadOptions<T> extends ReloadDeps {
  readonly paths: readonly string[];
  /** Makes the value of the files' texts, in the order of the paths. @throws Error where they make none */
  readonly make: (texts: readonly string[]) => T | Promise<T>;
}

const lookEveryMs = 1_000;

/**
 * Reads files now and looks at them every second. They are compared by what they hold: a mounted secret changes by links
 * whose times say little. What makes no value keeps the one before and is logged once; two files of which only the
 * first has been replaced come right by the next look.
 * @throws Error that names the file, or the one of `make`, where there is no first value
 */
export async function reloadedFiles<T>(options: ReloadOptions<T>): Promise<Reloaded<T>> {
  const { paths, make, clock, log, counted = () => {}, read = (path) => readFile(path, "utf8") } = options;
  const readAll = (): Promise<readonly string[]> => Promise.all(paths.map((path) => read(path)));
  let texts = await readAll();
  let value: T = await make(texts);
  let stopped = false;
  /** What was said of the files the last time, where they were no good. */
  let complaint: { readonly texts: readonly string[]; readonly problem: string } | undefined;
  const listeners = new Set<() => void>();

  const complain = (problem: string, about: readonly string[]): void => {
    if (complaint?.problem === problem && sameTexts(complaint.texts, about)) return;
    complaint = { texts: about, problem };
    counted("failure");
    log.error({ files: paths, problem }, "changed files are no good, what they held before stays in force");
  };
  const look = async (): Promise<void> => {
    let next: readonly string[];
    try {
      next = await readAll();
    } catch (error) {
      complain(messageOf(error), []);
      return;
    }
    if (stopped) return;
    if (sameTexts(next, texts)) {
      complaint = undefined;
      return;
    }
    if (complaint !== undefined && sameTexts(complaint.texts, next)) return;
    let made: T;
    try {
      made = await make(next);
    } catch (error) {
      complain(messageOf(error), next);
      return;
    }
    if (stopped) return;
    value = made;
    texts = next;
    complaint = undefined;
    counted("success");
    log.info({ files: paths }, "changed files are in force");
    for (const run of listeners) run();
  };
  let cancel = (): void => {};
  const later = (): void => {
    cancel = clock.after(lookEveryMs, () => {
      void look().finally(() => {
        if (!stopped) later();
      });
    });
  };
  if (paths.length > 0) later();

  return {
    current: () => value,
    onChange(run) {
      listeners.add(run);
      return () => void listeners.delete(run);
    },
    stop() {
      stopped = true;
      cancel();
    },
  };
}

const sameTexts = (a: readonly string[], b: readonly string[]): boolean =>
  a.length === b.length && a.every((text, i) => text === b[i]);

/** PEM texts: the authority of the other side, and the own certificate with its key. */
export interface TlsIdentity {
  readonly ca: string;
  readonly cert: string;
  readonly key: string;
}

/** Texts of three files as a {@link TlsIdentity}. @throws Error without the texts, where they do not belong together */
export function tlsIdentity([ca = "", cert = "", key = ""]: readonly string[]): TlsIdentity {
  const checked = (what: string, check: () => unknown): void => {
    try {
      check();
    } catch (error) {
      throw new Error(`${what}: ${messageOf(error)}`);
    }
  };
  checked("the authority's file holds no certificate", () => new X509Certificate(ca));
  checked("the certificate and its key do not make a pair", () => createSecureContext({ cert, key }));
  return { ca, cert, key };
}
