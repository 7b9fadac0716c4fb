// Known browsers: browsers with which users have signed in, identified by a cookie. Owns `known_devices`.
// A first sign-in with a browser is mailed to the user. A trusted browser is not asked again for the proofs with which the trust began.
export { endAllTrust, endTrust, forgetBrowser, noteBrowser } from "./service.ts";
export { deleteExpiredBrowsers, findTrustedBy, isBrowserOf, knownBrowser, listBrowsers } from "./store.ts";
