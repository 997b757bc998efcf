import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { ApiObject } from "@orch/client/objects.js";
import { createNaming } from "@orch/naming/naming.js";
import { type Credentials, connect, type Http, type Query, valueAt } from "./harness/http.js";
import {
  type AccessWebhook,
  allow,
  deny,
  type Reply,
  silent,
  startAccessWebhook,
} from "./harness/servers/access-webhook.js";
import { assertFailure, done } from "./harness/status.js";
import { startStandalone, type Target } from "./harness/target.js";
import { until } from "./harness/until.js";

const maps = "/api/v1/configmaps";
const permitted = { scope: "permitted" };
const places = ["a", "b", "c"] as const;
const user = (name: string): Credentials => ({ type: "user", name, groups: ["system:authenticated"] });

const namesOf = (items: readonly ApiObject[]): readonly string[] =>
  items
    .map(({ metadata: { namespace = "", name = "" } }) => `${namespace}/${name}`)
    .filter((key) => !key.startsWith("orch-system/"));

/** Allows these namespaces, and has no opinion of others. */
const allows =
  (...namespaces: readonly string[]) =>
  (review: unknown): Reply =>
    namespaces.includes(String(valueAt(review, "spec.resourceAttributes.namespace"))) ? allow : silent;

for (const modes of ["Webhook", "Webhook,RBAC"]) {
  describe(`lists of what one may see with the authorizers ${modes}`, () => {
    let webhook: AccessWebhook;
    let target: Target;
    let http: Http;
    before(async () => {
      webhook = await startAccessWebhook(createNaming("orch"));
      const access = [`--authorization-mode=${modes}`, `--authorization-webhook-config-file=${webhook.configFile}`];
      const unkept = ["authorized", "unauthorized"].map((what) => `--authorization-webhook-cache-${what}-ttl=0s`);
      target = await startStandalone({ dialect: "orch", args: [...access, ...unkept, "--controllers="] });
      http = connect(target);
      for (const name of places) {
        await done(http.post("/api/v1/namespaces", { metadata: { name } }));
        await done(http.post(`/api/v1/namespaces/${name}/configmaps`, { metadata: { name: "m" } }));
      }
    });
    after(async () => {
      http?.close();
      await target?.stop();
      await webhook?.close();
    });

    const list = (who: string, query: Query = {}) =>
      http.call({ path: maps, query: { ...permitted, ...query }, as: user(who) });
    const seen = async (who: string) => namesOf((await done(list(who))).items());

    test("the webhook is asked of every namespace, and tells which are shown", async () => {
      webhook.replies.set("bob", allows("a", "c"));
      assert.deepEqual(await seen("bob"), ["a/m", "c/m"]);
      const asked = webhook
        .askedOf("bob")
        .map(({ body }) => String(valueAt(body, "spec.resourceAttributes.namespace") ?? ""));
      for (const place of ["", ...places]) assert.ok(asked.includes(place), `${place} of ${asked.join()}`);
      const before = webhook.askedOf("bob").length;
      assert.deepEqual(await seen("bob"), ["a/m", "c/m"]);
      assert.equal(webhook.askedOf("bob").length, before + 1, "what is kept is not asked again, but for the whole");
      assert.deepEqual(await seen("nobody"), []);
      webhook.replies.set("whole", allow);
      assert.deepEqual(await seen("whole"), ["a/m", "b/m", "c/m"]);
      webhook.replies.set("none", deny("no"));
      assert.deepEqual(await seen("none"), []);
    });

    test("where it gives no answer about one namespace the list is refused, and does not lack what is there", async () => {
      const broken: Reply = { code: 500, text: "" };
      const only = allows("a");
      webhook.replies.set("ann", (review) =>
        valueAt(review, "spec.resourceAttributes.namespace") === "b" ? { ...broken, code: 400 } : only(review),
      );
      const refused = await list("ann");
      assertFailure(refused, { code: 503, reason: "ServiceUnavailable", message: /cannot be told what may be seen/ });
      assert.doesNotMatch(refused.text, /"b"|namespace/);
      const watch = await http.call({ path: maps, query: { ...permitted, watch: true }, as: user("ann") });
      assertFailure(watch, { code: 503, reason: "ServiceUnavailable" });
      webhook.replies.set("ann", only);
      assert.deepEqual(await seen("ann"), ["a/m"]);
    });

    test("a watch shows what the webhook allows, and gains what a binding gives where RBAC is asked, too", async () => {
      webhook.replies.set("eve", allows("a"));
      const watch = await http.watch(maps, { ...permitted, allowWatchBookmarks: true }, undefined, user("eve"));
      const types = async (count: number) =>
        (await watch.take(count)).map(({ type, object }) => [type, namesOf([object])[0]]);
      assert.deepEqual(await types(2), [
        ["ADDED", "a/m"],
        ["BOOKMARK", "/"],
      ]);
      if (modes.includes("RBAC")) {
        const apiGroup = target.naming.group("rbac.authorization");
        await done(
          http.post(`/apis/${apiGroup}/v1/namespaces/b/rolebindings`, {
            metadata: { name: "eve" },
            roleRef: { apiGroup, kind: "ClusterRole", name: "view" },
            subjects: [{ apiGroup, kind: "User", name: "eve" }],
          }),
        );
        assert.deepEqual(await types(2), [
          ["ADDED", "b/m"],
          ["BOOKMARK", "/"],
        ]);
        await until("a list of both", async () => ((await seen("eve")).join() === "a/m,b/m" ? true : undefined));
      }
      for (const place of ["c", "a"])
        await done(http.post(`/api/v1/namespaces/${place}/configmaps`, { metadata: { name: "n" } }));
      assert.deepEqual(await types(1), [["ADDED", "a/n"]]);
      watch.close();
    });
  });
}
