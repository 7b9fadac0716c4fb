// A small site for a SAML library, with sessions by cookie and the pages of a service provider.
import { randomUUID } from "node:crypto";
import { html, type Site, startSite } from "../site.ts";

export type Message = Readonly<Record<string, string>>;
/** An address to go to, or a page that posts. */
export type Outgoing = { readonly location: string } | { readonly page: string };

export interface SamlUser {
  readonly nameId: string;
  readonly user: string;
  readonly mail: string;
  /** The values with which the library signs the user out. */
  readonly session?: unknown;
}

/** The functions that a library provides to the site. They throw on every refusal. */
export interface SamlLibrary {
  login(binding: "redirect" | "post"): Promise<Outgoing>;
  accept(posted: Message): Promise<SamlUser>;
  logout(user: SamlUser): Promise<Outgoing>;
  /** Reads the answer to our own logout request by Redirect. `query` is unchanged. */
  loggedOut(message: Message, query: string): Promise<void>;
  /** Reads a LogoutRequest of the identity provider. Returns the user and the answer. */
  askedToLogOut(message: Message, query: string): Promise<{ readonly nameId: string; readonly answer: Outgoing }>;
}

const escaped = (text: string): string => text.replace(/[&<>"]/g, (char) => `&#${char.charCodeAt(0)};`);
/** Cookies are not bound to ports, and several of these sites are on one host. */
const cookieAt = (url: string): string => `library_${new URL(url).port}`;

export interface LibrarySite extends Site {
  log(): string;
}

/** Starts the site. The library is made when the address is known. */
export async function librarySite(make: (url: string) => Promise<SamlLibrary>): Promise<LibrarySite> {
  let library: SamlLibrary | undefined;
  let complaints = "";
  const sessions = new Map<string, SamlUser>();
  const go = (outgoing: Outgoing, headers: Record<string, string> = {}) =>
    "location" in outgoing
      ? new Response(null, { status: 303, headers: { location: outgoing.location, ...headers } })
      : html(outgoing.page);

  const answer = async (request: Request): Promise<Response> => {
    const { pathname, search } = new URL(request.url);
    const fields = request.method === "POST" ? await request.text() : search.slice(1);
    const message = Object.fromEntries(new URLSearchParams(fields));
    const [, id = ""] = new RegExp(`(?:^|; )${cookieAt(site.url)}=([^;]*)`).exec(request.headers.get("cookie") ?? "") ?? [];
    const user = sessions.get(id);
    switch (pathname) {
      case "/inside":
      case "/inside-by-post":
        if (!user) return go(await library!.login(pathname === "/inside" ? "redirect" : "post"));
        return html(`<h1>Inside</h1><dl><dd id="user">${escaped(user.user)}</dd><dd id="mail">${escaped(user.mail)}</dd></dl>`);
      case "/saml/acs": {
        const fresh = randomUUID();
        sessions.set(fresh, await library!.accept(message));
        return go({ location: `${site.url}/inside` }, { "set-cookie": `${cookieAt(site.url)}=${fresh}; Path=/; HttpOnly` });
      }
      case "/logout":
        sessions.delete(id);
        return user ? go(await library!.logout(user)) : html("<h1>Outside</h1>");
      case "/saml/slo": {
        if ("SAMLResponse" in message) {
          await library!.loggedOut(message, fields);
          return html("<h1>Signed out everywhere</h1>");
        }
        const { nameId, answer: reply } = await library!.askedToLogOut(message, fields);
        for (const [key, { nameId: its }] of sessions) if (its === nameId) sessions.delete(key);
        return go(reply);
      }
      default:
        return html("<h1>Outside</h1>");
    }
  };
  const site = await startSite(async (request) => {
    try {
      return await answer(request);
    } catch (error) {
      complaints += `${error instanceof Error ? error.stack : error}\n`;
      return new Response(`<h1>Refused</h1><pre>${escaped(String(error))}</pre>`, {
        status: 500,
        headers: { "content-type": "text/html" },
      });
    }
  });
  library = await make(site.url);
  return { ...site, log: () => complaints };
}
