import type { ExternalSource } from "../source.ts";
import { keycloak } from "./keycloak/index.ts";

/** Every system that realms and users come from. A new one is a file and a line here. */
export const sources: readonly ExternalSource[] = [keycloak];
