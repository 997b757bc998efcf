import type { Unit } from "./unit.js";

/** The line that says by which manifest a file was written; systemd passes over keys that begin so. */
export const hashKey = "X-Manifest-Hash";

/**
 * A service file of systemd for a unit: started at boot, started again for ever, each time after a longer wait.
 * @throws Error for a command that such a file cannot name
 */
export function systemdUnit(unit: Unit, root: string): string {
  const { command, args, env, user } = unit;
  // A path, or a name without any of the signs by which systemd means something.
  if (!/^[A-Za-z0-9_/.]/.test(command)) throw new Error(`${unit.name}: systemd cannot run ${JSON.stringify(command)}`);
  const lines = [
    "[Unit]",
    `Description=${escaped(unit.name)}`,
    "Wants=network-online.target",
    "After=network-online.target",
    // However often it ended: it is started again.
    "StartLimitIntervalSec=0",
    `${hashKey}=${unit.hash}`,
    "",
    "[Service]",
    `ExecStart=${[command, ...args].map(argument).join(" ")}`,
    ...Object.entries(env).map(([name, value]) => `Environment=${quoted(`${name}=${value}`)}`),
    `WorkingDirectory=${(unit.workingDir ?? root).replaceAll("%", "%%")}`,
    ...(user === undefined ? [] : [`User=${user.uid}`]),
    ...(user?.gid === undefined ? [] : [`Group=${user.gid}`]),
    `Restart=${restartWords[unit.restart]}`,
    "RestartSec=1",
    // The wait grows from release 254 on; older ones pass over these two and wait a second each time.
    "RestartSteps=9",
    "RestartMaxDelaySec=300",
    `TimeoutStopSec=${Math.ceil(unit.stopWithinMs / 1000)}`,
    "",
    "[Install]",
    "WantedBy=multi-user.target",
    "",
  ];
  return lines.join("\n");
}

const restartWords: Readonly<Record<Unit["restart"], string>> = {
  Always: "always",
  OnFailure: "on-failure",
  Never: "no",
};

const escaped = (text: string): string => text.replaceAll("%", "%%");

/** A word between quotes: what a shell's reader or systemd's specifiers would see in it is taken from them. */
const quoted = (text: string): string =>
  `"${escaped(text).replaceAll("\\", "\\\\").replaceAll('"', '\\"').replaceAll("\n", "\\n").replaceAll("\t", "\\t")}"`;

/** Of a command line, where `$` means a variable, too. */
const argument = (text: string): string => quoted(text).replaceAll("$", () => "$$");
