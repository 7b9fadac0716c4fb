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
    "`REQUIRED`: has to be passed. `ALTERNATIVE`: one of them is enough. `CONDITIONAL`: a list that is asked for when its conditions hold. `DISABLED`: as if it were not there",
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
        Type.String({ minLength: 1, maxLength: 64, description: "A name of `GET /authenticators`; a list of steps has none" }),
      ),
      requirement,
      config: Type.Optional(
        Type.Record(Type.String({ maxLength: 64 }), Type.Unknown(), {
          maxProperties: 32,
          description: "As the authenticator describes it",
        }),
      ),
      alias: Type.Optional(alias("The name of a list of steps, once in a flow,")),
      ...(depth > 1 && {
        steps: Type.Optional(
          Type.Array(stepSchema(depth - 1), { maxItems: MAX_STEPS_IN_LIST, description: "Steps within, instead of `authenticator`" }),
        ),
      }),
    },
    { additionalProperties: false },
  );

const steps = Type.Unsafe<StepInput[]>(
  Type.Array(stepSchema(MAX_DEPTH), { minItems: 1, maxItems: MAX_STEPS_IN_LIST, description: "In the order in which they are asked" }),
);
const displayName = visibleName("a display name", "Sign in with a second factor");

export const Flow = Type.Object(
  {
    alias: Type.String({ description: "Its key, by which clients name it" }),
    displayName: Type.String(),
    builtIn: Type.Boolean({ description: "One that ships: it can be changed, but neither renamed nor deleted" }),
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
      Type.String({ minLength: 1, maxLength: 63, description: "The alias of a flow whose steps it gets, instead of `steps`" }),
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
    name: Type.String({ description: "As steps name it" }),
    displayName: Type.String(),
    description: Type.String(),
    kind: oneOf(["question", "silent", "condition"], {
      description: "Asks the user on a page; passes or fails by itself; or decides whether the list that it stands in is asked for",
    }),
    factor: nullable(
      oneOf(["knowledge", "possession", "both"]),
      "The kind of proof that a right answer is; null: none, or none that is new",
    ),
    identifies: Type.Boolean({ description: "Finds out by itself who it is; the others need a step before them that does" }),
    config: Type.Record(Type.String(), Type.Unknown(), { description: "The JSON Schema of a step's `config`" }),
  },
  { $id: "Authenticator" },
);
export type AuthenticatorInfo = Static<typeof AuthenticatorInfo>;
