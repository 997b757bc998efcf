import type { CounterSeries, GaugeSeries, HistogramSeries, Metrics } from "@orch/runtime/metrics.js";
import type { RequestLabels, RequestMetrics, SharedLabels, Told } from "./metrics.js";

const shared = ["verb", "group", "version", "resource", "subresource", "scope", "component"] as const;
/** Seconds, the reference's. */
const fromSli = [0.6, 0.8, 1, 1.25, 1.5, 2, 3, 4, 5, 6, 8, 10, 15, 20, 30, 45, 60];
const durations = [0.005, 0.025, 0.05, 0.1, 0.2, 0.4, ...fromSli];
const sliDurations = [0.05, 0.1, 0.2, 0.4, ...fromSli];
/** Bytes. */
const answerBytes = [1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9];
const bodyBytes = Array.from({ length: 31 }, (_, i) => 50_000 + i * 100_000);

/** The series of one set of labels, bound when it is first seen. */
interface Series {
  readonly count: CounterSeries;
  readonly duration: HistogramSeries;
  /** Undefined for what lasts as long as a client wants. */
  readonly sli: HistogramSeries | undefined;
  /** Of reads. */
  readonly answer: HistogramSeries | undefined;
  /** Of writes. */
  readonly body: HistogramSeries | undefined;
  readonly fields: HistogramSeries | undefined;
  readonly terminated: CounterSeries | undefined;
  readonly aborted: CounterSeries | undefined;
}

const reads: ReadonlySet<string> = new Set(["GET", "LIST"]);
/** Of whose bodies the sizes are told, by the reference's words. */
const bodyVerbs: Readonly<Record<string, string>> = {
  POST: "create",
  PUT: "update",
  PATCH: "patch",
  APPLY: "patch",
  DELETE: "delete",
  DELETECOLLECTION: "deletecollection",
};

/** What is counted of requests, by the reference's names (rules: Signals on deprecated endpoints). */
export function createRequestMetrics(metrics: Metrics): RequestMetrics {
  const total = metrics.counter({
    name: "apiserver_request_total",
    help: "Requests by verb, resource and response code.",
    stability: "STABLE",
    labels: [...shared, "code", "dry_run"],
  });
  const seconds = metrics.histogram({
    name: "apiserver_request_duration_seconds",
    help: "Time from a request's arrival to the end of its handling; a watch counts its whole life.",
    stability: "STABLE",
    labels: [...shared, "dry_run"],
    buckets: durations,
  });
  const sli = metrics.histogram({
    name: "apiserver_request_sli_duration_seconds",
    help: "Time of requests but for what webhooks and the queue of flow control took, and without watches.",
    stability: "ALPHA",
    labels: shared,
    buckets: sliDurations,
  });
  const answers = metrics.histogram({
    name: "apiserver_response_sizes",
    help: "Bytes of the answers to gets and lists, as they were sent.",
    stability: "STABLE",
    labels: shared,
    buckets: answerBytes,
  });
  const bodies = metrics.histogram({
    name: "apiserver_request_body_size_bytes",
    help: "Bytes of the bodies of writes.",
    stability: "ALPHA",
    labels: ["group", "resource", "verb"],
    buckets: bodyBytes,
  });
  const fields = metrics.histogram({
    name: "field_validation_request_duration_seconds",
    help: "Time of writes by what they say of unknown fields.",
    stability: "ALPHA",
    labels: ["field_validation"],
    buckets: sliDurations,
  });
  const terminations = metrics.counter({
    name: "apiserver_request_terminations_total",
    help: "Requests that the server gave up to protect itself: refused by flow control, or out of time.",
    stability: "ALPHA",
    labels: [...shared, "code"],
  });
  const aborts = metrics.counter({
    name: "apiserver_request_aborts_total",
    help: "Requests whose clients went away before they were answered.",
    stability: "ALPHA",
    labels: ["verb", "group", "version", "resource", "subresource", "scope"],
  });
  const lasting = metrics.gauge({
    name: "apiserver_longrunning_requests",
    help: "Watches, logs that are followed, and connections to pods and nodes that are open.",
    stability: "STABLE",
    labels: shared,
  });
  const deprecated = metrics.gauge({
    name: "apiserver_requested_deprecated_apis",
    help: "1 for each deprecated version of a resource that was asked for, with the release that removes it.",
    stability: "STABLE",
    labels: ["group", "version", "resource", "subresource", "removed_release"],
    join: "ever",
  });
  const known = new Map<string, Series>();
  const open = new Map<string, GaugeSeries>();
  const newSeries = ({ dryRun: dry_run, code, fieldValidation, ...about }: RequestLabels): Series => {
    const { verb, group, resource } = about;
    const of = { ...about, component };
    const isRead = reads.has(verb) && resource !== "";
    const written = resource === "" ? undefined : bodyVerbs[verb];
    return {
      count: total.with({ ...of, code, dry_run }),
      duration: seconds.with({ ...of, dry_run }),
      sli: verb === "WATCH" || verb === "CONNECT" ? undefined : sli.with(of),
      answer: isRead ? answers.with(of) : undefined,
      body: written === undefined ? undefined : bodies.with({ group, resource, verb: written }),
      fields: fieldValidation === "" ? undefined : fields.with({ field_validation: fieldValidation }),
      terminated: isTermination(about, code) ? terminations.with({ ...of, code }) : undefined,
      aborted: code === unanswered ? aborts.with(about) : undefined,
    };
  };
  return {
    forget({ group, resource }) {
      for (const metric of [total, seconds, sli, answers, terminations, aborts, lasting, deprecated]) {
        metric.drop({ group, resource });
      }
      bodies.drop({ group, resource });
      // Those of others are found again.
      known.clear();
      open.clear();
    },
    deprecated: (labels) => deprecated.with(labels).set(1),
    lasting(labels) {
      const { verb, group, version, resource, subresource, scope } = labels;
      const id = `${verb} ${group} ${version} ${resource} ${subresource} ${scope}`;
      const series = open.get(id) ?? lasting.with({ ...labels, component });
      open.set(id, series);
      series.add(1);
      return () => series.add(-1);
    },
    observe(id, labels, told) {
      let series = known.get(id);
      if (series === undefined) {
        series = newSeries(labels());
        known.set(id, series);
      }
      observed(series, told);
    },
  };
}

const component = "apiserver";
/** The code of a request that was never answered. */
const unanswered = "0";

/** A 429 about an object is an answer, not an end: pods that must stay are not evicted. */
function isTermination({ resource, subresource }: SharedLabels, code: string): boolean {
  return code === "504" || (code === "429" && !(resource === "pods" && subresource === "eviction"));
}

function observed(series: Series, { milliseconds, waitedMs, sent, received }: Told): void {
  const took = milliseconds / 1000;
  series.count.inc();
  series.duration.observe(took);
  if (series.sli !== undefined) {
    series.sli.observe(waitedMs === 0 ? took : Math.max(0, milliseconds - waitedMs) / 1000);
  }
  series.answer?.observe(sent);
  series.body?.observe(received);
  series.fields?.observe(took);
  series.terminated?.inc();
  series.aborted?.inc();
}
