// A setup file: vitest runs it for each journey, although journeys share a process and what it has loaded.
import { afterAll } from "vitest";
import { endEverything } from "./process.ts";

afterAll(endEverything);
