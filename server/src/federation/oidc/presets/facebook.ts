import { createHmac } from "node:crypto";
import { oidcKind } from "../config.ts";
import { claimText } from "../quirks.ts";

export const facebook = oidcKind({
  defaults: {
    scopes: ["email", "public_profile"],
    authorizationUrl: "https://www.facebook.com/v21.0/dialog/oauth",
    tokenUrl: "https://graph.facebook.com/v21.0/oauth/access_token",
    userinfoUrl: "https://graph.facebook.com/v21.0/me?fields=id,name,email,first_name,last_name",
  },
  subjectMembers: ["userinfoUrl"],
  mark: [
    { d: "M12 2a10 10 0 1 1 0 20 10 10 0 0 1 0-20Z", fill: "#2a70e8" },
    {
      d: "M13.6 22v-7.5h2.4l.5-3h-2.9V9.7c0-.9.4-1.6 1.7-1.6h1.3V5.5c-.6-.1-1.3-.2-2-.2-2.5 0-3.9 1.5-3.9 4v2.2H8.1v3h2.6V22Z",
      fill: "#fff",
    },
  ],
  quirks: {
    ...{ idToken: false, nonce: false, subject: ({ id }) => claimText(id), isVerified: () => false },
    profileUrl(url, { secrets: { clientSecret } }, accessToken) {
      const profile = new URL(url);
      if (clientSecret !== undefined)
        profile.searchParams.set("appsecret_proof", createHmac("sha256", clientSecret).update(accessToken).digest("hex"));
      return profile.href;
    },
  },
});
