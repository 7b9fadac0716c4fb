import { type KoaContextWithOIDC, Provider } from "oidc-provider";
import type { LiveGrant } from "./grants.store.ts";

// What one request to the token endpoint knows already, or has yet to do; nothing of it outlives the request.

const grants = new WeakMap<KoaContextWithOIDC, LiveGrant>();
const used = new WeakMap<KoaContextWithOIDC, { readonly recordId: string }>();

/** The request that the engine answers, if it is one for tokens. */
const exchange = (): KoaContextWithOIDC | undefined => {
  const { ctx } = Provider;
  return ctx?.oidc?.route === "token" ? ctx : undefined;
};

export const isExchange = (): boolean => exchange() !== undefined;

/** It was read together with what hangs on it. */
export function rememberGrant(grant: LiveGrant): void {
  const ctx = exchange();
  if (ctx) grants.set(ctx, grant);
}

export function rememberedGrant(grantId: unknown): LiveGrant | null {
  const ctx = exchange();
  const grant = ctx && grants.get(ctx);
  return grant && grant.grantId === grantId ? grant : null;
}

/** A refresh token is used up in the moment its successor is written. False: outside of an exchange, where none follows. */
export function useWithSuccessor(recordId: string): boolean {
  const ctx = exchange();
  if (ctx) used.set(ctx, { recordId });
  return ctx !== undefined;
}

export function takeUsed(): string | null {
  const ctx = exchange();
  const recordId = (ctx && used.get(ctx)?.recordId) ?? null;
  if (ctx) used.delete(ctx);
  return recordId;
}
