import { oidcKind } from "../config.ts";
import { claimText } from "../quirks.ts";

export const github = oidcKind({
  defaults: {
    scopes: ["read:user", "user:email"],
    authorizationUrl: "https://github.com/login/oauth/authorize",
    tokenUrl: "https://github.com/login/oauth/access_token",
    userinfoUrl: "https://api.github.com/user",
  },
  subjectMembers: ["userinfoUrl"],
  mark: [
    {
      d: "M7 3a3 3 0 0 1 1 5.8V11a2 2 0 0 0 2 2h4a2 2 0 0 0 2-2V8.8a3 3 0 1 1 2 0V11a4 4 0 0 1-4 4h-1v.2a3 3 0 1 1-2 0V15h-1a4 4 0 0 1-4-4V8.8A3 3 0 0 1 7 3Z",
    },
  ],
  quirks: { idToken: false, nonce: false, subject: ({ id }) => claimText(id), emailsPath: "/emails" },
});
