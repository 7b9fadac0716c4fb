import type { FastifyPluginAsyncTypebox } from "@fastify/type-provider-typebox";
import type { FastifyReply, FastifyRequest } from "fastify";
import Type, { type Static } from "typebox";
import type { Scopes } from "../../../applications/client-scopes/index.ts";
import type { IdentityProviders } from "../../../federation/index.ts";
import { clock } from "../../../kernel/clock.ts";
import { AppError } from "../../../kernel/errors.ts";
import { type Messages, messagesOf, nonceOf, type SendPageOptions, sendPage, waitingTime } from "../../../pages/index.ts";
import type { Ctx } from "../../../platform/context.ts";
import { field, type Operation, type Routes, route } from "../../../platform/http/index.ts";
import type { Places } from "../../../platform/places.ts";
import { accountPath, seeOther, type Visitors } from "../../../signin/login/index.ts";
import type { RegistrationParts } from "../../../signin/passkeys/index.ts";
import type { ProfileParts } from "../profile/profile.routes.ts";
import { type AccountPageProps, type AccountView, type FormProblem, type PageName, renderAccountPage } from "./shell.tsx";

export interface ConsoleParts extends ProfileParts, RegistrationParts {
  readonly visitors: Visitors;
  readonly providers: IdentityProviders;
  readonly scopes: Scopes;
  readonly places: Places;
}

/** The routes of one page, or of a few that belong together. They are mounted under /realms/:realm/account. */
export type ConsolePages = FastifyPluginAsyncTypebox<ConsoleParts & { readonly pages: Consoles }>;

const TOKEN = "the value of the cookie XSRF-TOKEN";

/** Makes the schema of a form: its fields, each of which may be missing, and an example for the description. */
export const formOf = <const M extends Type.TProperties>(members: M, example: object = {}) =>
  Type.Object({ _csrf: field(512), ...members }, { examples: [{ _csrf: TOKEN, ...example }] });

/** The form of a button, about the record with this id. */
export const ById = formOf({ id: field(64) }, { id: "0199a2f0-7b1e-7c3a-9d4e-5f6a7b8c9d0e" });

/** The notices of actions that are done. */
const DONE = {
  saved: "accountSavedNotice",
  password: "accountPasswordChangedNotice",
  passkey: "accountPasskeyAddedNotice",
  app: "accountAppAddedNotice",
  removed: "accountRemovedNotice",
  browser: "accountBrowserForgotNotice",
  session: "accountSessionEndedNotice",
  others: "accountOthersEndedNotice",
  revoked: "accountRevokedNotice",
  unlinked: "accountUnlinkedNotice",
  linked: "accountLinkedNotice",
  joined: "accountJoinedNotice",
  attested: "accountAgentConfirmedNotice",
  suspended: "accountAgentStoppedNotice",
  shared: "accountSharedNotice",
  unshared: "accountUnsharedNotice",
  allowed: "accountShareAllowedNotice",
  refused: "accountShareRefusedNotice",
} as const satisfies Record<string, keyof Messages>;
export type Done = keyof typeof DONE;

/** Returns the page of a request. A form without a page of its own belongs to the nearest page above its address. */
export function pageOf({ server, url, routeOptions }: FastifyRequest): string {
  const path = url.split("?", 1)[0]!.split("/");
  const route = routeOptions.url!.split("/");
  while (route.length > 1 && !server.hasRoute({ method: "GET", url: route.join("/") })) route.pop();
  return route.length === path.length ? url : path.slice(0, route.length).join("/");
}

/** Redirects to a page of the console, which confirms the action. A reload does not repeat it. */
export const backTo = (request: FastifyRequest, reply: FastifyReply, path: string, done?: Done) =>
  seeOther(reply, `${accountPath(request.realmId, path)}${done ? `${path.includes("?") ? "&" : "?"}done=${done}` : ""}`);

/** Adds a form that acts at once, and returns to its page. */
export function actRoute<B extends Type.TObject, Q extends Type.TObject>(
  app: Routes,
  url: string,
  {
    back: [path, done],
    run,
    ...declared
  }: Operation & {
    readonly body: B;
    readonly querystring?: Q;
    readonly response: Readonly<Record<string, Type.TSchema>>;
    readonly back: readonly [path: string, done: Done];
    run(ctx: Ctx, form: Static<B>, query: Static<Q>): Promise<unknown>;
  },
): void {
  route(app, "POST", url, {
    ...declared,
    handler: async (request, reply) => {
      await request.transact((ctx) => run(ctx, request.body as Static<B>, request.query as Static<Q>));
      return backTo(request, reply, path, done);
    },
  });
}

