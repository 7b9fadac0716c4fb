import type { FastifyReply, FastifyRequest } from "fastify";
import Type from "typebox";
import { takeOwnUser } from "../../../directory/users/index.ts";
import { AppError } from "../../../kernel/errors.ts";
import { field, page, redirect, route } from "../../../platform/http/index.ts";
import { isIn, shownAttribute, shownInProfile, typedIn } from "../../../signin/own-profile/index.ts";
import { type Profile, UpdateProfile } from "../profile/profile.schema.ts";
import { readOnlyMembers, readProfile, saveProfile, withdrawAddress } from "../profile/profile.service.ts";
import { actRoute, backTo, type ConsolePages, formOf, problemOf } from "./pages.ts";
import { CONTACT, contactPage, DETAILS, type Member, profilePage, standardIn } from "./profile.tsx";
import type { AccountView, FormProblem } from "./shell.tsx";

const PATH = "pages/profile";
const bodyOf = (members: readonly { readonly name: string }[]) =>
  formOf(Object.fromEntries(members.map(({ name }) => [name, field(4096)])), { [members[0]!.name]: "Ada" });
type Form = Readonly<Record<string, string | undefined>>;

/** The body of the account API, without the name that its description uses. */
const Update = Type.Object(UpdateProfile.properties, { additionalProperties: false });

export const profilePages: ConsolePages = async (app, parts) => {
  const { pages } = parts;

  interface Shown {
    readonly typed?: Form;
    readonly problem?: FormProblem;
  }

  const show = async (request: FastifyRequest, reply: FastifyReply, pageOf: typeof profilePage, { typed, problem }: Shown = {}) => {
    const view = await pages.viewOf(request, reply, "profile");
    const profile = await request.read(readProfile);
    const readOnly = await request.read((ctx) => readOnlyMembers(ctx, request.realm.settings.account));
    const { settings } = request.realm;
    const typedAttributes = typed ? typedIn(askedIn(request, typed, readOnly), typed) : {};
    return pages.show(request, reply, pageOf({ view, profile, readOnly, settings, typed: typed ?? {}, typedAttributes, problem }));
  };

  /** Returns the attributes of the user profile that are in the form, and that the user may change. */
  const askedIn = ({ realm: { settings } }: FastifyRequest, form: Form, readOnly: ReadonlySet<string>) =>
    shownInProfile(settings, { requiresNames: false }).filter(
      (each) => each.edit.includes("user") && !readOnly.has(each.name) && isIn(form, each),
    );

  /** Saves the members of the form over the current profile, because the API replaces it whole. */
  const save = async (request: FastifyRequest, members: readonly Member[], form: Form): Promise<void> => {
    const { settings } = request.realm;
    const options = { policy: settings.account, broughtBy: null, mail: parts };
    await request.transact(async (ctx) => {
      await takeOwnUser(ctx);
      const profile = await readProfile(ctx);
      const readOnly = await readOnlyMembers(ctx, options.policy);
      const standard = typedOver(
        profile,
        standardIn(settings, members).filter(({ name }) => !readOnly.has(name)),
        form,
      );
      const asked = members === DETAILS ? askedIn(request, form, readOnly) : [];
      const input = withAttributes(standard, typedIn(asked, form));
      const validate = request.compileValidationSchema(Update);
      if (!validate(input)) throw new Refused((validate.errors as readonly { instancePath?: string }[] | null) ?? []);
      await saveProfile(ctx, input, { ...options, asked: new Set(asked.map(({ name }) => name)) });
    });
  };

  const routes = (path: string, members: readonly Member[], pageOf: typeof profilePage, config: object, summary: string) => {
    route(app, "GET", `/${path}`, {
      config: { impersonated: true, ...config },
      summary: `Show the page of ${summary}`,
      handler: (request, reply) => show(request, reply, pageOf),
    });
    route(app, "POST", `/${path}`, {
      config,
      summary: `Change ${summary} on the page`,
      body: bodyOf(members),
      response: { 303: redirect("Saved"), 400: page("The input is refused"), 409: page("The username is already taken") },
      handler: async (request, reply) => {
        const form = request.body as Form;
        try {
          await save(request, members, form);
        } catch (error) {
          const view = await pages.viewOf(request, reply, "profile");
          return show(request, reply, pageOf, {
            typed: form,
            problem: attributeProblem(request, error, view) ?? refusalOf(error, members, view),
          });
        }
        return backTo(request, reply, PATH, "saved");
      },
    });
  };
  routes(PATH, DETAILS, profilePage, {}, "your profile");
  routes(`${PATH}/contact`, CONTACT, contactPage, { recentAuthentication: true, impersonated: false }, "your username, address and number");

  actRoute(app, `/${PATH}/keep-address`, {
    summary: "Keep the current email address on the page",
    description: "The link that was sent to the new address stops working.",
    body: formOf({}),
    response: { 303: redirect("Kept") },
    run: async (ctx) => withdrawAddress(ctx, (await takeOwnUser(ctx)).userId),
    back: [PATH, "saved"],
  });

  /** Returns the problem of a declared attribute, for below its field. */
  const attributeProblem = ({ realm: { settings } }: FastifyRequest, error: unknown, { text, locale }: AccountView): FormProblem | null => {
    const faults =
      error instanceof Refused
        ? error.members.map((field) => ({ field, code: "" }))
        : error instanceof AppError
          ? (error.errors ?? [])
          : [];
    for (const each of shownInProfile(settings, { requiresNames: false })) {
      const { name } = each;
      const found = faults.find(({ field }) => field === name || field === `attributes.${name}`);
      const fault = found && { name, isMissing: found.code === "required" };
      if (fault) return { status: 400, field: name, text: shownAttribute(each, { text, locale, settings, values: {}, fault }).error! };
    }
    return null;
  };

  const refusalOf = (error: unknown, members: readonly Member[], view: AccountView): FormProblem => {
    const { text } = view;
    const found =
      error instanceof Refused ? error.members : error instanceof AppError ? (error.errors ?? []).map(({ field: name }) => name) : [];
    const member = members.find(({ name }) => found.some((each) => each === name || each.endsWith(`.${name}`)));
    if (member) return { status: 400, field: member.name, text: text[member.refusal] };
    if (error instanceof Refused) throw error.cause;
    return problemOf(error, view);
  };
};

