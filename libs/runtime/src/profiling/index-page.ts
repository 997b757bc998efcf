/** What there is below `/debug/pprof/`, by name. */
export const descriptions = {
  allocs: "All memory that JavaScript of the main thread allocates within ?seconds=N (default 10).",
  cmdline: "The command line of this process, its words separated by NUL.",
  heap: "Memory that JavaScript of the main thread allocates within ?seconds=N (default 10) and that is still in use then.",
  profile: "CPU time of the main thread within ?seconds=N (default 30).",
} as const;

/** The page that lists the profiles. */
export function indexPage(): string {
  const rows = Object.entries(descriptions).map(([name, text]) => `<li><a href="${name}">${name}</a>: ${text}</li>`);
  return `<!DOCTYPE html>
<html>
<head><meta charset="utf-8"><title>/debug/pprof/</title></head>
<body>
<h1>/debug/pprof/</h1>
<p>Profiles are profile.proto, gzipped, as <code>go tool pprof</code> reads it. One is taken at a time.</p>
<ul>
${rows.join("\n")}
</ul>
</body>
</html>
`;
}
