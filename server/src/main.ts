#!/usr/bin/env node
import { runCli } from "./cli/run.ts";

// `npm start` may have built first, in this very process: what a start takes is counted from here.
performance.mark("gatehouse");
process.exitCode = await runCli(process.argv.slice(2));
