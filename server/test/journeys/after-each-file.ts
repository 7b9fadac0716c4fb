// A setup file, which vitest runs for each file of journeys, although journeys share a process and its loaded modules.
import { afterAll } from "vitest";
import { endEverything } from "./process.ts";

afterAll(endEverything);
