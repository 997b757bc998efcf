/** What a process is made of. `start` resolves when the service answers; `stop` when nothing of it is left. */
export interface Service {
  start(): Promise<void>;
  stop(): Promise<void>;
}

/**
 * Several services as one: started in order, stopped in the reverse order. When one can not start, those before
 * it are stopped and the failure is thrown; a failing stop does not keep the others from stopping.
 */
export function together(services: readonly Service[]): Service {
  const running: Service[] = [];
  const stop = async (): Promise<void> => {
    const failures: unknown[] = [];
    for (let service = running.pop(); service !== undefined; service = running.pop()) {
      try {
        await service.stop();
      } catch (failure) {
        failures.push(failure);
      }
    }
    if (failures.length > 0) throw new AggregateError(failures, "some services did not stop in order");
  };
  return {
    async start() {
      for (const service of services) {
        try {
          await service.start();
        } catch (failure) {
          await stop().catch(() => {}); // the first failure is the one that explains
          throw failure;
        }
        running.push(service);
      }
    },
    stop,
  };
}
