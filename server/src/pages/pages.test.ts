import { describe, expect, test } from "vitest";
import { type FormView, signInForm } from "../testing/sign-in-form.tsx";
import { type Branding, type LoginView, languageLinks, messageKindOf, renderLogin, renderLogout, renderMessage } from "./index.ts";

const branding: Branding = {
  realmId: "acme",
  displayName: "Acme",
  logoUrl: null,
  primaryColor: "#0f766e",
  backgroundColor: null,
  welcomeText: null,
  customCss: null,
};

const frame = {
  branding,
  locale: "en",
  csrf: "token",
  languages: languageLinks((locale) => `/realms/acme/login?lang=${locale}`),
} as const;
const login = (view: FormView = {}): string => signInForm({ ...frame, ...view });
const signedIn = (view: Partial<LoginView>): string =>
  renderLogin({ ...frame, signedInAs: "ada", continueUrl: "/", logoutAction: "/realms/acme/logout", ...view });

const HOSTILE = `"><script>alert(1)</script><img src=x onerror='alert(2)'>`;

/** The tags of a page, with quoted attribute values emptied, so that only real markup is left. */
const markup = (html: string): string => (html.match(/<(?:[^<>"]|"[^"]*")*>/g) ?? []).join("").replace(/"[^"]*"/g, '""');
const titleOf = (html: string): string => /<title>(.*?)<\/title>/s.exec(html)?.[1] ?? "";
const tagOf = (html: string, pattern: RegExp): string =>
  (html.match(/<(?:[^<>"]|"[^"]*")*>/g) ?? []).find((tag) => pattern.test(tag)) ?? "";

describe("hostile text stays text", () => {
  const hostileBranding: Branding = {
    realmId: HOSTILE,
    displayName: HOSTILE,
    logoUrl: HOSTILE,
    primaryColor: HOSTILE,
    backgroundColor: HOSTILE,
    welcomeText: HOSTILE,
    customCss: HOSTILE,
  };
  const links = [{ locale: HOSTILE, label: HOSTILE, href: HOSTILE }, ...languageLinks(() => HOSTILE)];
  const pages: Record<string, string> = {
    login: login({
      branding: hostileBranding,
      csrf: HOSTILE,
      action: HOSTILE,
      username: HOSTILE,
      hidden: { [HOSTILE]: HOSTILE, plain: HOSTILE },
      languages: links,
    }),
    "login, signed in": signedIn({
      branding: hostileBranding,
      signedInAs: HOSTILE,
      continueUrl: HOSTILE,
      logoutAction: HOSTILE,
      csrf: HOSTILE,
    }),
    "logout, asked": renderLogout({
      branding: hostileBranding,
      locale: "nl",
      state: "confirm",
      csrf: HOSTILE,
      action: HOSTILE,
      hidden: { a: HOSTILE },
      signedInAs: HOSTILE,
      cancelUrl: HOSTILE,
      languages: links,
    }),
    "logout, done": renderLogout({ branding: hostileBranding, locale: "en", state: "done", signInUrl: HOSTILE }),
    message: renderMessage({
      branding: hostileBranding,
      locale: "en",
      kind: "internal",
      details: { error: HOSTILE, description: HOSTILE },
      requestId: HOSTILE,
      back: { href: HOSTILE },
    }),
  };

  test.each(Object.keys(pages))("on the page: %s", (name) => {
    const tags = markup(pages[name]!);
    expect(tags).not.toMatch(/<script|onerror|<img/i);
    expect(pages[name]).not.toContain("<script");
    expect(pages[name]).toContain("&lt;script>");
  });

  test("and no page has inline styles, inline scripts or event handlers", () => {
    for (const html of [...Object.values(pages), login(), login({ error: "credentials" })]) {
      expect(markup(html)).not.toMatch(/\sstyle=|\son[a-z]+=|<style|<script/i);
    }
  });

  test.each(["javascript:alert(1)", " javascript:alert(1)", "java\nscript:alert(1)", "data:text/html,x", "vbscript:x"])(
    "and %j is no link",
    (href) => {
      expect(signedIn({ signedInAs: "ada", continueUrl: href })).not.toContain("gh-button--primary");
      expect(renderMessage({ branding, locale: "en", kind: "forbidden", back: { href } })).not.toContain("<a ");
      expect(renderLogout({ branding, locale: "en", state: "done", signInUrl: href })).not.toContain("<a ");
    },
  );
});

describe("names that change the writing direction", () => {
  const override = "\u202eemca\u202c\u2069";

  test("are isolated and cannot leave their isolate", () => {
    const html = login({ branding: { ...branding, displayName: override } });
    expect(html).toContain("Sign in to <bdi>emca</bdi>");
    expect(signedIn({ signedInAs: override, continueUrl: "/" })).toContain('<bdi class="gh-account">emca</bdi>');
    expect(html).not.toMatch(/[\u202a-\u202e\u2066\u2067]/);
  });

  test("are isolated in the title by characters, where they need it", () => {
    expect(titleOf(login({ branding: { ...branding, displayName: "שלום" } }))).toBe("Sign in to \u2068שלום\u2069");
    expect(titleOf(login())).toBe("Sign in to Acme");
  });

  test("but what the person typed goes back unchanged", () => {
    expect(tagOf(login({ username: override }), /id="username"/)).toContain(`value="${override}"`);
  });
});

describe("the sign-in form", () => {
  test("is one that password managers and passkeys understand", () => {
    const html = login();
    expect(tagOf(html, /^<form/)).toBe(
      '<form class="gh-form" method="post" action="/realms/acme/login" aria-label="Sign in" id="gh-step">',
    );
    const username = tagOf(html, /id="username"/);
    for (const attribute of [
      'name="username"',
      'autocomplete="username webauthn"',
      'autocapitalize="none"',
      'spellcheck="false"',
      "required",
    ]) {
      expect(username).toContain(attribute);
    }
    const password = tagOf(html, /id="password"/);
    for (const attribute of ['name="password"', 'type="password"', 'autocomplete="current-password"', "required"])
      expect(password).toContain(attribute);
    expect(html).toContain('<input type="hidden" name="_csrf" value="token"/>');
    expect(html).toContain('<input type="checkbox" name="rememberMe" value="true"/>');
    expect(login({ rememberMe: true })).toContain('<input type="checkbox" name="rememberMe" value="true" checked/>');
    expect(login({ hidden: { interaction: "i-1" } })).toContain('<input type="hidden" name="interaction" value="i-1"/>');
  });

  test("focuses the first thing to do, and one thing only", () => {
    const focused = (view: FormView) => (login(view).match(/<(?:[^<>"]|"[^"]*")*>/g) ?? []).filter((tag) => /\sautofocus/.test(tag));
    expect(focused({})).toEqual([expect.stringContaining('id="username"')]);
    expect(focused({ username: "ada" })).toEqual([expect.stringContaining('id="password"')]);
    expect(focused({ username: "ada", error: "credentials" })).toEqual([expect.stringContaining('role="alert"')]);
  });

  test("reports wrong credentials in the title, in a focused alert and on both fields, and keeps the name only", () => {
    const html = login({ error: "credentials", username: "ada" });
    expect(titleOf(html)).toBe("Error: Wrong username or password · Sign in to Acme");
    expect(tagOf(html, /role="alert"/)).toContain('tabindex="-1"');
    for (const field of [/id="username"/, /id="password"/]) {
      expect(tagOf(html, field)).toContain('aria-invalid="true"');
      expect(tagOf(html, field)).toContain('aria-describedby="gh-error"');
    }
    expect(html).toContain('id="gh-error"');
    expect(tagOf(html, /id="username"/)).toContain('value="ada"');
    expect(tagOf(html, /id="password"/)).not.toContain("value=");
  });

  test.each(["csrf", "locked-out", "overloaded"] as const)("does not blame the fields for: %s", (error) => {
    const html = login({ error });
    expect(html).toContain('role="alert"');
    expect(titleOf(html)).toMatch(/^Error: /);
    expect(html).not.toContain("aria-invalid");
  });

  test.each([
    [40, "en", "Try again in 40 seconds."],
    [61, "en", "Try again in 2 minutes."],
    [900, "nl", "Probeer het opnieuw over 15 minuten."],
    [7200, "en", "Try again in 2 hours."],
    [0.2, "en", "Try again in 1 second."],
  ] as const)("says how long to wait: %d seconds in %s", (retryAfterSeconds, locale, text) => {
    expect(login({ error: "locked-out", retryAfterSeconds, locale })).toContain(text);
  });

  test("offers to continue or sign out when a user is signed in", () => {
    const html = signedIn({ signedInAs: "ada", continueUrl: "/console", logoutAction: "/realms/acme/logout" });
    expect(html).not.toContain('name="password"');
    expect(html).toContain('<a class="gh-button gh-button--primary" href="/console">Continue</a>');
    expect(tagOf(html, /^<form/)).toContain('method="post" action="/realms/acme/logout"');
    expect(html).toContain('name="_csrf" value="token"');
  });

  test("confirms a sign-out as a status, not as an alert", () => {
    const html = login({ notice: "signed-out" });
    expect(html).toMatch(/role="status".*You are signed out\./s);
    expect(html).not.toContain('role="alert"');
  });
});

describe("every page", () => {
  test("says its language and direction, and speaks it", () => {
    expect(login()).toMatch(/^<!doctype html><html lang="en" dir="ltr">/);
    const dutch = login({ locale: "nl" });
    expect(dutch).toContain('<html lang="nl" dir="ltr">');
    expect(dutch).toContain("Inloggen bij <bdi>Acme</bdi>");
    expect(tagOf(dutch, /hreflang="nl"/)).toContain('aria-current="true"');
    expect(tagOf(dutch, /hreflang="en"/)).toContain('aria-current="false"');
  });

  test("links the realm's style sheet, whose address changes with its content", () => {
    const href = (b: Branding) => /<link rel="stylesheet" href="([^"]+)"/.exec(login({ branding: b }))?.[1];
    expect(href(branding)).toMatch(/^\/realms\/acme\/theme\.css\?v=[\w-]{12}$/);
    expect(href({ ...branding, primaryColor: "#123456" })).not.toBe(href(branding));
    expect(href({ ...branding })).toBe(href(branding));
  });

  test("without a realm uses the operator's", () => {
    const html = renderMessage({ branding: null, locale: "en", kind: "unknown-realm" });
    expect(html).toContain('href="/realms/master/theme.css"');
    expect(titleOf(html)).toBe("There’s nothing here · Gatehouse");
  });

  test("shows a logo it may load, and a letter instead of one it may not", () => {
    const img = (logoUrl: string) => tagOf(login({ branding: { ...branding, logoUrl } }), /class="gh-logo"/);
    expect(img("https://cdn.example/logo.svg")).toContain('src="https://cdn.example/logo.svg" alt="Acme"');
    expect(img("/assets/logo.svg")).toContain('src="/assets/logo.svg"');
    expect(img("data:image/png;base64,AA==")).toContain('src="data:image/png;base64,AA=="');
    for (const bad of [
      "http://cdn.example/l.png",
      "//evil.example/l.png",
      "/\\evil.example/l.png",
      "javascript:1",
      "data:text/html,x",
      "https://a:b@c/d",
      "https://a;b/c",
    ]) {
      const html = login({ branding: { ...branding, logoUrl: bad } });
      expect(html, bad).not.toContain("<img");
      expect(html, bad).toContain('<span class="gh-monogram" aria-hidden="true">A</span>');
    }
  });
});

describe("message pages", () => {
  test.each([
    [400, "bad-request"],
    [403, "forbidden"],
    [404, "not-found"],
    [418, "bad-request"],
    [429, "too-many-requests"],
    [500, "internal"],
    [502, "internal"],
    [503, "unavailable"],
  ] as const)("status %d is the page %s", (status, kind) => {
    expect(messageKindOf(status)).toBe(kind);
  });

  test("say what happened, what to do, and the request number", () => {
    const html = renderMessage({ branding, locale: "en", kind: "internal", requestId: "req-1", back: { href: "/realms/acme/login" } });
    expect(html).toContain("Something went wrong on our side");
    expect(html).toContain("<code>req-1</code>");
    expect(html).toContain('<a class="gh-button gh-button--plain" href="/realms/acme/login">Go back</a>');
    expect(renderMessage({ branding, locale: "nl", kind: "too-many-requests", retryAfterSeconds: 30 })).toContain("over 30 seconden");
    expect(renderMessage({ branding, locale: "en", kind: "too-many-requests" })).toContain("Wait a moment");
  });
});
