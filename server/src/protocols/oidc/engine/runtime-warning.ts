/**
 * When it is loaded, the engine complains of Node 20 on standard error. It was tried there, and no command of ours should begin with that
 * line. This has to be loaded before the engine, so it stands first in this folder's index.
 */
const { warn } = console;
console.warn = (...words: unknown[]) => {
  if (!String(words[0]).includes("oidc-provider WARNING: Unsupported runtime")) warn(...words);
};
