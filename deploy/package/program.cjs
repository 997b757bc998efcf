#!/usr/bin/env node
// In the words of the oldest Node that may come here: what follows would fail there with a sentence about syntax.
"use strict";
var oldest = "OLDEST".split(".").map(Number);
var own = process.versions.node.split(".").map(Number);
var older = own[0] < oldest[0] || (own[0] === oldest[0] && own[1] < oldest[1]);
if (older) {
  process.stderr.write(`NAME: needs Node OLDEST or newer, and this is ${process.version} (${process.execPath})\n`);
  process.exit(1);
}
import("../lib/FILE");
