// One dot a passed test, a full account of each failed or skipped one, and a last line with the totals.
export default async function* reporter(source) {
  let passed = 0;
  let failed = 0;
  let skipped = 0;
  let dots = 0;
  const failures = [];
  for await (const { type, data } of source) {
    if (type === "test:stderr") yield data.message;
    if (type !== "test:pass" && type !== "test:fail") continue;
    // A file or a suite is not a test of its own, unless it failed for itself.
    if (data.details?.type === "suite") continue;
    if (type === "test:pass" && data.skip !== undefined) {
      skipped += 1;
      yield `\nskipped: ${data.name} (${data.skip === true ? "no reason given" : data.skip})\n`;
    } else if (type === "test:pass") {
      if (data.name === data.file) continue;
      passed += 1;
      dots += 1;
      yield dots % 100 === 0 ? ".\n" : ".";
    } else {
      failed += 1;
      failures.push(data);
      yield "F";
    }
  }
  yield "\n";
  for (const { name, file, line, details } of failures) {
    const error = details?.error?.cause ?? details?.error;
    yield `\nFAILED: ${name}\n  at ${file ?? "?"}:${line ?? "?"}\n${String(error?.stack ?? error).replace(/^/gm, "    ")}\n`;
  }
  yield `#totals ${passed} ${failed} ${skipped}\n`;
}
