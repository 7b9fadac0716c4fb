/**
 * The engine prints a warning on Node 20 when it is imported. The tests run there, so the warning is suppressed. This module must be imported before
 * the engine: it is the first import of on-demand.ts.
 */
const { warn } = console;
console.warn = (...words: unknown[]) => {
  if (!String(words[0]).includes("oidc-provider WARNING: Unsupported runtime")) warn(...words);
};
