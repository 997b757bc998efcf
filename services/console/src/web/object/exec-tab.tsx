import { readJson } from "@orch/status/read-json.js";
import type { JSX } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { objectPath } from "../api/paths.js";
import { useConsole } from "../context.js";
import { textAt } from "../json.js";
import { channelProtocol, channelText, inputMessage } from "./channels.js";
import { containerNames } from "./containers.js";
import type { ObjectProps } from "./object-props.js";

/** The shell that a container has most likely. */
const usualCommand = "sh";
const mostChars = 300_000;

/** A command in a container, to which lines can be said. */
export function ExecTab({ kind, place, object }: ObjectProps): JSX.Element {
  const { api } = useConsole();
  const names = containerNames(object);
  const [container, setContainer] = useState(names[0] ?? "");
  const [command, setCommand] = useState(usualCommand);
  const [line, setLine] = useState("");
  const [output, setOutput] = useState("");
  const [socket, setSocket] = useState<WebSocket>();
  const [isOpen, setOpen] = useState(false);
  const box = useRef<HTMLPreElement>(null);
  useEffect(() => () => socket?.close(), [socket]);
  useEffect(() => {
    if (box.current !== null) box.current.scrollTop = box.current.scrollHeight;
  });
  const say = (text: string): void => setOutput((before) => (before + text).slice(-mostChars));
  const start = (): void => {
    const asked = new URLSearchParams({ container, stdin: "true", stdout: "true", stderr: "true" });
    for (const word of command.split(" ").filter((part) => part !== "")) asked.append("command", word);
    const opened = api.socket(`${objectPath(kind, place, "exec")}?${asked}`, channelProtocol);
    opened.binaryType = "arraybuffer";
    setOutput("");
    let wasOpen = false;
    opened.onopen = () => {
      wasOpen = true;
      setOpen(true);
    };
    opened.onmessage = ({ data }: MessageEvent<unknown>) => {
      const { channel, text } = channelText(data);
      if (channel === "status") say(`\n${endingOf(text)}\n`);
      else say(text);
    };
    opened.onclose = () => {
      if (!wasOpen)
        say("No agent took the connection: you may lack the right to create pods/exec, or the pod has no node.\n");
      setOpen(false);
      setSocket(undefined);
    };
    setSocket(opened);
  };
  const send = (): void => {
    socket?.send(inputMessage(`${line}\n`));
    say(`› ${line}\n`);
    setLine("");
  };
  return (
    <div class="tab terminal-tab">
      <form
        class="tab-tools"
        onSubmit={(event) => {
          event.preventDefault();
          start();
        }}
      >
        <select aria-label="Container" value={container} onChange={(event) => setContainer(event.currentTarget.value)}>
          {names.map((name) => (
            <option key={name}>{name}</option>
          ))}
        </select>
        <input
          type="text"
          class="mono"
          aria-label="Command"
          value={command}
          onInput={(event) => setCommand(event.currentTarget.value)}
        />
        <button type="submit" class="primary" disabled={socket !== undefined || command.trim() === ""}>
          Run
        </button>
        {socket !== undefined && (
          <button type="button" onClick={() => socket.close()}>
            End it
          </button>
        )}
      </form>
      <pre ref={box} class="terminal" role="log" tabIndex={0} aria-label="Output">
        {output === "" ? <span class="muted">What the command writes comes here.</span> : output}
      </pre>
      <form
        class="tab-tools"
        onSubmit={(event) => {
          event.preventDefault();
          send();
        }}
      >
        <input
          type="text"
          class="mono exec-line"
          aria-label="Line of input"
          placeholder="A line for the command"
          value={line}
          disabled={!isOpen}
          onInput={(event) => setLine(event.currentTarget.value)}
        />
        <button type="submit" disabled={!isOpen}>
          Send
        </button>
      </form>
    </div>
  );
}

/** The last message: a Status that tells how the command ended. */
function endingOf(text: string): string {
  try {
    const status: unknown = readJson(text);
    return textAt(status, "status") === "Success" ? "It ended well." : textAt(status, "message");
  } catch {
    return text;
  }
}
