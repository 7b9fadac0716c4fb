import { expect, test } from "vitest";
import { defaultSettings } from "../tenancy/settings/index.ts";
import { signInForm } from "../testing/sign-in-form.tsx";
import {
  AppSetup,
  type Branding,
  CLASS_NAMES,
  Field,
  messagesOf,
  PasskeyBeside,
  PasswordOnly,
  RecoveryCodeList,
  renderCiba,
  renderConsent,
  renderDeparture,
  renderDevice,
  renderInvitation,
  renderLogin,
  renderLogout,
  renderMailbox,
  renderMessage,
  renderPush,
  renderQr,
  renderStep,
  renderTransaction,
  safeCustomCss,
  Terms,
  themeCss,
  themeVersion,
} from "./index.ts";

const branding: Branding = {
  realmId: "acme",
  displayName: "Acme",
  logoUrl: null,
  primaryColor: "#0f766e",
  backgroundColor: null,
  welcomeText: "Hi",
  customCss: null,
};

test("carries the realm's colours for both schemes, then the rules, then its customCss", () => {
  const css = themeCss({ ...branding, customCss: ".gh-card { margin: 1px }" });
  const order = [
    "--gh-button: #0f766e",
    "@media (prefers-color-scheme: dark) { :root:not(",
    ".gh-card {\n",
    ".gh-card { margin: 1px }",
  ].map((part) => css.indexOf(part));
  expect(order.every((position) => position >= 0)).toBe(true);
  expect(order).toEqual([...order].sort((a, b) => a - b));
  expect(css.trimEnd().endsWith(".gh-card { margin: 1px }")).toBe(true);
  // A scheme that was chosen counts more than the browser's, both ways.
  const dark = /@media \(prefers-color-scheme: dark\) \{ :root:not\(\[data-theme="light"\]\) (\{[^}]*\}) \}/.exec(css)?.[1];
  expect(css).toContain(`:root[data-theme="dark"] ${dark}`);
});

test("leaves stored customCss out when today's rules refuse it", () => {
  expect(themeCss({ ...branding, customCss: "a { b: url(https://evil.example) }" })).not.toContain("evil.example");
  expect(themeCss({ ...branding, customCss: "} a {" })).toBe(themeCss(branding));
});

test("lets no text through that is not a colour", () => {
  expect(themeCss({ ...branding, primaryColor: "red;} body{display:none", backgroundColor: "url(https://evil.example)" })).not.toMatch(
    /display:none|evil/,
  );
});

test("is itself a style sheet that our own rules accept", () => {
  expect(safeCustomCss(themeCss(branding))).toMatchObject({ ok: true });
});

test("changes its version with its content only", () => {
  expect(themeVersion({ ...branding })).toBe(themeVersion(branding));
  expect(themeVersion({ ...branding, displayName: "Other" })).toBe(themeVersion(branding));
  expect(themeVersion({ ...branding, customCss: "a{}" })).not.toBe(themeVersion(branding));
});

