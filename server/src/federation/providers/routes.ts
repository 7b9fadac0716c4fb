import type { FastifyPluginAsyncTypebox } from "@fastify/type-provider-typebox";
import { MINUTE } from "../../kernel/clock.ts";
import { collectionRoutes, pathParams, recordRoutes, route } from "../../platform/http/index.ts";
import { ListQuery } from "../../platform/paging/index.ts";
import { type RateLimiter, rateLimited } from "../../platform/rate-limit/index.ts";
import { withinDeadline } from "./deadline.ts";
import { mapperRoutes } from "./mappers.routes.ts";
import type { TestTools } from "./protocol.ts";
import { protocolOf } from "./protocols.ts";
import { CreateIdentityProvider, IdentityProvider, ProviderTest, UpdateIdentityProvider } from "./schema.ts";
import {
  createProvider,
  openProvider,
  type ProviderParts,
  readProvider,
  removeProvider,
  saveProvider,
  searchProviders,
} from "./service.ts";

const tags = ["Identity providers"];
const config = { permission: "manage-identity-providers" } as const;
const params = pathParams("alias");
const RULE =
  "A change of anything except its name, its order and its visibility needs every permission of the users who sign in through it, because " +
  "a caller that decides where its responses come from could act as any of them.";

/** Mounted under /admin/realms/:realm/identity-providers. */
export const identityProviderRoutes: FastifyPluginAsyncTypebox<
  ProviderParts & TestTools & { readonly limiter: RateLimiter; readonly providerTimeoutMs: number }
> = async (app, parts) => {
  // The limit is low because each test calls another server.
  const limit = rateLimited(parts.limiter, {
    name: "identity-provider-test",
    key: (req) => `identity-provider-test:${req.realmId}`,
    rule: { limit: 20, windowMs: MINUTE },
  });

  collectionRoutes(app, "/", {
    tags,
    record: IdentityProvider,
    list: { config, summary: "List identity providers", query: ListQuery, run: (ctx, _params, query) => searchProviders(ctx, query) },
    create: {
      config,
      summary: "Create an identity provider",
      description: "Its redirect URI is `{base_url}/realms/{realm}/broker/{alias}/endpoint`. Register this URI at the provider.",
      body: CreateIdentityProvider,
      id: ({ alias }) => alias,
      run: (ctx, _params, body) => createProvider(ctx, body, parts),
    },
  });

  recordRoutes(app, "/:alias", {
    tags,
    params,
    record: IdentityProvider,
    read: { config, summary: "Read an identity provider", run: (ctx, { alias }) => readProvider(ctx, alias) },
    replace: {
      config,
      summary: "Update an identity provider",
      description: `Secret members of \`config\` are write-only: if omitted, the stored ones are kept. Null is refused (400), and so is another scheme, host or port without them. ${RULE}`,
      body: UpdateIdentityProvider,
      run: (ctx, { alias }, body) => saveProvider(ctx, alias, body, parts),
    },
    remove: {
      config,
      summary: "Delete an identity provider",
      description: "Its users are kept, without a link to it. Needs every permission of these users.",
      run: (ctx, { alias }) => removeProvider(ctx, alias),
    },
  });

  route(app, "POST", "/:alias/test", {
    config: { ...config, versioned: false },
    preHandler: limit,
    summary: "Test an identity provider",
    description:
      "Contacts the provider with the stored configuration, and returns each result as a line. A realm can run twenty tests in a minute.",
    tags,
    params,
    response: { 200: ProviderTest },
    handler: async (req) => {
      const provider = await req.read((ctx) => openProvider(ctx, parts.vault, req.params.alias));
      const test = (outbound: TestTools["outbound"]) => protocolOf(provider.protocol).test(provider, { ...parts, outbound });
      const checks = await withinDeadline(parts.outbound, parts.providerTimeoutMs, test, { waits: false });
      const ok = checks.every((check) => check.ok);
      await req.transact(async (ctx) =>
        ctx.audit({
          ...{ category: "ADMIN", type: "ADMIN_ACTION", resourceType: "identity-providers", resourceId: provider.alias, detail: "test" },
          outcome: ok ? "SUCCESS" : "FAILURE",
        }),
      );
      return { ok, checks: [...checks] };
    },
  });

  await app.register(mapperRoutes, { prefix: "/:alias/mappers" });
};
