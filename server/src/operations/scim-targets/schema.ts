import Type, { type Static } from "typebox";
import { nullable, oneOf } from "../../platform/http/index.ts";
import { listQuery } from "../../platform/paging/index.ts";
import { presetNames } from "./presets/index.ts";

const name = Type.String({
  minLength: 1,
  maxLength: 255,
  pattern: "^[^\\p{C}\\s]([^\\p{C}]*[^\\p{C}\\s])?$",
  description: "a target's name has no control or invisible characters and no space at either end",
  examples: ["aws"],
});
const url = Type.String({
  minLength: 1,
  maxLength: 2048,
  description: "The base address of the SCIM service: https, a public address. In development also http to this machine",
  examples: ["https://scim.example.com/v2"],
});
const secret = Type.String({ minLength: 1, maxLength: 8192, description: "The bearer token, the password or the client secret" });
const ids = (description: string) => Type.Array(Type.String({ format: "uuid" }), { maxItems: 1000, uniqueItems: true, description });
const closed = { additionalProperties: false };
const text = (description: string) => Type.Optional(Type.String({ minLength: 1, maxLength: 2048, description }));

const auth = Type.Object(
  {
    type: oneOf(["bearer", "basic", "oauth2"], {
      description: "bearer: the secret is the token. basic: it is the password. oauth2: it is the secret of a client (RFC 6749 §4.4)",
    }),
    username: text("For basic"),
    tokenUrl: text("For oauth2: the token endpoint"),
    clientId: text("For oauth2"),
    scope: text("For oauth2, if the service needs one"),
  },
  closed,
);
const users = Type.Object(
  {
    scope: Type.Optional(
      oneOf(["all", "groups", "organizations"], { default: "all", description: "The users that the target has: all, or members" }),
    ),
    groupIds: Type.Optional(ids("With scope groups: members of these groups, and of the groups below them")),
    organizationIds: Type.Optional(ids("With scope organizations: members of these organizations")),
    userName: Type.Optional(
      oneOf(["username", "email"], {
        default: "username",
        description: "The `userName` there. email: the confirmed address; a user without one is not sent",
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
        description: "The groups that the target has: none, those at the top of the tree, or the listed ones",
      }),
    ),
    groupIds: Type.Optional(ids("With mode listed")),
    removed: Type.Optional(
      oneOf(["delete", "none"], { default: "delete", description: "The treatment of a group that is deleted, or not sent any more" }),
    ),
  },
  closed,
);
const mapping = nullable(
  Type.Record(Type.String({ minLength: 1, maxLength: 200 }), Type.String({ minLength: 1, maxLength: 255 }), { maxProperties: 100 }),
  "SCIM attributes and the attributes of users that they are filled with, such as `title: jobTitle`. Null: the mapping of this realm's own SCIM server",
);
const deprovision = Type.Object(
  {
    disabled: Type.Optional(oneOf(["deactivate", "delete", "none"], { default: "deactivate", description: "A user was disabled" })),
    outOfScope: Type.Optional(
      oneOf(["deactivate", "delete", "none"], { default: "deactivate", description: "A user does not belong to `users` any more" }),
    ),
    deleted: Type.Optional(
      oneOf(["deactivate", "delete", "none"], {
        default: "delete",
        description: "A user was deleted. An erased user is always deleted there",
      }),
    ),
  },
  closed,
);
const matchBy = Type.Array(oneOf(["userName", "email"]), {
  uniqueItems: true,
  description:
    "The members by which an existing account is found and adopted, besides our id of the user in `externalId`: the username, the confirmed address",
});
const preset = oneOf(presetNames, { description: "The kind of service, which decides in what it differs from others" });
const requestsPerSecond = nullable(Type.Number({ minimum: 0.1, maximum: 100 }), "Null: as the preset has it");
const fullSyncHours = Type.Integer({
  minimum: 1,
  maximum: 720,
  description: "The interval at which everything is compared, besides at every change",
});

