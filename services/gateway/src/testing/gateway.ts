import { learnDefinition } from "@orch/access/learn-definition.js";
import { type Catalog, type CatalogOptions, loadCatalog } from "@orch/api/catalog.js";
import { createLiveCatalog } from "@orch/api/custom/live-catalog.js";
import type { Authorizer } from "@orch/auth/authorizer.js";
import { alwaysAllow, groupMayAll } from "@orch/auth/fixed-authorizers.js";
import type { UserInfo } from "@orch/auth/user.js";
import {
  createNegotiator,
  customOffers,
  discoveryTransforms,
  objectOffers,
  objectTransforms,
  tablelessTransforms,
} from "@orch/codec/negotiate.js";
import { createNaming, type Naming } from "@orch/naming/naming.js";
import { type BodyReader, createBodyReader } from "@orch/render/testing/read-body.js";
import { createInProcess } from "@orch/rpc/in-process.js";
import type { Chunk } from "@orch/rpc/messages.js";
import { resourceAdmit, resourceWrite, watchCacheGet, watchCacheList, watchCacheWatch } from "@orch/rpc/methods.js";
import { createPacer } from "@orch/rpc/pacer.js";
import type { Caller, Sender } from "@orch/rpc/rpc.js";
import { notFound } from "@orch/status/api-error.js";
import { noOtherApis, type OtherApis } from "../aggregation/other-apis.js";
import type { PassOn } from "../aggregation/proxy.js";
import type { Reached } from "../call.js";
import { noSeats } from "../flow/seats.js";
import type { Serve } from "../http/exchange.js";
import type { ScopedReads } from "../identity/identity.js";
import { listsOf } from "../kept-lists.js";
import { createLayouts } from "../layout/layouts.js";
import type { DeprecatedLabels, RequestLabels } from "../metrics/metrics.js";
import type { NodeWay } from "../nodes/node-way.js";
import { createErrorEvents } from "../permitted/error-event.js";
import { createPipeline } from "../pipeline.js";
import { createResponder } from "../respond.js";
import { createReviews, type ReviewDeps } from "../reviews/reviews.js";
import { servedParts } from "../service.js";
import { type Answered, type FakeRequest, fakeExchange } from "./fake-exchange.js";

export interface TestGatewayOptions extends CatalogOptions {
  /** Of the `orch` dialect where absent. */
  readonly naming?: Naming;
  /** Loaded as the other options say where absent. */
  readonly catalog?: Catalog;
  /** Answer a fixed body where absent. */
  readonly caches?: () => Caller;
  readonly resources?: () => Caller;
  /** A second where absent. */
  readonly requestTimeoutMs?: number;
  /** Whom everybody is taken for; allowed everything where absent. */
  readonly user?: UserInfo;
  readonly authorizer?: Authorizer;
  readonly reviews?: Partial<ReviewDeps>;
  /** None where absent. */
  readonly apis?: OtherApis;
  readonly proxy?: PassOn;
  readonly nodeWay?: NodeWay;
  readonly listExtensions?: boolean;
  readonly scoped?: ScopedReads;
}

/** What it was asked, and what it noted on the way. */
export interface TestGateway {
  ask(request: FakeRequest): Promise<Answered>;
  readonly serve: Serve;
  /** In which form the services behind it were asked. */
  readonly forms: readonly string[];
  readonly deprecated: readonly DeprecatedLabels[];
  readonly observed: readonly RequestLabels[];
  readonly faults: readonly { readonly call: Reached; readonly error: unknown }[];
  readonly reader: BodyReader;
}

const ann: UserInfo = { name: "ann", uid: "", groups: ["all"], extra: {} };

