import { randomUUID } from "node:crypto";
import Type from "typebox";
import { type Authenticator, authenticators, type Question } from "../signin/authenticators/index.ts";

export const SITE = "https://broker.example";

/** Makes an identity provider that the tests play, and the authenticator that sends browsers to it. */
export function fakeBroker() {
  /** Maps a code to the user who signed in there, and to the nonce. */
  const codes = new Map<string, { userId: string; nonce: string }>();

  const broker: Question = {
    kind: "question",
    displayName: "Fake broker",
    description: "Signs in at another site",
    config: Type.Object({}, { additionalProperties: false }),
    ...{ identifies: true, factor: "knowledge", counted: null, fields: [], setUp: null, choice: "chooseUsername" },
    available: async () => true,
    page: (_at, text) => ({ title: "signInTitle", body: <button type="submit">{text.continue}</button> }),
    answer: async () => {
      const nonce = randomUUID();
      const to = ({ returnTo, state }: { returnTo: string; state: string }) =>
        `${SITE}/authorize?${new URLSearchParams({ redirect_uri: returnTo, state, nonce })}`;
      return { outcome: "leave", data: { nonce }, to };
    },
    returned: async ({ data }, { code = "", error }) => {
      if (error === "access_denied") return { outcome: "declined" };
      const signedIn = codes.get(code);
      codes.delete(code);
      if (signedIn === undefined || signedIn.nonce !== data?.nonce) return { outcome: "wrong", text: "credentialsText" };
      return { outcome: "passed", proof: { userId: signedIn.userId, factor: "knowledge", amr: ["fed"] } };
    },
  };

  const plugs = authenticators as Record<string, Authenticator>;
  plugs["fake-broker"] = broker;
  return {
    unplug: () => {
      delete plugs["fake-broker"];
    },
    /** Signs a user in at the site, which sends the browser back. Returns the path to which it is sent. */
    signIn(left: URL, userId: string): string {
      const code = randomUUID();
      codes.set(code, { userId, nonce: left.searchParams.get("nonce")! });
      return backFrom(left, { code });
    },
  };
}

/** Returns the path to which the site sends the browser back. */
export function backFrom(left: URL, query: Record<string, string>): string {
  const { pathname } = new URL(left.searchParams.get("redirect_uri")!);
  return `${pathname}?${new URLSearchParams({ state: left.searchParams.get("state")!, ...query })}`;
}
