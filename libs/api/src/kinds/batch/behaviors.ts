import type { Behaviors } from "../../behavior.js";
import { cronJob } from "./cron-job.js";
import { job } from "./job.js";

export const batchBehaviors: Behaviors = [
  ["batch/v1.CronJob", cronJob],
  ["batch/v1.Job", job],
];
