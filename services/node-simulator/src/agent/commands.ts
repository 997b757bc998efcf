import type { Clock } from "@orch/status/clock.js";
import type { AgentPod } from "./agent-pods.js";
import type { ContainerStream } from "./channels.js";
import { type LogSource, linesAt, logLine, timeOfLine } from "./log-lines.js";

export interface Command {
  readonly pod: AgentPod;
  readonly container: string;
  readonly words: readonly string[];
  readonly stdin: boolean;
}

/** What a terminal sends for the end of what is typed. */
const endOfText = 0x04;

/** Says that nothing runs, gives back what it is told, and ends with the code of the pod's annotation. */
export function playCommand(stream: ContainerStream, { pod, container, words, stdin }: Command): void {
  const where = `${container} of ${pod.namespace}/${pod.name} on ${pod.node}`;
  stream.stdout(`simulated: nothing runs in ${where}; not done: ${words.join(" ")}\n`);
  const end = (): void => stream.end(pod.execExitCode);
  if (!stdin) {
    end();
    return;
  }
  stream.onStdin((part) => {
    const at = part.indexOf(endOfText);
    stream.stdout(at < 0 ? part : part.subarray(0, at));
    if (at >= 0) end();
  });
  stream.onStdinEnd(end);
}

/** Shows the lines of the log as they come. */
export function playAttach(stream: ContainerStream, clock: Clock, source: LogSource, runs: () => boolean): void {
  let next = linesAt(source, clock.now());
  let stop = (): void => {};
  stream.onClose(() => stop());
  const go = (): void => {
    for (; next < linesAt(source, clock.now()); next++) stream.stdout(logLine(source, next, { timestamps: false }));
    if (runs()) stop = clock.after(Math.max(1, timeOfLine(source, next) - clock.now()), go);
    else stream.end(0);
  };
  go();
}
