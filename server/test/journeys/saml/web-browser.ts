// A browser without a screen that goes from site to site. It follows redirections, keeps cookies by host as browsers do (ports do not count), and submits the
// forms that pages of SAML submit by script.
import { type Answer, Visitor } from "../visitor.ts";

export interface Page extends Answer {
  readonly url: string;
}

export interface Form {
  readonly action: string;
  readonly fields: Readonly<Record<string, string>>;
}

const unescaped = (text: string): string =>
  text.replace(/&(?:#x([0-9a-f]+)|#(\d+)|(amp|lt|gt|quot|apos));/gi, (_, hex, decimal, name) => {
    if (hex !== undefined || decimal !== undefined)
      return String.fromCodePoint(Number.parseInt(hex ?? decimal, hex !== undefined ? 16 : 10));
    return { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'" }[String(name).toLowerCase()]!;
  });
const attribute = (tag: string, name: string): string | undefined => {
  const found = new RegExp(`\\s${name}=(?:"([^"]*)"|'([^']*)')`, "i").exec(tag);
  return found ? unescaped(found[1] ?? found[2] ?? "") : undefined;
};

/** Returns the form of the page that `which` selects, or the first one. */
export function formOf({ text, url }: Page, which: (form: Form) => boolean = () => true): Form | undefined {
  for (const [, tag, inner] of text.matchAll(/(<form\b[^>]*>)([\s\S]*?)<\/form>/gi)) {
    const inputs = [...inner!.matchAll(/<input\b[^>]*>/gi)].map(([input]) => [attribute(input, "name"), attribute(input, "value") ?? ""]);
    const fields = Object.fromEntries(inputs.filter(([name]) => name !== undefined));
    const form = { action: new URL(attribute(tag!, "action") || url, url).href, fields };
    if (which(form)) return form;
  }
  return undefined;
}

const carriesSaml = ({ fields }: Form): boolean => "SAMLRequest" in fields || "SAMLResponse" in fields || "SAMLart" in fields;

export class WebBrowser {
  /** The cookies of each host. */
  readonly #jars = new Map<string, Map<string, string>>();
  /** Every message that was sent by form or query, oldest first. */
  readonly messages: { readonly to: string; readonly fields: Readonly<Record<string, string>> }[] = [];

  readonly #issuer: string;

  constructor(issuer: string) {
    this.#issuer = issuer;
  }

  #at(url: URL): Visitor {
    const jar = this.#jars.get(url.hostname) ?? new Map<string, string>();
    this.#jars.set(url.hostname, jar);
    return new Visitor(url.origin, jar);
  }

  async #send(method: "GET" | "POST", address: string, form?: Readonly<Record<string, string>>): Promise<Page> {
    const url = new URL(address);
    const query = Object.fromEntries(url.searchParams);
    if (carriesSaml({ action: address, fields: form ?? query }))
      this.messages.push({ to: `${url.origin}${url.pathname}`, fields: form ?? query });
    const answer = await this.#at(url).request(method, url.href, form ? { form } : {});
    return { ...answer, url: url.href };
  }

  /** Continues until a page needs input from a person. */
  async #arrive(page: Page): Promise<Page> {
    for (let current = page, hops = 0; ; hops++) {
      if (hops > 30) throw new Error(`too many redirections, last to ${current.url}`);
      const to = current.headers.location as string | undefined;
      const form = to === undefined ? formOf(current, carriesSaml) : undefined;
      if (to !== undefined && current.status >= 300 && current.status < 400)
        current = await this.#send("GET", new URL(to, current.url).href);
      else if (form?.action.startsWith(this.#issuer)) current = await this.#withoutCookies(form);
      else if (form) current = await this.#send("POST", form.action, form.fields);
      else {
        // The page of a logout leads to the next application by a link, which its script follows.
        const [, hop] = /<a [^>]*href="([^"]*)"[^>]*data-hop/.exec(current.text) ?? [];
        if (hop === undefined) return current;
        current = await this.#send("GET", new URL(unescaped(hop), current.url).href);
      }
    }
  }

  /** The cookies of the identity provider are SameSite=Lax, so a form of another site arrives there without them. */
  async #withoutCookies({ action, fields }: Form): Promise<Page> {
    const { hostname } = new URL(action);
    const kept = this.#jars.get(hostname);
    this.#jars.delete(hostname);
    const page = await this.#send("POST", action, fields);
    this.#jars.set(hostname, new Map([...(kept ?? []), ...this.#jars.get(hostname)!]));
    return page;
  }

  async goto(address: string): Promise<Page> {
    return this.#arrive(await this.#send("GET", address));
  }

  async submit(form: Form, more: Readonly<Record<string, string>> = {}): Promise<Page> {
    return this.#arrive(await this.#send("POST", form.action, { ...form.fields, ...more }));
  }

  /** Fills in the sign-in page if one is shown. Otherwise the page stays. */
  async signIn(page: Page, username: string, password: string): Promise<Page> {
    const form = formOf(page, ({ fields }) => "username" in fields && "password" in fields);
    return form ? this.submit(form, { username, password }) : page;
  }

  /** Returns the last message of that kind. */
  last(field: "SAMLRequest" | "SAMLResponse" | "SAMLart") {
    return this.messages.findLast(({ fields }) => field in fields);
  }
}
