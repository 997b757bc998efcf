/** What a process is made of. `start` resolves when the service answers; `stop` when nothing of it is left. */
export interface Service {
  start(): Promise<void>;
  stop(): Promise<void>;
}
