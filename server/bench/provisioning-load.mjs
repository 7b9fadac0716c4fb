// A provisioning client that reads, in its own process, so that its work does not count as the server's.
import { userIdOf, usernameOf } from "./directory-data.mjs";
import { requestSlice } from "./requests.mjs";
import { serve } from "./slices.mjs";

/** @typedef {{ origin: string, realm: string, tokens: string[], users: number, cursors: string[] }} Target */

let sent = 0;

/** Returns the user of the next request. Requests spread over all users, so that caches do not help more than in reality. @param {Target} target */
const anyUser = ({ users }) => 1 + ((sent * 7919 + 13) % users);
const filtered = (/** @type {string} */ filter) => `/Users?filter=${encodeURIComponent(filter)}`;
const ONE = '"totalResults":1,';
const HUNDRED = '"itemsPerPage":100,';

/** @type {Record<string, { path: (target: Target) => string, holds: string }>} */
const kinds = {
  "scim-get": { path: (target) => `/Users/${userIdOf(anyUser(target))}`, holds: '"userName"' },
  "scim-username": { path: (target) => filtered(`userName eq "${usernameOf(anyUser(target))}"`), holds: ONE },
  "scim-external": { path: (target) => filtered(`externalId eq "external-${anyUser(target)}"`), holds: ONE },
  "scim-mail": {
    path: (target) => filtered(`emails[type eq "work"].value eq "${usernameOf(anyUser(target))}@example.com"`),
    holds: ONE,
  },
  "scim-first": { path: () => "/Users?count=100&cursor=", holds: HUNDRED },
  "scim-deep": {
    path: ({ cursors }) => `/Users?count=100&cursor=${cursors[(sent * 7919) % cursors.length]}`,
    holds: HUNDRED,
  },
};

serve((/** @type {{ row: string, target: Target, seconds: number, connections: number }} */ { row, target, ...time }) => {
  const { path, holds } = /** @type {typeof kinds[string]} */ (kinds[row]);
  const next = () => {
    // Requests are counted by token. There are enough tokens that the limit does not affect the figures.
    const headers = { authorization: `Bearer ${target.tokens[++sent % target.tokens.length]}` };
    return { method: /** @type {const} */ ("GET"), path: `/realms/${target.realm}/scim/v2${path(target)}`, headers };
  };
  return requestSlice({ origin: target.origin, ...time }, next, 200, holds);
});
