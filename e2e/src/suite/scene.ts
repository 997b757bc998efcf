import type { Http } from "../harness/http.js";
import type { Target } from "../harness/target.js";

/** What a test of the suite acts on; asked for inside of tests, since it is there only once they run. */
export interface Scene {
  readonly target: Target;
  /** Takes turns among the gateways, so that nothing works only because one process did all of it. */
  readonly http: Http;
}

export type On = () => Scene;
