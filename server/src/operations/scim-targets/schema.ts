import Type, { type Static } from "typebox";
import { creationTime, nullable, oneOf, visibleName } from "../../platform/http/index.ts";
import { listQuery } from "../../platform/paging/index.ts";
import { presetNames } from "./presets/index.ts";

const name = visibleName("a target's name", "aws");
const url = Type.String({
  minLength: 1,
  maxLength: 2048,
  description:
    "The base URL of the SCIM service: https, at a public address. In development http to the server's own machine is accepted, too",
  examples: ["https://scim.example.com/v2"],
});
const secret = Type.String({ minLength: 1, maxLength: 8192, description: "The bearer token, the password or the client secret" });
const ids = (description: string) => Type.Array(Type.String({ format: "uuid" }), { maxItems: 1000, uniqueItems: true, description });
const closed = { additionalProperties: false };
const text = (description: string) => Type.Optional(Type.String({ minLength: 1, maxLength: 2048, description }));

const auth = Type.Object(
  {
    type: oneOf(["bearer", "basic", "oauth2"], {
      description:
        "The authentication method. bearer: the secret is a token. basic: the secret is a password. oauth2: the secret is a client secret (RFC 6749 §4.4)",
    }),
    username: text("The username. Only for `basic`"),
    tokenUrl: text("The URL of the token endpoint. Only for `oauth2`"),
    clientId: text("The client id. Only for `oauth2`"),
    scope: text("The scope of the token, if the service needs one. Only for `oauth2`"),
  },
  closed,
);
const users = Type.Object(
  {
    scope: Type.Optional(
      oneOf(["all", "groups", "organizations"], {
        default: "all",
        description: "The users that are sent to the target: all, or the members of groups or organizations",
      }),
    ),
    groupIds: Type.Optional(
      ids("The groups whose members, including those of the groups below them, are sent. Only for the scope `groups`"),
    ),
    organizationIds: Type.Optional(ids("The organizations whose members are sent. Only for the scope `organizations`")),
    userName: Type.Optional(
      oneOf(["username", "email"], {
        default: "username",
        description: "The source of the `userName` at the target. email: the confirmed address; a user without one is not sent",
      }),
    ),
    emails: Type.Optional(oneOf(["all", "confirmed"], { default: "all", description: "all: unconfirmed addresses are sent, too" })),
  },
  closed,
);
const groups = Type.Object(
  {
    mode: Type.Optional(
      oneOf(["none", "all", "listed"], {
        default: "none",
        description: "The groups that are sent to the target: none, those at the top of the tree, or the listed ones",
      }),
    ),
    groupIds: Type.Optional(ids("The ids of the listed groups. Only for the mode `listed`")),
    removed: Type.Optional(
      oneOf(["delete", "none"], { default: "delete", description: "The treatment of a group that is deleted, or no longer sent" }),
    ),
  },
  closed,
);
const mapping = nullable(
  Type.Record(Type.String({ minLength: 1, maxLength: 200 }), Type.String({ minLength: 1, maxLength: 255 }), { maxProperties: 100 }),
  "The SCIM attributes and the user attributes that supply their values, such as `title: jobTitle`. If null, the mapping of this realm's own SCIM server applies",
);
const deprovision = Type.Object(
  {
    disabled: Type.Optional(oneOf(["deactivate", "delete", "none"], { default: "deactivate", description: "A user was disabled" })),
    outOfScope: Type.Optional(
      oneOf(["deactivate", "delete", "none"], { default: "deactivate", description: "A user no longer belongs to `users`" }),
    ),
    deleted: Type.Optional(
      oneOf(["deactivate", "delete", "none"], {
        default: "delete",
        description: "A user was deleted. An erased user is always deleted at the target",
      }),
    ),
  },
  closed,
);
const matchBy = Type.Array(oneOf(["userName", "email"]), {
  uniqueItems: true,
  description:
    "The members by which an existing account is found and adopted, besides the user's id in `externalId`: the username, the confirmed address",
});
const preset = oneOf(presetNames, { description: "The kind of service, which determines its known differences from the standard" });
const requestsPerSecond = nullable(
  Type.Number({ minimum: 0.1, maximum: 100 }),
  "The requests per second. If null, the default of the preset",
);
const fullSyncHours = Type.Integer({
  minimum: 1,
  maximum: 720,
  description: "The interval of full syncs in hours. Changes are sent immediately in any case",
});

/** The settings of a target that are kept as one document. */
const settings = { auth, preset, users, groups, mapping, matchBy, deprovision, requestsPerSecond, fullSyncHours };
const { auth: requiredAuth, ...others } = settings;
const optionalSettings = { auth: requiredAuth, ...Type.Partial(Type.Object(others)).properties };

const targetStates = ["OK", "WORKING", "FAILING", "PAUSED", "WAITING_FOR_CONFIRMATION", "SUSPENDED", "DISABLED"] as const;
const time = (description: string) => nullable(Type.Integer(), `${description}, in epoch milliseconds`);

const standing = {
  state: oneOf(targetStates),
  message: Type.String({ description: "A sentence with the meaning and the remedy" }),
  pausedUntil: time("The time until which nothing is sent"),
  suspendedAt: time("The time since which the target has refused requests"),
  lastSyncAt: time("The time of the last full sync"),
  lastSentAt: time("The time when something was last sent"),
};

export const ScimTarget = Type.Object(
  {
    id: Type.String({ format: "uuid" }),
    realmId: Type.String(),
    name: Type.String(),
    enabled: Type.Boolean(),
    url: Type.String(),
    secret: Type.Null({ description: "It is never shown. `secretSet` tells whether there is one" }),
    secretSet: Type.Boolean(),
    ...settings,
    createdAt: creationTime,
    status: Type.Object(standing),
  },
  { $id: "ScimTarget" },
);
export type ScimTarget = Static<typeof ScimTarget>;
export type Settings = Pick<ScimTarget, keyof typeof settings>;

