import type { WriteReply, WriteRequest } from "@orch/rpc/messages.js";
import type { Span } from "@orch/status/span.js";

/**
 * How a write of a client in this process reaches its resource service where it is to be stored together with others. No client
 * of the network has one.
 */
export interface Staging {
  /**
   * The write's answer, which comes when it is known what became of all. `onStaged` is called when the write itself has done its
   * work and waits for the others. @throws ApiError
   */
  write(request: WriteRequest, options: StagingOptions): Promise<WriteReply>;
}

export interface StagingOptions {
  readonly deadlineMs: number;
  readonly span: Span | undefined;
  readonly onStaged: () => void;
}
