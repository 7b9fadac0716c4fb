import type { FastifyPluginAsyncTypebox } from "@fastify/type-provider-typebox";
import Type, { type Static } from "typebox";
import { clock } from "../../kernel/clock.ts";
import { AppError } from "../../kernel/errors.ts";
import { renderLink, renderLinkElsewhere, sendPage } from "../../pages/index.ts";
import { field, link, page, route } from "../../platform/http/index.ts";
import { findSignInUser, fitsLink, openElsewhere, type Progress, type SignInRequest } from "../authenticators/index.ts";
import type { Ask } from "../flows/index.ts";
import {
  type Asking,
  contextOf,
  continueSignIn,
  positionOf,
  readInteractionElsewhere,
  saveInteractionState,
  stepOf,
} from "../run/index.ts";
import { loginPath } from "./begin.ts";
import type { ContinueRouteParts } from "./continue.routes.ts";
import type { Visit } from "./replies.ts";
import { startingSession } from "./start-session.ts";

const members = {
  interaction: Type.String({ maxLength: 64 }),
  step: Type.String({ maxLength: 255 }),
  token: Type.String({ maxLength: 64 }),
};
const LinkQuery = Type.Object({ ...members, lang: field(35) });
type LinkMembers = Static<Type.TObject<typeof members>>;
const LinkForm = Type.Object(
  { ...members, _csrf: field(512) },
  { $id: "LinkForm", additionalProperties: Type.String({ maxLength: 4096 }) },
);

/** Mounted under /realms/:realm. The links of the step `magic-link` lead here. To load the page does nothing. Its button answers. */
export const linkRoutes: FastifyPluginAsyncTypebox<ContinueRouteParts> = async (app, { parts, visitors, openRun }) => {
  route(app, "GET", "/login/link", {
    config: { caller: link() },
    summary: "Open a sign-in link from a mail",
    description:
      "Shows a button and changes nothing, because programs that scan mail open links, too. In another browser than the sign-in's it shows " +
      "the application, the browser and the address that asked.",
    querystring: LinkQuery,
    response: { 200: page("The page with the button"), 400: page("The link no longer works") },
    handler: async (request, reply) => {
      const visit = { request, reply, visitor: request.visitor };
      const { interaction, step, token } = request.query;
      const found = await findStep(visit, step);
      if (found === "elsewhere") return showElsewhere(visit, request.query, false);
      if (!found || !fitsLink(contextOf(parts, found.position.run, found.step), token))
        return visitors.showMessage(request, reply, 400, "sign-in-link-gone");
      const action = `/realms/${request.realmId}/login/link`;
      const hidden = { interaction, step, token };
      const html = renderLink({
        ...visitors.formOf(request, reply, action, hidden),
        ...{ action, hidden },
        account: found.position.run.progress.login ?? "",
      });
      return sendPage(reply, 200, html);
    },
  });

  route(app, "POST", "/login/link", {
    config: { caller: link(), limit: "signIns" },
    summary: "Confirm a sign-in through its link",
    description:
      "Works once, in the browser in which the sign-in began; the page that waits there continues. Any other browser shows a code to enter there.",
    body: LinkForm,
    response: {
      200: page("Confirmed, or the page with the code"),
      400: page("The link no longer works"),
      403: page("The CSRF token is missing or stale"),
    },
    handler: async (request, reply) => {
      const visit = { request, reply, visitor: request.visitor };
      const { interaction, step, token } = request.body;
      const found = await findStep(visit, step);
      if (found === "elsewhere") return showElsewhere(visit, request.body, true);
      const answer = found && { step: found.step, form: { token } };
      const result = answer && (await continueSignIn(parts, found.position, answer, startingSession(parts)));
      if (result?.outcome !== "ask" || result.after?.kind !== "again" || result.after.problem)
        return visitors.showMessage(request, reply, 400, "sign-in-link-gone");
      const back = { href: loginPath(request.realmId, interaction), label: "continue" } as const;
      return visitors.showMessage(request, reply, 200, "sign-in-link-confirmed", { back });
    },
  });

  /**
   * Shows the page of a link in another browser than the sign-in's, for example on a telephone. The page names the browser that asked, and
   * shows a code to type there. It signs nobody in here.
   */
  const showElsewhere = async (
    { request, reply, visitor }: Visit,
    { interaction: id, step: path, token }: LinkMembers,
    isAsked: boolean,
  ) => {
    const { realm } = visitor;
    const now = clock.now();
    const interaction = await readInteractionElsewhere({ tx: parts.db, realm: realm.realmId, now }, id);
    const state = interaction?.state as Partial<Progress> | undefined;
    const data = state?.data?.[path] ?? null;
    const user = state?.userId ? await findSignInUser(parts.db, realm.realmId, state.userId, now) : null;
    const opened = data && !interaction?.result ? openElsewhere({ parts, realm, path, user, data, now }, token) : null;
    if (!interaction || !state || !opened) return visitors.showMessage(request, reply, 400, "sign-in-link-gone");
    if (isAsked)
      await saveInteractionState({ tx: parts.db, realm: realm.realmId, now }, interaction, {
        ...state,
        data: { ...state.data, [path]: opened.data },
      });
    const action = `/realms/${realm.realmId}/login/link`;
    const hidden = { interaction: id, step: path, token };
    const { application } = interaction.request as SignInRequest;
    const html = renderLinkElsewhere({
      ...visitors.formOf(request, reply, action, hidden),
      ...{ action, hidden, code: isAsked ? opened.code : null },
      screen: { client: application?.name ?? null, ...opened.askedBy, time: { at: opened.sentAt, now } },
    });
    return sendPage(reply, 200, html);
  };

  /** Finds the step that waits for a link in a sign-in of this browser. */
  const findStep = async (visit: Visit, path: string): Promise<{ position: Asking; step: Ask } | "elsewhere" | null> => {
    const opened = await openRun(visit).catch((error) => {
      if (error instanceof AppError && error.code === "interactions.gone") return null;
      throw error;
    });
    if (!opened) return "elsewhere";
    if (opened.interaction?.result) return null;
    const position = await positionOf(parts, opened);
    const step = stepOf(position, path);
    return position.outcome === "ask" && step?.name === "magic-link" ? { position, step } : null;
  };
};
