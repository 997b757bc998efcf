// The clock of libs/status, where services look for the parts of a process.
export { type Clock, sleep, systemClock } from "@orch/status/clock.js";
export { createManualClock, type ManualClock } from "@orch/status/testing/manual-clock.js";
