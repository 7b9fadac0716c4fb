const time = 1_767_225_600_000;

const state = {
  name: "aws",
  url: "https://scim.eu-central-1.amazonaws.com/a1b2/scim/v2",
  auth: { type: "bearer" },
  preset: "aws",
  users: {
    scope: "groups",
    groupIds: ["019b76da-a801-7a3b-8c4d-5e6f7a8b9c0d"],
    organizationIds: [],
    userName: "email",
    emails: "confirmed",
  },
  groups: { mode: "all", groupIds: [], removed: "delete" },
  mapping: null,
  matchBy: ["userName"],
  deprovision: { disabled: "deactivate", outOfScope: "deactivate", deleted: "delete" },
  requestsPerSecond: null,
  fullSyncHours: 24,
};

const standing = {
  state: "OK",
  message: "All changes were sent.",
  pausedUntil: null,
  suspendedAt: null,
  lastSyncAt: time,
  lastSentAt: time,
};

export const examplesOfScimTargets = {
  ScimTarget: {
    id: "019b76da-a811-7a3b-8c4d-5e6f7a8b9c0d",
    realmId: "acme",
    enabled: true,
    secret: null,
    secretSet: true,
    ...state,
    createdAt: time,
    status: standing,
  },
  CreateScimTarget: { ...state, enabled: true, secret: "the access token" },
  UpdateScimTarget: { ...state, enabled: false },
  PatchScimTarget: { enabled: false },
  ScimTargetStatus: {
    ...standing,
    users: { synced: 240, pending: 0, failed: 0, dead: 0, held: 0 },
    groups: { synced: 12, pending: 0, failed: 0, dead: 0, held: 0 },
    syncing: false,
  },
  SyncScimTarget: { dryRun: true },
  ScimTargetPlan: {
    dryRun: true,
    requested: false,
    complete: true,
    unchanged: 239,
    counts: { create: 1, adopt: 0, update: 0, deactivate: 0, delete: 0, refuse: 0 },
    items: [{ kind: "user", id: "019b76da-a812-7a3b-8c4d-5e6f7a8b9c0d", name: "ada", action: "create" }],
  },
  ConfirmDeprovisioning: { accounts: 62 },
  ScimTargetObject: {
    id: "019b76da-a812-7a3b-8c4d-5e6f7a8b9c0d",
    kind: "user",
    name: "ada",
    remoteId: "9067729b3d-94f1e0b3",
    state: "FAILED",
    attempts: 1,
    nextAttemptAt: null,
    error: "The target answered 400: familyName is required",
    sentAt: null,
  },
  ScimTargetTest: {
    ok: true,
    checks: [
      { name: "reach", ok: true, message: "The target answers." },
      { name: "authorised", ok: true, message: "The target accepts our credentials." },
      { name: "users", ok: true, message: "The target lists its users." },
    ],
  },
};
