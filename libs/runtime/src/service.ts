/** What a process is made of. `start` resolves when the service answers; `stop` when nothing of it is left. */
export interface Service {
  start(): Promise<void>;
  stop(): Promise<void>;
}

/** A page beside health and metrics, for those who may read metrics. */
export interface OpsPage {
  /** `/metrics/resources` */
  readonly path: string;
  answer(query: URLSearchParams): OpsAnswer;
}

export interface OpsAnswer {
  readonly code: number;
  readonly type: string;
  readonly body: string;
}

export interface ProfilingAnswer extends Omit<OpsAnswer, "body"> {
  readonly body: string | Buffer;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface ProfilingRequest {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  /** Runs once the client has gone away or has its answer. */
  onClose(run: () => void): void;
}

/** The pages of profiles, below `/debug/pprof/`. */
export interface ProfilingPages {
  /** Whether a path is one of theirs. */
  covers(path: string): boolean;
  /** Takes as long as the request says, and stops where its client goes. */
  answer(request: ProfilingRequest): ProfilingAnswer | Promise<ProfilingAnswer>;
}
