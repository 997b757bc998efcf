import assert from "node:assert/strict";
import { generateKeyPairSync } from "node:crypto";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { decodeJwt } from "jose";
import { connect, type Http } from "./harness/http.js";
import { type Account, ask, bearer, freshAccount, review, tokenOf, whoIs } from "./harness/service-accounts.js";
import { assertFailure, done } from "./harness/status.js";
import { newFolder, removeFolder, startStandalone } from "./harness/target.js";

describe("service accounts by flags", () => {
  const secondIssuer = "https://second.example.com";
  let folder: string;
  before(async () => {
    folder = await newFolder();
  });
  after(() => removeFolder(folder));

  async function on<T>(flags: readonly string[], run: (http: Http) => Promise<T>): Promise<T> {
    const target = await startStandalone({ dataDir: folder, args: ["--secure-port=0", ...flags] });
    const http = connect(target);
    try {
      return await run(http);
    } finally {
      http.close();
      await target.stop();
    }
  }

  test("tokens outlive a change of key and issuer while both are named, and no longer", async () => {
    const key = join(folder, "second.key");
    const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
    await writeFile(key, privateKey.export({ type: "pkcs8", format: "pem" }), { mode: 0o600 });
    let account: Account | undefined;
    const first = await on([], async (http) => {
      account = await freshAccount(http);
      return tokenOf(http, account);
    });
    const second = [
      `--service-account-issuer=${secondIssuer}`,
      `--service-account-signing-key-file=${key}`,
      "--service-account-max-token-expiration=1h",
      "--service-account-jwks-uri=https://keys.example.com/openid/v1/jwks",
      "--api-audiences=front,back",
    ];
    const firstIssuer = decodeJwt(first).iss ?? "";
    const own = join(folder, "pki", "service-accounts.key");
    const both = [
      ...second,
      `--service-account-issuer=${firstIssuer}`,
      `--service-account-key-file=${key}`,
      `--service-account-key-file=${own}`,
      `--api-audiences=${firstIssuer}`,
    ];
    const token = await on(both, async (http) => {
      assert.ok(account !== undefined);
      await done(whoIs(http, first));
      const answer = await ask(http, account, { expirationSeconds: 7200 });
      assert.equal(answer.at("spec.expirationSeconds"), 3600, answer.text);
      assert.equal(answer.headers["warning"], '299 - "requested expiration of 7200 seconds shortened to 3600 seconds"');
      assert.deepEqual(answer.at("spec.audiences"), ["front", "back", firstIssuer]);
      const made = String(answer.at("status.token"));
      assert.equal(decodeJwt(made).iss, secondIssuer);
      await done(whoIs(http, made));
      const configuration = await done(http.call({ path: "/.well-known/openid-configuration", as: bearer(made) }));
      assert.equal(configuration.at("issuer"), secondIssuer);
      assert.equal(configuration.at("jwks_uri"), "https://keys.example.com/openid/v1/jwks");
      assert.deepEqual(configuration.at("id_token_signing_alg_values_supported"), ["ES256", "RS256"]);
      const back = await tokenOf(http, account, { audiences: ["back"] });
      await done(whoIs(http, back));
      assert.deepEqual((await review(http, back)).at("status.audiences"), ["back"]);
      return made;
    });
    await on([...second, `--service-account-key-file=${key}`], async (http) => {
      await done(whoIs(http, token));
      assertFailure(await whoIs(http, first), { code: 401, reason: "Unauthorized" });
    });
  });
});