test("documents every class that the pages and the rules use, and no other", () => {
  const languages = [
    { locale: "en", label: "English", href: "?" },
    { locale: "nl", label: "Nederlands", href: "?" },
  ];
  const frame = { branding, locale: "en", languages } as const;
  const form = { ...frame, csrf: "", action: "/", rememberMe: false, hidden: {} };
  const invitation = { organization: "Acme", address: "ada@example.com", role: "member", inviter: null };
  const screen = { client: "Shop", sourceIp: "203.0.113.7", userAgent: "Mozilla/5.0", time: { at: 0, now: 0 } };
  const transaction = {
    client: "Shop",
    type: "payment",
    summary: "Pay",
    payloadHash: "x",
    until: { at: 60_000, now: 0 },
    byCode: true,
    byDevice: true,
    setUp: "/set-up",
  };
  const branded = {
    ...{ ...branding, logoUrl: "/logo.svg", privacyUrl: "https://acme.example/privacy" },
    images: { "logo-dark": { href: "/dark.svg", mediaType: "image/svg+xml" } },
  };
  const html = [
    signInForm({ ...form, branding: { ...branding, logoUrl: "/logo.svg" } }),
    signInForm({
      ...form,
      error: "credentials",
      account: "ada",
      others: [{ path: "1", label: "Other" }],
      links: [{ href: "/", label: "Help" }],
      providers: [
        { href: "/", label: "Acme", protocol: "oidc", isLastUsed: true },
        { href: "/", label: "Acme", protocol: "oidc", logoUrl: "https://acme.example/logo.png" },
      ],
    }),
    renderDeparture({ ...form, href: "/", provider: "Acme", login: "ada@acme.example", other: "1" }),
    signInForm({ ...form, notice: "signed-out", beside: [{ path: "1", body: PasskeyBeside({ text: messagesOf("en"), options: "{}" }) }] }),
    renderStep({
      ...form,
      title: "",
      others: [],
      canRestart: true,
      wayBack: { label: "Back" },
      body: PasswordOnly({ text: messagesOf("en"), username: "ada", alert: null }),
    }),
    renderStep({
      ...form,
      title: "",
      others: [],
      canRestart: true,
      body: [
        AppSetup({
          text: messagesOf("en"),
          picture: [[true]],
          secret: "A",
          issuer: "Acme",
          account: "ada",
          label: "",
          uri: "otpauth://totp/a",
          digits: 6,
        }),
        RecoveryCodeList({ text: messagesOf("en"), codes: ["A"] }),
      ],
    }),
    renderStep({
      ...form,
      title: "",
      others: [],
      canRestart: true,
      body: Terms({ text: messagesOf("en"), terms: { text: "Be kind.", url: null } }),
    }),
    renderStep({ ...form, title: "", body: Field({ id: "password", label: "", type: "password", show: "Show", error: "Wrong" }) }),
    renderLogin({ ...form, signedInAs: "ada", continueUrl: "/", logoutAction: "/" }),
    renderLogout({ ...form, state: "confirm" }),
    renderLogout({ ...frame, state: "frames", frames: [{ name: "Shop", url: "/out" }], next: "/", scripts: [] }),
    renderInvitation({ ...form, ...invitation, state: "create", policy: defaultSettings("acme").passwordPolicy }),
    renderConsent({
      ...form,
      client: "Shop",
      account: "ada",
      scopes: [],
      claims: [],
      details: [],
      apis: [{ name: "Orders", address: "https://orders.example" }],
      returnTo: "https://shop.example/cb",
      agent: { name: "Bot", owner: "owen" },
      policyUrl: "https://shop.example/privacy",
      logoUrl: "https://shop.example/logo.svg",
    }),
    renderMailbox({
      ...frame,
      mails: [{ id: "1", to: "ada@example.com", subject: "Hello", text: "Hello", at: 0 }],
      ownOrigin: "https://a.example",
    }),
    signInForm({ ...form, providers: Array.from({ length: 5 }, () => ({ href: "/", label: "Acme", protocol: "oidc" })) }),
    renderDevice({ ...form, branding: branded, state: "enter", userCode: "" }),
    renderPush({ ...form, approveAction: "/", denyAction: "/", account: "ada", screen, isWrong: true }),
    renderQr({ ...form, account: "ada", screen, code: "4821" }),
    renderTransaction({ ...form, ...transaction, signAction: "/", declineAction: "/", account: "ada" }),
    renderCiba({ ...form, state: "list", account: "ada", requests: [{ href: "/", client: "Bank", message: null }] }),
    renderMessage({ ...frame, kind: "internal", requestId: "r", impersonation: { account: "ada", csrf: "", action: "/" } }),
  ].join("");
  const inPages = new Set([...html.matchAll(/class="([^"]+)"/g)].flatMap((match) => match[1]!.split(" ")));
  const inRules = [...themeCss(branding).matchAll(/\.(gh-[a-z-]+)/g)].map((match) => match[1]!);
  expect([...inPages].sort()).toEqual(Object.keys(CLASS_NAMES).sort());
  for (const name of inRules) expect(CLASS_NAMES).toHaveProperty(name);
});

test("honours dark schemes, reduced motion and forced colours", () => {
  const css = themeCss(branding);
  expect(css).toContain("color-scheme: light dark");
  const motion = css.indexOf("@media (prefers-reduced-motion: no-preference)");
  expect(css.indexOf("transition")).toBeGreaterThan(motion);
  expect(css).toContain("@media (forced-colors: active)");
  // Logical properties only, so that right-to-left pages are mirrored.
  expect(css).not.toMatch(/(?:margin|padding|border)-(?:left|right)|text-align: (?:left|right)|[\s;{](?:left|right):/);
});