/** The settings of a target that are kept as one document. */
const settings = { auth, preset, users, groups, mapping, matchBy, deprovision, requestsPerSecond, fullSyncHours };
const { auth: requiredAuth, ...others } = settings;
const optionalSettings = { auth: requiredAuth, ...Type.Partial(Type.Object(others)).properties };

const targetStates = ["OK", "WORKING", "FAILING", "PAUSED", "WAITING_FOR_CONFIRMATION", "SUSPENDED", "DISABLED"] as const;
const time = (description: string) => nullable(Type.Integer(), `${description}; epoch milliseconds`);

const standing = {
  state: oneOf(targetStates),
  message: Type.String({ description: "The meaning and the remedy, in a sentence" }),
  pausedUntil: time("Nothing is sent before"),
  suspendedAt: time("Since when the target refuses us"),
  lastSyncAt: time("When everything was compared last"),
  lastSentAt: time("When something was sent last"),
};

export const ScimTarget = Type.Object(
  {
    id: Type.String({ format: "uuid" }),
    realmId: Type.String(),
    name: Type.String(),
    enabled: Type.Boolean(),
    url: Type.String(),
    secret: Type.Null({ description: "Never shown; `secretSet` says whether there is one" }),
    secretSet: Type.Boolean(),
    ...settings,
    createdAt: Type.Integer({ description: "Epoch milliseconds" }),
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
    name,
    url,
    enabled: Type.Boolean(),
    ...optionalSettings,
    secret: Type.Optional(
      Type.Union([secret, Type.Null()], {
        writeOnly: true,
        description:
          "Left out: kept, unless scheme, host or port of `url` or `tokenUrl` change. Null: cleared, unless `secretSet` is true as well, as in a record that was read",
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
    id: Type.String({ format: "uuid", description: "The user or group" }),
    kind: oneOf(objectKinds),
    name: nullable(Type.String(), "Null: it does not exist any more"),
    remoteId: nullable(Type.String(), "Its `id` at the target"),
    state: oneOf(objectStates, {
      description:
        "PENDING: waits to be sent. SYNCED: sent. FAILED: refused, until it changes or is retried. DEAD: given up after many attempts. " +
        "HELD: waits for a confirmation. GONE: removed there a short while ago",
    }),
    attempts: Type.Integer(),
    nextAttemptAt: time("For PENDING"),
    error: nullable(Type.String(), "Why the last attempt failed"),
    sentAt: time("When it was sent last"),
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
  held: Type.Integer({ description: "To be deactivated or deleted there, once an administrator confirms it" }),
});
export const ScimTargetStatus = Type.Object(
  { ...standing, users: counts, groups: counts, syncing: Type.Boolean({ description: "A full sync waits or runs" }) },
  { $id: "ScimTargetStatus" },
);
export type ScimTargetStatus = Static<typeof ScimTargetStatus>;

export const SyncScimTarget = Type.Object(
  {
    dryRun: Type.Optional(
      Type.Boolean({ default: false, description: "Only lists what would be sent. The target gets GET requests at most" }),
    ),
    resend: Type.Optional(
      Type.Boolean({
        default: false,
        description: "Sends everything again, even if it has not changed, to repair changes that were made at the target",
      }),
    ),
  },
  { $id: "SyncScimTarget", ...closed },
);
export type SyncScimTarget = Static<typeof SyncScimTarget>;

const plannedActions = ["create", "adopt", "update", "deactivate", "delete", "refuse"] as const;
export type PlannedAction = (typeof plannedActions)[number];
export const ScimTargetPlan = Type.Object(
  {
    dryRun: Type.Boolean(),
    requested: Type.Boolean({ description: "A full sync begins now; the status shows its progress" }),
    complete: Type.Boolean({ description: "False: a dry run ended early because of its time limit" }),
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
      { description: "The first 100" },
    ),
  },
  { $id: "ScimTargetPlan" },
);
export type ScimTargetPlan = Static<typeof ScimTargetPlan>;

export const ConfirmDeprovisioning = Type.Object(
  {
    accounts: Type.Optional(
      Type.Integer({ minimum: 1, description: "The number of users and groups that the status showed: another number is refused" }),
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
