import { expect } from "vitest";
import type { AdminClient } from "./realm.ts";

/** One of each part of a client's authorization services, with the name "worker". */
export const authzParts = {
  scopes: [{ name: "worker" }, {}],
  resources: [{ name: "worker" }, {}],
  policies: [{ name: "worker", type: "time", hour: 8 }, { hour: 9 }],
  permissions: [{ name: "worker", type: "scope", scopes: ["worker"] }, { scopes: ["worker"] }],
} as const;
/** Enables authorization services for a client and creates the parts. */
export async function addAuthzParts(admin: AdminClient, client: string): Promise<void> {
  await admin.put(`${client}/authz/settings`, { enabled: true });
  for (const [part, [body]] of Object.entries(authzParts))
    expect((await admin.post(`${client}/authz/${part}`, body)).status, part).toBe(201);
}