/** A pipeline before services that answer a fixed body and note in which form they were asked for it. */
export function testGateway(options: TestGatewayOptions = {}): TestGateway {
  const { naming = createNaming("orch"), user = ann, authorizer = groupMayAll("all") } = options;
  const { catalog = loadCatalog(naming, options) } = options;
  const deprecated: DeprecatedLabels[] = [];
  const observed: RequestLabels[] = [];
  const faults: { call: Reached; error: unknown }[] = [];
  const { caller, forms } = fixedServices();
  const offers = objectOffers(naming, { cbor: true });
  const negotiator = createNegotiator(offers, objectTransforms(naming));
  const pacer = createPacer(setImmediate);
  const layouts = createLayouts(pacer);
  const respond = createResponder((kind) => catalog.type(`meta/v1.${kind}`), layouts);
  const live = createLiveCatalog(catalog);
  const serve = createPipeline({
    catalog: live,
    learn: (target) => learnDefinition({ caches: options.caches ?? (() => caller), catalog: live }, target),
    naming,
    apis: options.apis ?? noOtherApis(),
    proxy: options.proxy ?? (() => Promise.reject(new TypeError("not asked for here"))),
    nodeWay: options.nodeWay ?? (() => Promise.reject(new TypeError("not asked for here"))),
    negotiator,
    customNegotiator: createNegotiator(customOffers(offers), objectTransforms(naming)),
    tablelessNegotiator: createNegotiator(offers, tablelessTransforms(naming)),
    discoveryNegotiator: createNegotiator(offers, discoveryTransforms(naming)),
    respond,
    authorizer,
    hasHistory: () => false,
    metaGroup: naming.metaGroup,
    identity: {
      naming,
      authenticator: { authenticate: () => ({ outcome: "allow", user }) },
      anonymous: () => undefined,
      failedLogins: { blocked: () => undefined, failed: () => {}, worked: () => {} },
      authorizer,
      scoped: options.scoped,
    },
    limiter: { enter: () => noSeats },
    pacer,
    layouts,
    caches: options.caches ?? (() => caller),
    openList: listsOf(options.caches ?? (() => caller)),
    resources: options.resources ?? (() => caller),
    requestTimeoutMs: options.requestTimeoutMs ?? 1000,
    gzip: true,
    minRequestTimeoutMs: 1000,
    random: () => 0,
    openWatches: new Set(),
    delivered: () => {},
    listExtensions: options.listExtensions ?? false,
    permitted: options.scoped?.permitted,
    errorEvent: createErrorEvents(catalog, naming),
    served: servedParts({ podResize: false, storageVersionHash: true }),
    reviews: createReviews({
      naming,
      catalog,
      negotiator,
      respond,
      authorizer,
      tokens: { authenticateToken: () => ({ outcome: "none" }) },
      apiAudiences: [],
      rules: alwaysAllow,
      now: () => Date.UTC(2025, 0, 2, 3, 4, 5, 678),
      resources: options.resources ?? (() => caller),
      requestTimeoutMs: 1000,
      monotonic: () => 0,
      ...options.reviews,
    }),
    metrics: {
      observe: (_id, labels) => void observed.push(labels()),
      deprecated: (labels) => void deprecated.push(labels),
      lasting: () => () => {},
      forget: () => {},
    },
    other: () => Promise.reject(new TypeError("not asked for here")),
    onFault: (call, error) => void faults.push({ call, error }),
    now: () => 0,
  });
  const ask = async (request: FakeRequest): Promise<Answered> => {
    const exchange = fakeExchange(request);
    serve(exchange);
    const answer = await exchange.answered;
    // A request is recorded after its answer.
    await new Promise((resolve) => setImmediate(resolve));
    return answer;
  };
  return { ask, serve, forms, deprecated, observed, faults, reader: createBodyReader(catalog) };
}

function fixedServices(): { readonly caller: Caller; readonly forms: readonly string[] } {
  const { services, caller } = createInProcess();
  const forms: string[] = [];
  const body = Buffer.from('{"kind":"Fixed"}\n');
  services.unary(watchCacheGet, ({ resource, name, form }) => {
    // Nobody defined anything.
    if (resource === "customresourcedefinitions") throw notFound({ group: "", resource }, name);
    forms.push(form);
    return { body };
  });
  const stream = ({ form }: { readonly form: string }, sender: Sender<Chunk>): void => {
    forms.push(form);
    sender.send({ body });
    sender.end();
  };
  services.stream(watchCacheList, stream);
  services.stream(watchCacheWatch, stream);
  services.unary(resourceWrite, ({ form }) => {
    forms.push(form);
    return { code: 201, body, warnings: ["unknown field"] };
  });
  services.unary(resourceAdmit, () => ({ code: 201, body: Buffer.alloc(0), warnings: [] }));
  return { caller, forms };
}
