import { setPriority } from "node:os";
import type { MessagePort } from "node:worker_threads";
import { type Order, type Outcome, outcomeOf, type Report, resultOf } from "./messages.js";

/** Asks the main thread on behalf of its job. @throws ApiError */
export type Ask<Question, Answer> = (question: Question) => Promise<Answer>;

/** Where processors are scarce the thread that answers everybody else goes first, three times out of four. */
const niceness = 5;

function giveWay(): void {
  // On other systems this would lower the priority of the whole process.
  if (process.platform === "linux") setPriority(0, niceness);
}

/** The thread's end: runs each job that comes, several at once where they wait for answers. */
export function serveJobs<Job, Result, Question, Answer>(
  port: MessagePort,
  run: (job: Job, ask: Ask<Question, Answer>) => Result | Promise<Result>,
): void {
  giveWay();
  const open = new Map<number, (outcome: Outcome<Answer>) => void>();
  let asked = 0;
  const post = (report: Report<Result, Question>): void => port.postMessage(report);
  const askFor =
    (job: number): Ask<Question, Answer> =>
    (value) =>
      new Promise((resolve, reject) => {
        const question = ++asked;
        open.set(question, (outcome) => {
          try {
            resolve(resultOf(outcome));
          } catch (error) {
            reject(error);
          }
        });
        post({ type: "ask", job, question, value });
      });
  port.on("message", (order: Order<Job, Answer>) => {
    if (order.type === "job") {
      void outcomeOf(() => run(order.job, askFor(order.id))).then((outcome) => {
        post({ type: "done", job: order.id, outcome });
      });
      return;
    }
    open.get(order.question)?.(order.outcome);
    open.delete(order.question);
  });
  post({ type: "ready" });
}