/** The error if the typed values do not fit the schema of the API. */
class Refused extends Error {
  readonly members: readonly string[];
  constructor(errors: readonly { readonly instancePath?: string }[]) {
    super("the form does not fit the profile", { cause: new AppError("request.invalid", 400, "What was typed is not valid") });
    this.members = errors.map(({ instancePath = "" }) => instancePath.split("/").filter(Boolean).join("."));
  }
}

function withAttributes<I extends { readonly attributes: Record<string, string | string[]> }>(input: I, typed: ReturnType<typeof typedIn>) {
  const { firstName, lastName, ...others } = typed;
  const attributes = { ...input.attributes };
  for (const [name, value] of Object.entries(others)) {
    if (value === null) delete attributes[name];
    else attributes[name] = value;
  }
  const names = { ...(firstName !== undefined && { firstName }), ...(lastName !== undefined && { lastName }) };
  return { ...input, ...(names as { firstName?: string | null; lastName?: string | null }), attributes };
}

const filled = (typed: string | undefined): string | null => typed?.trim() || null;

function typedOver(profile: Profile, members: readonly Member[], form: Form) {
  const sent = members.filter(({ name }) => form[name] !== undefined);
  const own = Object.fromEntries(sent.filter(({ isAttribute }) => !isAttribute).map(({ name }) => [name, filled(form[name])]));
  const attributes: Record<string, string | string[]> = { ...profile.attributes };
  for (const { name, isAttribute } of sent) {
    const value = filled(form[name]);
    if (!isAttribute) continue;
    // The page shows the first of several values that an administrator set. If the user leaves it unchanged, all remain.
    const present = attributes[name];
    if (value === (Array.isArray(present) ? (present[0] ?? null) : (present ?? null))) continue;
    if (value === null) delete attributes[name];
    else attributes[name] = value;
  }
  const { username, email, firstName, lastName, locale } = profile;
  const { username: typedName, ...others } = own;
  return { ...{ username, email, firstName, lastName, locale }, ...(typedName && { username: typedName }), ...others, attributes };
}
