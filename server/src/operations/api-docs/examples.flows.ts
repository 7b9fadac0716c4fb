const steps = [
  { authenticator: "cookie", requirement: "ALTERNATIVE", config: {} },
  {
    alias: "forms",
    requirement: "ALTERNATIVE",
    steps: [
      { authenticator: "username-password", requirement: "REQUIRED", config: {} },
      {
        alias: "outside-the-office",
        requirement: "CONDITIONAL",
        steps: [
          { authenticator: "condition-network", requirement: "REQUIRED", config: { networks: ["10.0.0.0/8"], negate: true } },
          { authenticator: "totp", requirement: "REQUIRED", config: {} },
        ],
      },
    ],
  },
];
const displayName = "A second factor outside the office";

export const examplesOfFlows: Readonly<Record<string, unknown>> = {
  Flow: { alias: "office", displayName, builtIn: false, steps },
  CreateFlow: { alias: "office", displayName, steps },
  UpdateFlow: { displayName, steps },
  RenameFlow: { alias: "office-2027" },
  Authenticator: {
    name: "condition-network",
    displayName: "Network",
    description: "The request comes from one of these networks",
    kind: "condition",
    factor: null,
    identifies: false,
    config: {
      type: "object",
      required: ["networks"],
      properties: { networks: { type: "array", items: { type: "string" } }, negate: { type: "boolean", default: false } },
      additionalProperties: false,
    },
  },
};
