import { networkInterfaces } from "node:os";

/** An address of this machine that is none of its loopback, where it has one. */
export const outward: string | undefined = Object.values(networkInterfaces())
  .flat()
  .find((one) => one !== undefined && !one.internal && one.family === "IPv4")?.address;
