import { oidcKind } from "../config.ts";
import { claimText, isTrue } from "../quirks.ts";

/** OAuth 2 with a profile. */
export const discord = oidcKind({
  defaults: {
    scopes: ["identify", "email"],
    authorizationUrl: "https://discord.com/oauth2/authorize",
    tokenUrl: "https://discord.com/api/oauth2/token",
    userinfoUrl: "https://discord.com/api/users/@me",
  },
  subjectMembers: ["userinfoUrl"],
  mark: [
    {
      d: "M6.5 5.2A16 16 0 0 1 10 4l.6 1.2a14 14 0 0 1 2.8 0L14 4a16 16 0 0 1 3.5 1.2C20 9 21 12.8 20.6 17a13 13 0 0 1-4.8 2.6l-1.2-2a9 9 0 0 1-5.2 0l-1.2 2A13 13 0 0 1 3.4 17C3 12.8 4 9 6.5 5.2ZM9 11a1.8 2 0 1 0 0 4 1.8 2 0 0 0 0-4Zm6 0a1.8 2 0 1 0 0 4 1.8 2 0 0 0 0-4Z",
      fill: "#5865f2",
    },
  ],
  quirks: {
    ...{ idToken: false, nonce: false, subject: ({ id }) => claimText(id), isVerified: ({ verified }) => isTrue(verified) },
    profileClaims: ({ username, global_name: name }) => ({ preferred_username: username, given_name: name }),
  },
});
