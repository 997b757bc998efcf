import type { JSX } from "preact";
import { useConsole } from "../context.js";
import { useLoaded, useTitle } from "../hooks.js";
import { samplesOf } from "../insight/metric-lines.js";
import { FailureView } from "../parts/failure-view.js";
import { Empty, Loading } from "../parts/small.js";

const metric = "apiserver_requested_deprecated_apis";

/** Which versions that are to go somebody still asks for. */
export function DeprecatedPage(): JSX.Element {
  const { api } = useConsole();
  useTitle("Deprecated API use");
  const found = useLoaded(async (signal) => samplesOf(await api.text("/metrics", { signal }), metric), [api]);
  return (
    <section class="page" aria-label="Deprecated API use">
      <header class="page-head">
        <h1>Deprecated API use</h1>
        <p class="count">since the gateway that answers started</p>
      </header>
      <div class="scroll">
        {found.phase === "loading" && <Loading what="Reading metrics…" />}
        {found.phase === "failed" && <FailureView failure={found.failure} what="Its metrics cannot be read" />}
        {found.phase === "ready" && found.value.length === 0 && (
          <Empty title="Nobody asks for a deprecated version">
            <p>Whoever does will stand here, with the release that removes the version.</p>
          </Empty>
        )}
        {found.phase === "ready" && found.value.length > 0 && (
          <table>
            <thead>
              <tr>
                <th scope="col">Resource</th>
                <th scope="col">Version</th>
                <th scope="col">Goes with release</th>
              </tr>
            </thead>
            <tbody>
              {found.value.map(({ labels }) => (
                <tr key={[...labels.values()].join("/")}>
                  <td>{[labels.get("resource"), labels.get("subresource")].filter((part) => part).join("/")}</td>
                  <td>{[labels.get("group"), labels.get("version")].filter((part) => part).join("/")}</td>
                  <td>
                    <span class="state state-busy">{labels.get("removed_release") || "not said"}</span>
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        )}
      </div>
    </section>
  );
}
