import type { FastifyPluginAsyncTypebox } from "@fastify/type-provider-typebox";
import { declare, page, redirect, session } from "../../../platform/http/index.ts";
import { limitWrites } from "../limit-writes.ts";
import { activityPages } from "./activity.routes.tsx";
import { agentPages } from "./agents.routes.tsx";
import { applicationPages } from "./applications.routes.tsx";
import { dataPages } from "./data.routes.tsx";
import { factorPages } from "./factors.routes.tsx";
import { linkPages } from "./links.routes.tsx";
import { organizationPages } from "./organizations.routes.tsx";
import { overviewPages } from "./overview.routes.tsx";
import { type ConsoleParts, createPages, pageOf } from "./pages.ts";
import { passwordPages } from "./password.routes.tsx";
import { preferencePages } from "./preferences.routes.tsx";
import { profilePages } from "./profile.routes.tsx";
import { resourcePages } from "./resources.routes.tsx";
import { securityPages } from "./security.routes.tsx";
import { sessionPages } from "./sessions.routes.tsx";

/** The responses that every page can give. */
const everywhere = {
  303: redirect("Redirects to the sign-in page"),
  403: page("Access is denied, or the CSRF token of the form is stale"),
};

/** Mounted under /realms/:realm/account: the pages beside the API. They are `/` and everything below `/pages/`. */
export const accountConsoleRoutes: FastifyPluginAsyncTypebox<ConsoleParts> = async (app, parts) => {
  declare(app, {
    tags: ["Account pages"],
    caller: session({ onlyPages: true, returnTo: pageOf }),
    ...{ csrf: "form", errors: "page", codes: "account" },
  });
  limitWrites(app);
  app.addHook("onRoute", (route) => {
    const response = { ...everywhere, ...((route.schema?.response ?? { 200: page("The page") }) as object) };
    route.schema = { ...route.schema, response };
  });
  // A form changes the data whatever version its page showed, so no request is conditional.
  app.addHook("onRequest", (request, _reply, done) => {
    delete request.headers["if-match"];
    done();
  });
  const pages = createPages(parts);
  const all = { ...parts, pages, prefix: "" };
  await app.register(overviewPages, all);
  await app.register(profilePages, all);
  await app.register(passwordPages, all);
  await app.register(securityPages, all);
  await app.register(factorPages, all);
  await app.register(sessionPages, all);
  await app.register(applicationPages, all);
  await app.register(agentPages, all);
  await app.register(resourcePages, all);
  await app.register(linkPages, all);
  await app.register(organizationPages, all);
  await app.register(activityPages, all);
  await app.register(dataPages, all);
  await app.register(preferencePages, all);
};
