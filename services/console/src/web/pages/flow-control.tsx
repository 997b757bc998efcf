import type { JSX } from "preact";
import { asFailure } from "../api/failure.js";
import { useConsole } from "../context.js";
import { useLoaded, useNow, useTitle } from "../hooks.js";
import { cellOf, type Dump, parseDump } from "../insight/dump.js";
import { FailureView } from "../parts/failure-view.js";
import { Loading } from "../parts/small.js";

const everyMs = 2000;
const place = "/debug/api_priority_and_fairness";

/** Who waits for whom: the priority levels of this gateway, their queues, and the requests in them. */
export function FlowControlPage(): JSX.Element {
  const { api } = useConsole();
  const time = useNow(everyMs);
  useTitle("Flow control");
  const tables = useLoaded(
    async (signal) => {
      const read = async (name: string): Promise<Dump> => parseDump(await api.text(`${place}/${name}`, { signal }));
      const [levels, queues, requests] = await Promise.all(
        ["dump_priority_levels", "dump_queues", "dump_requests"].map(read),
      );
      if (levels === undefined || queues === undefined || requests === undefined) throw asFailure("nothing came");
      return { levels, queues, requests };
    },
    [api, Math.floor(time / everyMs)],
  );
  return (
    <section class="page" aria-label="Flow control">
      <header class="page-head">
        <h1>Flow control</h1>
        <p class="count">of the gateway that answers, every two seconds</p>
      </header>
      <div class="scroll">
        {tables.phase === "loading" && <Loading what="Reading its queues…" />}
        {tables.phase === "failed" && <FailureView failure={tables.failure} what="Its queues cannot be read" />}
        {tables.phase === "ready" && (
          <>
            <h2>Priority levels</h2>
            <Levels dump={tables.value.levels} />
            <h2>Queues with requests</h2>
            <Busy
              dump={tables.value.queues}
              isBusy={(row) =>
                ["PendingRequests", "ExecutingRequests"].some(
                  (name) => Number(cellOf(tables.value.queues, row, name)) > 0,
                )
              }
              none="No queue has any: nobody waits."
            />
            <h2>Requests</h2>
            <Busy dump={tables.value.requests} isBusy={() => true} none="None is under way." />
          </>
        )}
      </div>
    </section>
  );
}

function Levels({ dump }: { readonly dump: Dump }): JSX.Element {
  const columns = [
    ["WaitingRequests", "Waiting"],
    ["ExecutingRequests", "Running"],
    ["ActiveQueues", "Active queues"],
    ["DispatchedRequests", "Let through"],
    ["RejectedRequests", "Refused"],
    ["TimedoutRequests", "Waited too long"],
  ] as const;
  return (
    <table class="numbers">
      <thead>
        <tr>
          <th scope="col">Level</th>
          <th scope="col">State</th>
          {columns.map(([, title]) => (
            <th key={title} scope="col">
              {title}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {dump.rows.map((row) => {
          const waiting = Number(cellOf(dump, row, "WaitingRequests"));
          const name = cellOf(dump, row, "PriorityLevelName");
          const [tone, word] =
            waiting > 0
              ? ["busy", "queueing"]
              : cellOf(dump, row, "IsIdle") === "true"
                ? ["plain", "idle"]
                : ["good", "serving"];
          return (
            <tr key={name}>
              <td>{name}</td>
              <td>
                <span class={`state state-${tone}`}>{word}</span>
              </td>
              {columns.map(([column]) => (
                <td key={column}>{Number(cellOf(dump, row, column)).toLocaleString()}</td>
              ))}
            </tr>
          );
        })}
      </tbody>
    </table>
  );
}

interface BusyProps {
  readonly dump: Dump;
  readonly isBusy: (row: readonly string[]) => boolean;
  readonly none: string;
}

function Busy({ dump, isBusy, none }: BusyProps): JSX.Element {
  const rows = dump.rows.filter(isBusy).slice(0, 200);
  if (rows.length === 0) return <p class="muted below">{none}</p>;
  return (
    <div class="wide-table" role="region" aria-label="All columns" tabIndex={0}>
      <table>
        <thead>
          <tr>
            {dump.heads.map((head) => (
              <th key={head} scope="col">
                {head}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={row.join()}>
              {dump.heads.map((head, index) => (
                <td key={head}>{row[index] ?? ""}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
