/** The rules for a grant type, wherever clients are configured or registered. */
interface GrantTypeRules {
  /** Its name in the admin API, if that is not `grant_type` of OAuth. */
  readonly name?: string;
  /** True if the client itself is trusted, so it must authenticate. */
  readonly isConfidentialOnly?: boolean;
  /** True if it issues tokens of users. False if it issues tokens of the client, or successors of tokens of another grant. */
  readonly givesUserTokens: boolean;
  /** True if a client that registers itself may request it, if the realm's `provisioning` allows it. */
  readonly isSelfRegistrable: boolean;
}

/** The grant types by `grant_type`, one row each. `protocols/token-endpoint/grants` has a grant for each of them. */
const rows = {
  authorization_code: { givesUserTokens: true, isSelfRegistrable: true },
  refresh_token: { givesUserTokens: false, isSelfRegistrable: true },
  client_credentials: { isConfidentialOnly: true, givesUserTokens: false, isSelfRegistrable: true },
  password: { givesUserTokens: true, isSelfRegistrable: true },
  "urn:ietf:params:oauth:grant-type:device_code": { name: "device", givesUserTokens: true, isSelfRegistrable: true },
  "urn:openid:params:grant-type:ciba": { name: "CIBA", isConfidentialOnly: true, givesUserTokens: true, isSelfRegistrable: true },
  "urn:ietf:params:oauth:grant-type:token-exchange": {
    name: "token-exchange",
    isConfidentialOnly: true,
    givesUserTokens: true,
    isSelfRegistrable: true,
  },
  "urn:ietf:params:oauth:grant-type:jwt-bearer": {
    name: "jwt-bearer",
    isConfidentialOnly: true,
    givesUserTokens: true,
    isSelfRegistrable: false,
  },
  "urn:ietf:params:oauth:grant-type:uma-ticket": { name: "uma-ticket", givesUserTokens: false, isSelfRegistrable: false },
} as const satisfies Record<string, GrantTypeRules>;

type Rows = typeof rows;
export type GrantType = keyof Rows;
/** The names in the admin API. */
type GrantTypeName = { [K in GrantType]: Rows[K] extends { readonly name: infer Name } ? Name : K }[GrantType];

export const grantTypes = Object.keys(rows) as GrantType[];
export const rulesOfGrantType = (type: GrantType): GrantTypeRules => rows[type];
export const spellGrantType = (type: GrantType): GrantTypeName => (rulesOfGrantType(type).name ?? type) as GrantTypeName;
export const grantTypeNames = grantTypes.map(spellGrantType);
/** The grant types with another name in the admin API, which accepts both. */
export const grantTypeUrns = grantTypes.filter((type) => rulesOfGrantType(type).name !== undefined);

const byName = new Map<string, GrantType>(grantTypes.map((type) => [spellGrantType(type), type]));
export const toGrantType = (name: GrantTypeName | GrantType): GrantType => byName.get(name) ?? (name as GrantType);
