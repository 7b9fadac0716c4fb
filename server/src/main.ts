#!/usr/bin/env node
import { runCli } from "./cli/run.ts";

// The time of a start is measured from here. `npm start` sets its own mark, after the build.
performance.mark("gatehouse");
process.exitCode = await runCli(process.argv.slice(2));
