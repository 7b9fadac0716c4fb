import type { JWK } from "jose";
import type { ScopesSnapshot } from "../../applications/client-scopes/index.ts";
import type { Apis, ClientSnapshot } from "../../applications/clients/index.ts";
import type { Db } from "../../platform/db/index.ts";
import type { SigningKeys } from "../../tenancy/keys/index.ts";
import type { RealmSnapshot } from "../../tenancy/realms/index.ts";
import type { SubjectOf } from "./contents/subject.ts";

/** The dependencies for the tokens of one realm. They are immutable: a change of the realm's configuration makes new ones. */
export interface IssuerParts {
  readonly db: Db;
  readonly realm: RealmSnapshot;
  readonly issuer: string;
  readonly scopesOfRealm: ScopesSnapshot;
  readonly signingKeys: SigningKeys;
  readonly subjectOf: SubjectOf;
  readonly apis: Apis;
  /** The client's keys, which protocols/client-auth owns. */
  readonly clientKeys: {
    known(client: ClientSnapshot): readonly JWK[];
    refresh(client: ClientSnapshot): Promise<boolean>;
  };
}

export const issuerOf = (baseUrl: string, realm: string): string => `${baseUrl}/realms/${realm}`;
