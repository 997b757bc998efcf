import { randomInt } from "node:crypto";
import { existsSync } from "node:fs";
import { hostname, networkInterfaces } from "node:os";
import type { Machine } from "@orch/component-config/bootstrapper/bootstrapper.js";
import type { Tools } from "../world.js";

const letters = "abcdefghijklmnopqrstuvwxyz0123456789";

const randomText = (length: number): string =>
  Array.from({ length }, () => letters[randomInt(letters.length)] ?? "").join("");

/** `abcdef.0123456789abcdef` */
export const newToken = (): string => `${randomText(6)}.${randomText(16)}`;

/** What defaults of configurations take from this machine. */
export const machineFacts = ({ version }: Pick<Tools, "version">): Machine => ({
  hostname: hostname(),
  advertiseAddress: ownAddress(),
  version,
  newToken,
  exists: existsSync,
});

/** The first address at which others may reach this machine; IPv4 before IPv6. */
function ownAddress(): string {
  const all = Object.values(networkInterfaces()).flatMap((of = []) => of.filter(({ internal }) => !internal));
  const reachable = [
    ...all.filter(({ family }) => family === "IPv4"),
    ...all.filter(({ family, address }) => family === "IPv6" && !address.startsWith("fe80:")),
  ];
  return reachable[0]?.address ?? "127.0.0.1";
}