type Consoles = ReturnType<typeof createPages>;

/** Creates the parts that pages of the account console share. */
export function createPages({ visitors, providers }: ConsoleParts) {
  return {
    async viewOf(request: FastifyRequest, reply: FastifyReply, here: PageName): Promise<AccountView> {
      const { lang: _lang, done: _done, ...kept } = request.query as Record<string, string>;
      const path = request.url.split("?", 1)[0]!;
      const { realmId } = request.realm;
      const known = await providers.get(realmId);
      const form = visitors.formOf(request, reply, path, kept);
      return {
        ...form,
        text: messagesOf(form),
        ...{ here, base: accountPath(realmId), logoutAction: `/realms/${realmId}/logout`, account: request.actor!.name },
        ...{ now: clock.now(), nonce: nonceOf(request) },
        hidden: known && known.byAlias.size > 0 ? [] : ["links"],
      };
    },
    /** Shows a page with the notice of a completed action, or the problem of a form that is shown again. */
    show(request: FastifyRequest, reply: FastifyReply, { logos = [], ...content }: AccountPageProps & Pick<SendPageOptions, "logos">) {
      const { view, problem } = content;
      const html = renderAccountPage({ ...content, notice: noticeOf(request, view) ?? content.notice });
      return sendPage(reply, problem?.status ?? 200, html, { nonce: view.nonce, logos });
    },
  };
}

/** Returns the notice for the following page. */
function noticeOf(request: FastifyRequest, { text }: AccountView): string | undefined {
  const { done } = request.query as { done?: string };
  return done !== undefined && Object.hasOwn(DONE, done) ? text[DONE[done as Done]] : undefined;
}

/** The field and the text of each refusal that a form shows. */
const REFUSALS: Readonly<Record<string, readonly [field: string | null, words: keyof Messages]>> = {
  "password.wrong": ["currentPassword", "accountPasswordWrong"],
  "password.policy": ["newPassword", "accountPasswordWeak"],
  "password.history": ["newPassword", "accountPasswordUsed"],
  "password.breached": ["newPassword", "accountPasswordLeaked"],
  "password.directory_policy": ["newPassword", "passwordDirectoryPolicyText"],
  "password.directory_history": ["newPassword", "passwordDirectoryHistoryText"],
  "password.directory_too_young": [null, "passwordDirectoryTooYoungText"],
  "password.directory_denied": [null, "passwordDirectoryDeniedText"],
  "password.entry_gone": [null, "passwordDirectoryDeniedText"],
  "credentials.password_elsewhere": [null, "passwordInDirectoryText"],
  "account.no_password": [null, "accountPasswordNone"],
  "account.mail_limited": ["email", "mailedLimitedText"],
  "account.mail_unavailable": ["email", "profileMailText"],
  "account.wait": [null, "accountPasswordWait"],
  "account.administrator": [null, "accountAdministrator"],
  "auth.overloaded": [null, "overloadedText"],
  "users.last_way_in": [null, "accountLastWay"],
  "users.login_name_taken": ["username", "accountTakenText"],
  "passkeys.refused": [null, "accountPasskeyRefused"],
  "passkeys.expired": [null, "passkeyExpiredText"],
  "passkeys.taken": [null, "accountPasskeyTaken"],
  "passkeys.too_many": [null, "accountPasskeyLimit"],
  "totp.expired": [null, "accountAppExpired"],
  "credentials.last_way_in": [null, "accountLastWay"],
  "identity_providers.last_way_in": [null, "accountLastWay"],
  "identity_providers.kept_by_directory": [null, "accountLinkKept"],
  "roles.last_realm_admin": [null, "accountDeleteLast"],
};

/** Returns the form's text for a refusal. Other errors are thrown, and shown on the error page. */
export function problemOf(error: unknown, { text, locale }: AccountView): FormProblem {
  if (!(error instanceof AppError) || !Object.hasOwn(REFUSALS, error.code)) throw error;
  const [field, words] = REFUSALS[error.code]!;
  const seconds = Number(error.headers?.["retry-after"] ?? 1);
  return { status: error.status, field, text: text[words].replace("{time}", () => waitingTime(locale, seconds)) };
}
