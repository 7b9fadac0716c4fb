// Known browsers: those that users have signed in with, identified by a cookie. Owns `known_devices`.
// A first sign-in with a browser is mailed to the user; a trusted one is not asked again for what was proven when the trust began.
export { endAllTrust, endTrust, forgetBrowser, noteBrowser } from "./service.ts";
export { deleteExpiredBrowsers, findTrustedBy, isBrowserOf, knownBrowser, listBrowsers } from "./store.ts";
