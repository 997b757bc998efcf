import type { LiveCatalog } from "@orch/api/custom/live-catalog.js";
import { createOpenApi } from "@orch/api/openapi/openapi.js";
import type { Offers } from "@orch/api/openapi/operations.js";
import type { OpenIdDocuments } from "@orch/auth/service-account/open-id.js";
import { objectOffers } from "@orch/codec/negotiate.js";
import type { Naming } from "@orch/naming/naming.js";
import type { Clock } from "@orch/runtime/clock.js";
import { type Health, parseHealthPath } from "@orch/runtime/health.js";
import type { Log } from "@orch/runtime/log.js";
import { type Metrics, metricsContentType } from "@orch/runtime/metrics.js";
import type { ProfilingPages } from "@orch/runtime/service.js";
import type { OtherApis } from "../aggregation/other-apis.js";
import type { OtherPathsDeps } from "../documents/other-paths.js";
import type { SetVerbosity } from "../documents/verbosity.js";
import type { FlowTables } from "../flow/tables.js";
import { servedParts } from "../service.js";
import type { ServingSettings } from "../serving-settings.js";

export interface AssembleOtherPathsDeps {
  readonly naming: Naming;
  readonly catalog: LiveCatalog;
  readonly health: Health;
  readonly metrics: Metrics;
  readonly log: Log;
  readonly clock: Clock;
  readonly version: object;
  readonly flowTables: FlowTables;
  readonly openId: OpenIdDocuments | undefined;
  readonly apis: OtherApis;
  readonly setVerbosity?: SetVerbosity | undefined;
  readonly profiling?: ProfilingPages | undefined;
}

/** Documents tell of the past where there is one. */
function offersOf(settings: ServingSettings, mediaTypes: readonly string[]): Offers {
  const { subresources, hasHistory } = servedParts(settings);
  const { listExtensions } = settings;
  return { subresources, mediaTypes, listExtensions, ...(settings.history === undefined ? {} : { hasHistory }) };
}

/** What is answered outside the resources: probes, metrics, the version, OpenAPI, the tables of flow control. */
export function assembleOtherPaths(settings: ServingSettings, deps: AssembleOtherPathsDeps): OtherPathsDeps {
  const { naming, catalog, health, metrics, log, clock, version, flowTables, openId, apis } = deps;
  const mediaTypes = objectOffers(naming, settings).map((offer) => offer.mediaType);
  const documents = createOpenApi(catalog, {
    naming,
    offers: offersOf(settings, mediaTypes),
    others: () => apis.openApi(),
  });
  return {
    health: async (path, query) => {
      const asked = parseHealthPath(path, query);
      if (asked === undefined) return undefined;
      const answer = await health.answer(asked.kind, asked.query);
      if (answer.failures.length > 0) log.warn({ path, failures: answer.failures }, "health check failed");
      return answer;
    },
    healthPaths: () => health.paths,
    metrics: async () => ({ contentType: metricsContentType, body: await metrics.text() }),
    openApi: { documents, now: () => clock.now() },
    version,
    flowTables,
    openId,
    setVerbosity: deps.setVerbosity,
    profiling: settings.profiling ? deps.profiling : undefined,
  };
}
