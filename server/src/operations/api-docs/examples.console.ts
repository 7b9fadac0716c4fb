const userId = "019b76da-a800-7f3c-9d1e-3f5b7c9d1e3f";
const otherId = "019b76da-a800-7f3c-9d1e-3f5b7c9d1e40";
const refused = { userId: otherId, ok: false, code: "users.not_found", message: "No such user in this realm" };
const window = {
  logins: { success: 12, failure: 1 },
  tokens: 31,
  mfaChallenges: 4,
  adminWrites: { success: 2, denied: 0 },
};
const point = { at: "2026-01-01T00:00:00.000Z", ...window };
const issuer = "https://id.example.com/realms/acme";
const times = { iat: 1_767_225_600, exp: 1_767_225_900 };

/** Examples of requests by the console: many users at once, previews of tokens, series. */
export const examplesOfConsole: Readonly<Record<string, unknown>> = {
  BrandingDraft: { displayName: "Acme", primaryColor: "#0f766e", backgroundStyle: "gradient", welcomeTexts: { nl: "Welkom bij Acme" } },
  RealmImage: {
    name: "logo",
    mediaType: "image/png",
    href: "/realms/acme/images/logo?v=eyJ2IjoibG9nbyJ9LmFhY2",
    bytes: 4_211,
    width: 320,
    height: 96,
    updatedAt: 1_767_225_600_000,
  },
  BulkUsers: { action: "disable", userIds: [userId, otherId] },
  BulkResult: refused,
  BulkReport: { action: "disable", succeeded: 1, failed: 1, results: [{ userId, ok: true }, refused] },
  TokenPreviewRequest: { userId, scope: "openid email" },
  TokenPreview: {
    scopes: ["openid", "email"],
    allowed: true,
    accessToken: { iss: issuer, sub: userId, client_id: "shop", scope: "openid email", ...times },
    idToken: { iss: issuer, sub: userId, aud: "shop", auth_time: 1_767_225_600, ...times },
    userinfo: { sub: userId, email: "ada@example.com", email_verified: true },
  },
  MetricsPoint: point,
  MetricsSeries: {
    from: point.at,
    to: "2026-01-01T01:00:00.000Z",
    step: "1h",
    keptFrom: "2025-12-24T00:00:00.000Z",
    points: [point],
  },
};
