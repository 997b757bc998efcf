// Watchers that begin together, again and again: node client.js HOST PORT TOKEN PATH WATCHERS OBJECTS
// Writes a line for each round: how many milliseconds it took until all had everything that there was at its start.
import { request } from "node:https";

const [host = "", port = "", token = "", path = "", watchers = "1", objects = "1"] = process.argv.slice(2);
const newline = 0x0a;

/** Settles once a watch has told so many events; gives how to end it. */
function begin(): Promise<() => void> {
  return new Promise((resolve, reject) => {
    let seen = 0;
    const headers = { authorization: `Bearer ${token}` };
    const asked = request({ host, port, path, headers, rejectUnauthorized: false, agent: false }, (response) => {
      response.on("data", (part: Buffer) => {
        for (let at = part.indexOf(newline); at >= 0; at = part.indexOf(newline, at + 1)) seen++;
        if (seen >= Number(objects)) resolve(() => asked.destroy());
      });
    });
    asked.on("error", reject);
    asked.end();
  });
}

for (;;) {
  const began = performance.now();
  const ends = await Promise.all(Array.from({ length: Number(watchers) }, begin));
  process.stdout.write(`${(performance.now() - began).toFixed(0)}\n`);
  for (const end of ends) end();
}
