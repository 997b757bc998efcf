// Messages of exec over a WebSocket: their first byte is the channel.

import { createNaming } from "@orch/naming/naming.js";

/** The subprotocol of exec: agents know it by this name, whatever the dialect of the server. */
export const channelProtocol = createNaming("kubernetes").group("v5.channel");

export type Channel = "output" | "errors" | "status" | "other";

const channels: Readonly<Record<number, Channel>> = { 1: "output", 2: "errors", 3: "status" };

/** What came, and over which channel. */
export function channelText(data: unknown): { readonly channel: Channel; readonly text: string } {
  if (!(data instanceof ArrayBuffer)) return { channel: "other", text: "" };
  const bytes = new Uint8Array(data);
  const text = new TextDecoder().decode(bytes.subarray(1));
  return { channel: channels[bytes[0] ?? 0] ?? "other", text: withoutControls(text) };
}

/** A text for the command, over the channel of input. */
export function inputMessage(text: string): Uint8Array<ArrayBuffer> {
  const bytes = new TextEncoder().encode(text);
  const message = new Uint8Array(bytes.length + 1);
  message.set(bytes, 1);
  return message;
}

/** Text for a page that is no terminal: sequences that move a cursor or colour are left out. */
export function withoutControls(text: string): string {
  let plain = "";
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === 0x1b) {
      if (text[at + 1] === "[") {
        at += 2;
        while (at < text.length && (text.charCodeAt(at) < 0x40 || text.charCodeAt(at) > 0x7e)) at++;
      } else at++;
    } else if (code >= 0x20 || code === 0x0a || code === 0x09) plain += text[at];
  }
  return plain;
}
