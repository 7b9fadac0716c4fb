// Known devices: the browsers that people have signed in with, by a cookie of their own. Owns `known_devices`.
// Mail about a browser that was never used before, and no second factor in those that people said to trust.
export {
  endAllTrust,
  endTrust,
  forgetBrowser,
  isTrusted,
  type KnownDeviceParts,
  knownBrowser,
  noteBrowser,
  type SignedInWith,
} from "./service.ts";
export { deleteExpiredBrowsers, type KnownBrowser, listBrowsers } from "./store.ts";
