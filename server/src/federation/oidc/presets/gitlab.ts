import { oidcKind } from "../config.ts";
import { standard } from "../quirks.ts";

export const gitlab = oidcKind({
  defaults: { scopes: ["openid", "email", "profile"], issuer: "https://gitlab.com" },
  mark: [
    { d: "M12 21 2.5 13.8 5.5 4l3 6.5h7l3-6.5 3 9.8Z", fill: "#e8552f" },
    { d: "M12 21 8.5 10.5h7Z", fill: "#f2b01e" },
  ],
  // An administrator of a self-managed GitLab can write any address; `trustEmail` decides whether it counts.
  quirks: standard,
});
