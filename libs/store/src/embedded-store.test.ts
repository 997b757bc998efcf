import { storeConformance } from "./conformance/conformance.js";
import { openEmbeddedFixture } from "./testing/embedded-fixture.js";

storeConformance({ name: "the embedded store", open: openEmbeddedFixture });
