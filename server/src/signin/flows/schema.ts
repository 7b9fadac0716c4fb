import Type, { type Static, type TSchema } from "typebox";
import { nullable, oneOf, visibleName } from "../../platform/http/index.ts";
import { requirements } from "./flow.ts";

/** The maximum depth of nested lists. */
const MAX_DEPTH = 5;
const MAX_STEPS_IN_LIST = 30;

const alias = (what: string) =>
  Type.String({
    minLength: 1,
    maxLength: 63,
    pattern: "^[a-z0-9][a-z0-9-]*$",
    description: `${what} is made of lower-case letters, digits and hyphens`,
  });

const requirement = oneOf(requirements, {
  description:
    "`REQUIRED`: the step has to be passed. `ALTERNATIVE`: one of these steps is enough. `CONDITIONAL`: a list of steps that is used when its conditions are met. `DISABLED`: the step is ignored",
});

export interface StepInput {
  authenticator?: string;
  requirement: (typeof requirements)[number];
  config?: Record<string, unknown>;
  alias?: string;
  steps?: StepInput[];
}

/** Returns one schema for authenticators and lists, so that an error names the member. check.ts decides which members belong together. */
const stepSchema = (depth: number): TSchema =>
  Type.Object(
    {
      authenticator: Type.Optional(
        Type.String({
          minLength: 1,
          maxLength: 64,
          description: "The name of an authenticator, from `GET /authenticators`. A list of steps has none",
        }),
      ),
      requirement,
      config: Type.Optional(
        Type.Record(Type.String({ maxLength: 64 }), Type.Unknown(), {
          maxProperties: 32,
          description: "The settings of the step. The `config` of the authenticator is their JSON Schema",
        }),
      ),
      alias: Type.Optional(alias("The name of a list of steps, unique in a flow,")),
      ...(depth > 1 && {
        steps: Type.Optional(
          Type.Array(stepSchema(depth - 1), {
            maxItems: MAX_STEPS_IN_LIST,
            description: "The steps of a list, instead of `authenticator`",
          }),
        ),
      }),
    },
    { additionalProperties: false },
  );

const steps = Type.Unsafe<StepInput[]>(
  Type.Array(stepSchema(MAX_DEPTH), {
    minItems: 1,
    maxItems: MAX_STEPS_IN_LIST,
    description: "The steps, in the order in which they are asked",
  }),
);
const displayName = visibleName("a display name", "Sign in with a second factor");

export const Flow = Type.Object(
  {
    alias: Type.String({ description: "The identifier of the flow, by which clients name it" }),
    displayName: Type.String(),
    builtIn: Type.Boolean({ description: "True for a built-in flow. It can be changed, but neither renamed nor deleted" }),
    steps,
  },
  { $id: "Flow" },
);
export type Flow = Static<typeof Flow>;

export const CreateFlow = Type.Object(
  {
    alias: alias("A flow's alias"),
    displayName: Type.Optional(displayName),
    steps: Type.Optional(steps),
    copyFrom: Type.Optional(
      Type.String({ minLength: 1, maxLength: 63, description: "The alias of a flow whose steps are copied, instead of `steps`" }),
    ),
  },
  { $id: "CreateFlow", additionalProperties: false },
);
export type CreateFlow = Static<typeof CreateFlow>;

/** The full state of a flow. Without `displayName`, the alias is its name. */
export const UpdateFlow = Type.Object(
  { alias: Type.Optional(Type.String()), displayName: Type.Optional(displayName), builtIn: Type.Optional(Type.Boolean()), steps },
  { $id: "UpdateFlow", additionalProperties: false },
);
export type UpdateFlow = Static<typeof UpdateFlow>;

export const RenameFlow = Type.Object({ alias: alias("A flow's alias") }, { $id: "RenameFlow", additionalProperties: false });
export type RenameFlow = Static<typeof RenameFlow>;

export const AuthenticatorInfo = Type.Object(
  {
    name: Type.String({ description: "The name by which steps refer to it" }),
    displayName: Type.String(),
    description: Type.String(),
    kind: oneOf(["question", "silent", "condition"], {
      description: "Asks the user on a page; passes or fails by itself; or decides whether its list of steps is used",
    }),
    factor: nullable(
      oneOf(["knowledge", "possession", "both"]),
      "The kind of proof that a right answer gives. Null if it gives none, or none that is new",
    ),
    identifies: Type.Boolean({ description: "True if it identifies the user by itself. Otherwise a step before it has to" }),
    config: Type.Record(Type.String(), Type.Unknown(), { description: "The JSON Schema of a step's `config`" }),
  },
  { $id: "Authenticator" },
);
export type AuthenticatorInfo = Static<typeof AuthenticatorInfo>;
