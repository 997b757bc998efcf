/** An attachment of one volume, as it is decided about. */
export interface Attachment {
  readonly name: string;
  readonly node: string;
  readonly attached: boolean;
  /** It is being deleted: its driver detaches. */
  readonly going: boolean;
  /** Its name is the one that this controller gives. */
  readonly ours: boolean;
}

/** What is known of a node and the volume. */
export interface AttachmentNode {
  /** Attachments of its volumes are made here, and not by its agent. */
  readonly managed: boolean;
  readonly ready: boolean;
  readonly outOfService: boolean;
  /** Its agent says that it uses the volume. */
  readonly inUse: boolean;
  /** It has been told that the volume is attached. */
  readonly reported: boolean;
}

export interface AttachmentState {
  /** Nodes with pods that use the volume, the oldest need first. */
  readonly wanted: readonly string[];
  readonly attachments: readonly Attachment[];
  /** Undefined where there is none of that name. */
  readonly nodeNamed: (name: string) => AttachmentNode | undefined;
  /** One node at a time. */
  readonly exclusive: boolean;
  /** For how long an attachment has not been wanted. Milliseconds. */
  readonly unwantedMs: (attachment: string) => number;
  /** After which a volume is taken from a node that is not ready and does not let go; undefined: never. */
  readonly forceAfterMs: number | undefined;
}

export type AttachmentAction =
  | { readonly do: "attach"; readonly node: string }
  /** It is on other nodes, and can be on one alone. */
  | { readonly do: "refuse"; readonly node: string; readonly others: readonly string[] }
  /** What the node has been told is attached is to be written anew. */
  | { readonly do: "report"; readonly node: string }
  | { readonly do: "detach"; readonly attachment: string }
  | { readonly do: "lookAgain"; readonly afterMs: number };

/** `held`: nobody wants it, and its node has not let go of it; `afterMs`: when that counts no more. */
export type Fate = { readonly is: "stays" | "goes" } | { readonly is: "held"; readonly afterMs: number | undefined };

/** What is to become of an attachment. */
export function fateOf({ name, node: on, ours }: Attachment, state: AttachmentState): Fate {
  if (!ours || state.wanted.includes(on)) return { is: "stays" };
  const node = state.nodeNamed(on);
  if (node === undefined) return { is: "goes" };
  if (!node.managed) return { is: "stays" };
  if (!node.inUse || node.outOfService) return { is: "goes" };
  // A node that is well lets go of it by itself, however long that takes.
  if (node.ready || state.forceAfterMs === undefined) return { is: "held", afterMs: undefined };
  const leftMs = state.forceAfterMs - state.unwantedMs(name);
  return leftMs <= 0 ? { is: "goes" } : { is: "held", afterMs: leftMs };
}

/** What is to be done about the attachments of one volume. */
export function decideAttachments(state: AttachmentState): readonly AttachmentAction[] {
  const present = state.attachments.flatMap((attachment) => decidePresent(attachment, state));
  const taken = new Set(state.attachments.map(({ node }) => node));
  const missing: AttachmentAction[] = [];
  for (const node of state.wanted) {
    if (taken.has(node) || state.nodeNamed(node)?.managed !== true) continue;
    if (state.exclusive && taken.size > 0) {
      missing.push({ do: "refuse", node, others: [...taken] });
      continue;
    }
    taken.add(node);
    missing.push({ do: "attach", node });
  }
  return [...present, ...missing];
}

function decidePresent(attachment: Attachment, state: AttachmentState): readonly AttachmentAction[] {
  if (attachment.going || !attachment.ours) return [];
  const { name, node } = attachment;
  const fate = fateOf(attachment, state);
  const known = state.nodeNamed(node);
  if (fate.is === "held") return fate.afterMs === undefined ? [] : [{ do: "lookAgain", afterMs: fate.afterMs }];
  if (fate.is === "goes") {
    // The node is told first: it must not begin to use what is about to go.
    return [known?.reported === true ? { do: "report", node } : { do: "detach", attachment: name }];
  }
  return attachment.attached && known?.managed === true && !known.reported ? [{ do: "report", node }] : [];
}
