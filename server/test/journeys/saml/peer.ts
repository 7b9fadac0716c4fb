import type { Page } from "./web-browser.ts";

/** A service provider as the tests see it, whatever its implementation. */
export interface Peer {
  readonly name: string;
  readonly entityId: string;
  readonly metadata: string;
  /** A page for users who are signed in. Others are redirected to the sign-in, by a signed request over Redirect. */
  readonly inside: string;
  /** The address that sends the request over POST, if it can do so. */
  readonly insideByPost?: string;
  /** The address that requests the answer by artifact, if it can do so. This may need a second registration. */
  readonly byArtifact?: { readonly inside: string; readonly entityId: string; readonly metadata: string };
  /** True if it accepts unsolicited responses. */
  readonly takesUnsolicited: boolean;
  /** The address that ends the session there, and asks the identity provider to end it everywhere. */
  readonly logout: string;
  /** Returns the user that the protected page shows, or null if it is another page. */
  readonly userOn: (page: Page) => { readonly user: string; readonly mail: string } | null;
  /** Reads the realm's metadata again. */
  readonly refresh: () => Promise<void>;
  /** Returns its log. */
  readonly log: () => string;
}

const idOn = ({ text }: Page, id: string): string => new RegExp(`id="${id}">([^<]*)<`).exec(text)?.[1]?.trim() ?? "";

/** Returns the user of a page with `<dd id="user">` and `<dd id="mail">`. */
export const userOnList = (page: Page) =>
  /<h1>Inside<\/h1>/.test(page.text) ? { user: idOn(page, "user"), mail: idOn(page, "mail") } : null;
