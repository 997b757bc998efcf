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
