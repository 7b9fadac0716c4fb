import { ApiProblem } from "@gatehouse/api";
import { queryOptions, useQuery } from "@tanstack/react-query";
import { createContext, type ReactNode, useContext, useMemo } from "react";
import { type RealmApi, readOnce, realmApi } from "./api.ts";

/** The answer of `GET /admin/realms/{realm}/whoami`. */
export interface WhoAmI {
  readonly userId: string;
  readonly username: string;
  /** The realm of the session: this realm, or `master`. */
  readonly realmId: string;
  readonly permissions: readonly string[];
  readonly displayName: string | null;
  readonly developmentMode: boolean;
  /** False if the realm sends no mail: steps that need one are then not offered. */
  readonly sendsMail: boolean;
  readonly version: string;
}

export interface RealmSession {
  readonly realm: string;
  readonly api: RealmApi;
  readonly me: WhoAmI;
  /** Tells whether the caller holds one of these permissions; `a+b` means both. */
  may(...permissions: readonly string[]): boolean;
}

const Context = createContext<RealmSession | null>(null);

export function useRealm(): RealmSession {
  const session = useContext(Context);
  if (!session) throw new Error("outside of a realm");
  return session;
}

/** Returns the answer to the request of `boot.ts`, which was sent before this code was loaded. It can be taken once: later calls send a request. */
async function begunEarly(url: string): Promise<WhoAmI | null> {
  const page = globalThis as { begun?: { readonly url: string; readonly answer: Promise<Response | null> } | undefined };
  if (page.begun?.url !== url) return null;
  const answer = await page.begun.answer;
  page.begun = undefined;
  return answer?.ok ? ((await answer.json()) as WhoAmI) : null;
}

export const whoAmI = (realm: string) =>
  queryOptions({
    queryKey: [realm, "whoami"],
    queryFn: async () => {
      const api = realmApi(realm);
      const early = await begunEarly(api.url("/whoami"));
      if (early) return early;
      try {
        return await readOnce<WhoAmI>(api.url("/whoami"));
      } catch (error) {
        // Without a session the page offers the sign-in itself.
        if (!(error instanceof ApiProblem) || error.status === 401) throw error;
        return (await api.get<WhoAmI>("/whoami")).data;
      }
    },
    staleTime: 60_000,
  });

export const useWhoAmI = (realm: string) => useQuery(whoAmI(realm));

export function RealmProvider({ realm, me, children }: { realm: string; me: WhoAmI; children: ReactNode }) {
  const session = useMemo<RealmSession>(() => {
    const held = new Set(me.permissions);
    const may = (...wanted: readonly string[]) =>
      held.has("realm-admin") || wanted.some((one) => one.split("+").every((part) => held.has(part)));
    return { realm, api: realmApi(realm), me, may };
  }, [realm, me]);
  return <Context.Provider value={session}>{children}</Context.Provider>;
}
