import { createEventRecorder, type EventRecorder } from "@orch/client/events/event-recorder.js";
import { type ControllerTools, failureTeller } from "../tools.js";

/** How a controller tells what it does. */
export function recorderOf(tools: ControllerTools, controller: string, component: string): EventRecorder {
  const { client, clock, random } = tools;
  return createEventRecorder({
    ...{ client, component, random },
    now: () => clock.now(),
    onError: failureTeller(tools, controller),
  });
}
