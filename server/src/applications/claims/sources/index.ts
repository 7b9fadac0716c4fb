// The sources of claims, one file each.
import { attribute } from "./attribute.ts";
import { constant } from "./constant.ts";
import { groups } from "./groups.store.ts";
import { organizations } from "./organizations.store.ts";
import { property } from "./property.ts";
import { roles } from "./roles.store.ts";
import { session } from "./session.ts";
import type { ClaimSource } from "./source.ts";

const all = { attribute, property, roles, groups, organizations, constant, session };

export type ClaimSourceName = keyof typeof all;
export const sources: Readonly<Record<ClaimSourceName, ClaimSource>> = all as Record<ClaimSourceName, ClaimSource>;
export const sourceNames = Object.keys(all) as ClaimSourceName[];
