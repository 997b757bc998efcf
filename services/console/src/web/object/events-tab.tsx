import type { JSX } from "preact";
import { collectionPath, query } from "../api/paths.js";
import { useConsole } from "../context.js";
import { useLoaded, useNow } from "../hooks.js";
import { listAt, numberAt, textAt } from "../json.js";
import { agoText, momentText } from "../parts/age.js";
import { FailureView } from "../parts/failure-view.js";
import { Empty, Loading } from "../parts/small.js";
import type { ObjectProps } from "./object-props.js";

/** What the cluster has said of an object. */
export function EventsTab({ kind, place, object }: ObjectProps): JSX.Element {
  const { api, ownKind } = useConsole();
  const time = useNow(2000);
  const events = ownKind("", "events");
  const version = textAt(object, "metadata", "resourceVersion");
  const found = useLoaded(
    async (signal) => {
      if (events === undefined) return [];
      const fieldSelector = `involvedObject.name=${place.name},involvedObject.kind=${kind.kind}`;
      const path = collectionPath(events, place.namespace || "default");
      const items = listAt(await api.get(path + query({ fieldSelector, limit: 500 }), { signal }), "items");
      return [...items].sort((a, b) => timeOf(b) - timeOf(a));
    },
    // Looked at again every ten seconds, and when the object changes.
    [api, events, kind, place.name, place.namespace, version, Math.floor(time / 10_000)],
  );
  if (found.phase === "loading") return <Loading what="Reading events…" />;
  if (found.phase === "failed") return <FailureView failure={found.failure} what="Its events cannot be read" />;
  if (found.value.length === 0) {
    return (
      <Empty title="No events">
        <p>Nothing was said of it lately: events go after an hour.</p>
      </Empty>
    );
  }
  return (
    <div class="tab">
      <table class="events">
        <thead>
          <tr>
            <th scope="col">Last</th>
            <th scope="col">Reason</th>
            <th scope="col">Message</th>
            <th scope="col">Times</th>
            <th scope="col">From</th>
          </tr>
        </thead>
        <tbody>
          {found.value.map((event) => (
            <tr key={textAt(event, "metadata", "uid")}>
              <td class="muted" title={momentText(new Date(timeOf(event)).toISOString())}>
                {agoText(timeOf(event), time)}
              </td>
              <td>
                <span class={`state state-${textAt(event, "type") === "Warning" ? "busy" : "good"}`}>
                  {textAt(event, "reason")}
                </span>
              </td>
              <td>{textAt(event, "message")}</td>
              <td>{numberAt(event, "count") ?? 1}</td>
              <td class="muted">{textAt(event, "source", "component") || textAt(event, "reportingComponent")}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function timeOf(event: unknown): number {
  const text =
    textAt(event, "lastTimestamp") || textAt(event, "eventTime") || textAt(event, "metadata", "creationTimestamp");
  return Date.parse(text) || 0;
}