export const CreateScimTarget = Type.Object(
  {
    name,
    url,
    enabled: Type.Optional(Type.Boolean({ default: true })),
    secret: Type.Optional(nullable(secret)),
    ...optionalSettings,
  },
  { $id: "CreateScimTarget", ...closed },
);
export type CreateScimTarget = Static<typeof CreateScimTarget>;

export const UpdateScimTarget = Type.Object(
  {
    ...Type.Partial(ScimTarget).properties,
    // A merge patch removes the members that are null.
    status: Type.Optional(Type.Partial(Type.Object(standing))),
    name,
    url,
    enabled: Type.Boolean(),
    ...optionalSettings,
    secret: Type.Optional(
      Type.Union([secret, Type.Null()], {
        writeOnly: true,
        description:
          "If omitted, the stored secret is kept, unless scheme, host or port of `url` or `tokenUrl` change. Null clears it, unless `secretSet` is true, as in the response of a read",
      }),
    ),
  },
  { $id: "UpdateScimTarget", ...closed },
);
export type UpdateScimTarget = Static<typeof UpdateScimTarget>;

const objectStates = ["PENDING", "SYNCED", "FAILED", "DEAD", "HELD", "GONE"] as const;
export type ObjectState = (typeof objectStates)[number];
const objectKinds = ["user", "group"] as const;
export type ObjectKind = (typeof objectKinds)[number];

export const ScimTargetObject = Type.Object(
  {
    id: Type.String({ format: "uuid", description: "The id of the user or group" }),
    kind: oneOf(objectKinds),
    name: nullable(Type.String(), "The name. Null if the user or group no longer exists"),
    remoteId: nullable(Type.String(), "The `id` at the target"),
    state: oneOf(objectStates, {
      description:
        "PENDING: not sent yet. SYNCED: sent. FAILED: refused, until it changes or is retried. DEAD: abandoned after many attempts. " +
        "HELD: waits for a confirmation. GONE: recently removed at the target",
    }),
    attempts: Type.Integer(),
    nextAttemptAt: time("The time of the next attempt while PENDING"),
    error: nullable(Type.String(), "The reason why the last attempt failed"),
    sentAt: time("The time when it was last sent"),
  },
  { $id: "ScimTargetObject" },
);
export type ScimTargetObject = Static<typeof ScimTargetObject>;

export const ObjectQuery = listQuery({
  state: Type.Optional(oneOf(objectStates)),
  kind: Type.Optional(oneOf(objectKinds)),
});
export type ObjectQuery = Static<typeof ObjectQuery>;

const counts = Type.Object({
  synced: Type.Integer(),
  pending: Type.Integer(),
  failed: Type.Integer(),
  dead: Type.Integer(),
  held: Type.Integer({
    description: "The number of accounts that will be deactivated or deleted at the target once an administrator confirms it",
  }),
});
export const ScimTargetStatus = Type.Object(
  { ...standing, users: counts, groups: counts, syncing: Type.Boolean({ description: "True if a full sync is waiting or running" }) },
  { $id: "ScimTargetStatus" },
);
export type ScimTargetStatus = Static<typeof ScimTargetStatus>;

/** The body may be left out; it then arrives as null. */
export const SyncScimTarget = Type.Union(
  [
    Type.Object(
      {
        dryRun: Type.Optional(
          Type.Boolean({
            default: false,
            description: "List what would be sent, without sending it. The target receives only GET requests",
          }),
        ),
        resend: Type.Optional(
          Type.Boolean({
            default: false,
            description: "Send everything again, even if it has not changed, to repair changes that were made at the target",
          }),
        ),
      },
      closed,
    ),
    Type.Null(),
  ],
  { $id: "SyncScimTarget" },
);
export type SyncScimTarget = Static<typeof SyncScimTarget>;

const plannedActions = ["create", "adopt", "update", "deactivate", "delete", "refuse"] as const;
export type PlannedAction = (typeof plannedActions)[number];
export const ScimTargetPlan = Type.Object(
  {
    dryRun: Type.Boolean(),
    requested: Type.Boolean({ description: "The full sync was started. The status shows its progress" }),
    complete: Type.Boolean({ description: "False if a dry run ended early because of its time limit" }),
    unchanged: Type.Integer(),
    counts: Type.Object(
      Object.fromEntries(plannedActions.map((action) => [action, Type.Integer()])) as Record<PlannedAction, Type.TInteger>,
    ),
    items: Type.Array(
      Type.Object({
        kind: oneOf(objectKinds),
        id: Type.String({ format: "uuid" }),
        name: nullable(Type.String()),
        action: oneOf(plannedActions),
        reason: Type.Optional(Type.String()),
      }),
      { description: "The first 100 items" },
    ),
  },
  { $id: "ScimTargetPlan" },
);
export type ScimTargetPlan = Static<typeof ScimTargetPlan>;

export const ConfirmDeprovisioning = Type.Object(
  {
    accounts: Type.Optional(
      Type.Integer({ minimum: 1, description: "The number of users and groups that the status showed. Another number is refused" }),
    ),
  },
  { $id: "ConfirmDeprovisioning", ...closed },
);
export type ConfirmDeprovisioning = Static<typeof ConfirmDeprovisioning>;

export const ScimTargetTest = Type.Object(
  {
    ok: Type.Boolean(),
    checks: Type.Array(
      Type.Object({ name: oneOf(["reach", "authorised", "users", "groups"]), ok: Type.Boolean(), message: Type.String() }),
    ),
  },
  { $id: "ScimTargetTest" },
);
export type ScimTargetTest = Static<typeof ScimTargetTest>;
