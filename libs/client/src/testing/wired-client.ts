import type { TestContext } from "node:test";
import type { ClientConfig } from "../config.js";
import { type Client, createClient } from "../http/http.js";
import { testCertificate } from "./test-certificate.js";
import { startWireServer, type WireServer } from "./wire-server.js";

/** A server and a client of it that end with the test. */
export async function wiredClient(
  t: TestContext,
  config: Partial<ClientConfig> = {},
): Promise<{ readonly server: WireServer; readonly client: Client }> {
  const server = await startWireServer();
  const client = createClient({
    server: server.url,
    namespace: "default",
    ca: testCertificate,
    insecureSkipTlsVerify: false,
    ...config,
  });
  t.after(async () => {
    await client.close();
    await server.close();
  });
  return { server, client };
}
