import type { Page } from "./web-browser.ts";

/** A service provider as the tests meet it, whatever it is made of. */
export interface Peer {
  readonly name: string;
  readonly entityId: string;
  readonly metadata: string;
  /** A page for users who are signed in; the others are redirected to sign in, by a signed request over Redirect. */
  readonly inside: string;
  /** The same by a request over POST, where it can. */
  readonly insideByPost?: string;
  /** The same with the answer by artifact, where it can; a second registration may be needed for it. */
  readonly byArtifact?: { readonly inside: string; readonly entityId: string; readonly metadata: string };
  /** True when it accepts unsolicited responses. */
  readonly takesUnsolicited: boolean;
  /** Ends the session there, and asks the identity provider to end it everywhere. */
  readonly logout: string;
  /** The user as its page inside shows them; null if it is another page. */
  readonly userOn: (page: Page) => { readonly user: string; readonly mail: string } | null;
  /** Reads the realm's metadata again. */
  readonly refresh: () => Promise<void>;
  /** Its complaints. */
  readonly log: () => string;
}

const idOn = ({ text }: Page, id: string): string => new RegExp(`id="${id}">([^<]*)<`).exec(text)?.[1]?.trim() ?? "";

/** The user of a page with `<dd id="user">` and `<dd id="mail">`. */
export const userOnList = (page: Page) =>
  /<h1>Inside<\/h1>/.test(page.text) ? { user: idOn(page, "user"), mail: idOn(page, "mail") } : null;
