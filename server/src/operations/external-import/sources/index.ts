import type { ExternalSource } from "../source.ts";
import { auth0 } from "./auth0.ts";
import { authentik } from "./authentik.ts";
import { cognito } from "./cognito.ts";
import { firebase } from "./firebase.ts";
import { fusionauth } from "./fusionauth.ts";
import { keycloak } from "./keycloak/index.ts";
import { kratos } from "./kratos.ts";
import { ldif } from "./ldif.ts";
import { okta } from "./okta.ts";
import { supabase } from "./supabase.ts";
import { zitadel } from "./zitadel.ts";

/** Every system whose exports can be imported, in the order in which they are asked to recognise a file. A new one is a file and a line here. */
export const sources: readonly ExternalSource[] = [
  ...[keycloak, auth0, firebase, supabase, fusionauth, kratos, zitadel, authentik, okta, cognito, ldif],
];
