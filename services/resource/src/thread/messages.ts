import type { DefinitionText } from "@orch/api/custom/definition-text.js";
import type { Features } from "@orch/api/features.js";
import type { AnyObject } from "@orch/api/object.js";
import type { Attributes, Decision } from "@orch/auth/authorizer.js";
import type { UserRules } from "@orch/auth/rules.js";
import type { UserInfo } from "@orch/auth/user.js";
import type { HistoryPolicy } from "@orch/history/rules.js";
import type { Dialect } from "@orch/naming/naming.js";
import type { LargePrint } from "@orch/render/large-print.js";
import type { WriteReply, WriteRequest } from "@orch/rpc/messages.js";
import type { ResourceName } from "@orch/status/api-error.js";
import type { SpanContext } from "@orch/status/span.js";
import type { Key, Revision } from "@orch/store/revision.js";
import type { Change, Entry, Range, RangeQuery, Swap } from "@orch/store/store.js";
import type { BucketQuestion } from "../admission/event-rate-limit/buckets.js";
import type { PluginSettings } from "../admission/flags.js";
import type { Taken } from "../allocation/allocations.js";
import type { Mirrored } from "../mirror.js";
import type { SpanStep } from "./span-steps.js";

/** What the thread's catalog and rules are made of: the same as this process's. */
export interface ThreadSettings {
  readonly dialect: Dialect;
  readonly storePrefix: string;
  readonly release: string;
  readonly runtimeConfig: readonly string[];
  readonly cbor: boolean;
  readonly admission: PluginSettings;
  readonly ipFamilies: readonly string[];
  readonly rangesAreObjects: boolean;
  readonly features: Features;
  readonly history: HistoryPolicy | undefined;
}

export type Job =
  /** `id` tells writes apart whose questions come back. */
  | {
      readonly type: "write";
      readonly id: number;
      readonly request: WriteRequest;
      readonly mirrored: Mirrored;
      /** Of a kind that is not built in. */
      readonly definition: DefinitionText | undefined;
      /** Of a write that is stored together with others. */
      readonly staging: { readonly status: unknown } | undefined;
      /** Of its span, where it is traced. */
      readonly trace: SpanContext | undefined;
    }
  | { readonly type: "print"; readonly print: LargePrint };

export type Result =
  | { readonly type: "reply"; readonly reply: WriteReply }
  | { readonly type: "bytes"; readonly bytes: Uint8Array };

/** What a write has to know of the world: the store and the mirrors stay in the main thread. */
export type Question =
  | { readonly type: "get"; readonly key: Key }
  | { readonly type: "range"; readonly query: RangeQuery }
  | { readonly type: "revision"; readonly near: Key | undefined }
  | { readonly type: "swap"; readonly write: number; readonly change: Change }
  | {
      readonly type: "take";
      readonly write: number;
      readonly service: AnyObject;
      readonly old: AnyObject | undefined;
      readonly dryRun: boolean;
    }
  | { readonly type: "settle"; readonly write: number; readonly outcome: Outcome }
  | { readonly type: "removed"; readonly service: AnyObject }
  | { readonly type: "admitCreate"; readonly namespace: string; readonly object: Creation }
  | { readonly type: "authorize"; readonly write: number; readonly attributes: Attributes }
  | { readonly type: "span"; readonly write: number; readonly step: SpanStep }
  | { readonly type: "tokens"; readonly questions: readonly BucketQuestion[] }
  | { readonly type: "rulesFor"; readonly user: UserInfo; readonly namespace: string };

/** What became of a service that was given numbers. */
export type Outcome = Parameters<Taken["settle"]>[0];

export interface Creation {
  readonly resource: ResourceName;
  readonly name: string;
  readonly dryRun?: boolean;
}

export type Answer =
  | { readonly type: "entry"; readonly entry: Entry | undefined }
  | { readonly type: "range"; readonly range: Range }
  | { readonly type: "revision"; readonly revision: Revision }
  | { readonly type: "swap"; readonly swap: Swap }
  /** The service with its numbers. */
  | { readonly type: "taken"; readonly service: AnyObject }
  | { readonly type: "settled" }
  | { readonly type: "admitted" }
  | { readonly type: "tokens"; readonly taken: readonly boolean[] }
  | { readonly type: "decision"; readonly decision: Decision }
  | { readonly type: "rules"; readonly rules: UserRules };
