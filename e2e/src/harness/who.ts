import assert from "node:assert/strict";
import type { TestContext } from "node:test";
import { type Answer, type Ask, programs, run, type Server } from "../command-line-program.js";
import { valueAt } from "./http.js";
import { until } from "./until.js";

/** A server that is asked who is who, and what was told to it that it must keep for itself. */
export interface Witness {
  /** Remembers a token, and its parts, as something that is never to be read anywhere. */
  secret(token: string): string;
  ask(path: string, ask: Ask): Promise<Answer>;
  /** `ann [a,b]` as the server has it; the code of a refusal. A token counts as a secret. */
  who(ask: Ask): Promise<string>;
  /** The user of a review. */
  user(ask: Ask): Promise<unknown>;
  /** A 401 that tells nothing but that. */
  refuses(ask: Ask, why: string): Promise<void>;
  /** Looks for secrets in the log, the metrics and everything that was answered. */
  assertUntold(): Promise<void>;
}

const reviews = "/apis/authentication.k8s.io/v1/selfsubjectreviews";
const review: Ask = {
  method: "POST",
  // Bytes: node's client writes headers in the encoding of a text.
  body: Buffer.from(JSON.stringify({ apiVersion: "authentication.k8s.io/v1", kind: "SelfSubjectReview" })),
};
const json = { "Content-Type": "application/json" };
/** What is shorter may stand somewhere by chance. */
const leastLength = 12;

/** The server's log is to be as wordy as it can: `-v=6`. */
export function witnessOf(server: Server): Witness {
  const secrets = new Set<string>([server.token]);
  const answers: string[] = [];
  let refusals = 0;
  const secret = (token: string): string => {
    for (const each of [token, ...token.split(".")]) if (each.length >= leastLength) secrets.add(each);
    return token;
  };
  const ask = async (path: string, asked: Ask): Promise<Answer> => {
    if (asked.token !== undefined) secret(asked.token);
    const answer = await server.ask(path, asked);
    answers.push(`${answer.rawHeaders.join(" ")} ${answer.body}`);
    if (answer.status === 401 && asked.token !== "") refusals++;
    return answer;
  };
  const reviewed = (asked: Ask): Promise<Answer> =>
    ask(reviews, { ...review, ...asked, headers: { ...json, ...asked.headers } });
  return {
    secret,
    ask,
    async who(asked) {
      const { status, body } = await reviewed(asked);
      if (status !== 201) return String(status);
      const user = valueAt(JSON.parse(body), "status.userInfo");
      const groups = valueAt(user, "groups");
      return `${valueAt(user, "username")} [${Array.isArray(groups) ? groups.join() : ""}]`;
    },
    async user(asked) {
      const { status, body } = await reviewed(asked);
      assert.equal(status, 201, body);
      return valueAt(JSON.parse(body), "status.userInfo");
    },
    async refuses(asked, why) {
      const { status, headers, body } = await reviewed(asked);
      assert.equal(status, 401, `${why}: ${body}`);
      assert.match(headers["www-authenticate"] ?? "", /^Bearer/, why);
      assert.deepEqual(
        JSON.parse(body),
        {
          ...{ kind: "Status", apiVersion: "v1", metadata: {}, status: "Failure" },
          ...{ message: "Unauthorized", reason: "Unauthorized", code: 401 },
        },
        why,
      );
    },
    async assertUntold() {
      assert.ok(refusals > 0);
      await until("the log tells of every refusal", () => {
        const lines = server.errors().split('"credentials are refused"').length - 1;
        return lines >= refusals ? true : undefined;
      });
      const metrics = (await server.ask("/metrics")).body;
      const places = { log: server.errors(), metrics, answers: answers.join("\n") };
      for (const [place, text] of Object.entries(places)) {
        for (const each of secrets) assert.ok(!text.includes(each), `${each} stands in the ${place}`);
      }
    },
  };
}

/** What a server that does not start with these flags says. */
export async function refusalToStart(t: TestContext, folder: string, args: readonly string[]): Promise<string> {
  const running = run(t, [
    programs.standalone,
    `--data-dir=${folder}`,
    "--secure-port=0",
    "--api-dialect=kubernetes",
    ...args,
  ]);
  const { code } = await running.exit;
  assert.notEqual(code, 0, running.output());
  return running.errors();
}
