import { brokerOf, homeProvider, homeProviderOf, type ProviderSnapshot } from "../../federation/index.ts";
import { renderDeparture, sendPage } from "../../pages/index.ts";
import { IDENTITY_PROVIDER, isTicked, type SignInParts, toBeLinked } from "../authenticators/index.ts";
import type { Ask } from "../flows/index.ts";
import type { Asking, Run } from "../run/index.ts";
import { loginPath, seeOther } from "./begin.ts";
import type { Visit } from "./replies.ts";
import type { Visitors } from "./visitors.ts";

const stepIn = ({ steps }: Pick<Asking, "steps">): Ask | undefined => steps.find(({ name }) => name === IDENTITY_PROVIDER);

const isBroker = (provider: ProviderSnapshot | null): provider is ProviderSnapshot =>
  provider !== null && brokerOf(provider.protocol) !== null;

/**
 * Sends the user to the identity provider that the typed name belongs to. Returns the run to store, or null if the step continues here.
 * Each provider is tried once in a sign-in: a user who comes back and types the same name wants to sign in here. The other fields of the
 * form, such as a password, are not read.
 */
export async function discoverHomeRealm(
  parts: SignInParts,
  asking: Asking,
  ask: Ask,
  form: Readonly<Record<string, string>>,
): Promise<Run | null> {
  const { run } = asking;
  const { realm, request, progress } = run;
  const step = stepIn(asking);
  if (!step || !run.flows || request.isLocal) return null;
  const at = { db: parts.db, providers: parts.brokers.providers };
  const login = ask.question.nameIn?.(form);
  const found =
    login !== undefined
      ? await homeProvider(at, { realm: realm.realmId, address: login })
      : ask === step && form.find !== undefined
        ? await homeProviderOf(at, { realm: realm.realmId, address: form.provider ?? "" })
        : null;
  if (!isBroker(found)) return null;
  const { alias } = found;
  if (alias === toBeLinked(progress)) return null;
  const wasThere = progress.home?.alias === alias || progress.data[step.path]?.alias === alias;
  if (login !== undefined && wasThere) return null;
  const typed = login ?? form.provider ?? "";
  const { [step.path]: _, ...data } = progress.data;
  const home = { alias, login: typed.includes("@") ? typed.slice(0, 320) : null };
  return { ...run, progress: { ...progress, data, chosen: null, home, remember: isTicked(form.rememberMe) } };
}

/**
 * The provider that the browser goes to before any question. `asks` is true if a form led here, because browsers would stop its redirect to
 * another site.
 */
interface Departure {
  readonly provider: ProviderSnapshot;
  readonly href: string;
  readonly asks: boolean;
}

/**
 * Finds the provider by the typed name, by the client's `idp_hint`, or by the domain of its `login_hint`. Returns null if the browser was
 * there already, or if its user chose another way.
 */
async function departureOf(parts: SignInParts, asking: Asking): Promise<Departure | null> {
  const { realm, request, progress, interaction } = asking.run;
  const step = stepIn(asking);
  if (!step || !interaction || request.isLocal || progress.chosen !== null || progress.data[step.path] !== undefined) return null;
  const { providers } = parts.brokers;
  const named = async (alias: string) => (await providers.get(realm.realmId))?.byAlias.get(alias) ?? null;
  const { home } = progress;
  // The hint named the provider whose account is to be linked, and would lead there again.
  if (!home && toBeLinked(progress) !== null) return null;
  const provider = home
    ? await named(home.alias)
    : ((request.identityProvider === undefined ? null : await named(request.identityProvider)) ??
      (request.loginHint === undefined
        ? null
        : await homeProvider({ db: parts.db, providers }, { realm: realm.realmId, address: request.loginHint })));
  if (!isBroker(provider) || !provider.enabled) return null;
  const query = new URLSearchParams({ interaction: interaction.interactionId });
  const href = `/realms/${realm.realmId}/broker/${encodeURIComponent(provider.alias)}/login?${query}`;
  return { provider, href, asks: home !== undefined };
}

/** Sends the browser to an identity provider if the sign-in begins there. Returns null if the step is to be shown. */
export async function depart({ parts, visitors }: { parts: SignInParts; visitors: Visitors }, visit: Visit, asking: Asking) {
  const departure = await departureOf(parts, asking);
  if (!departure) return null;
  const { request, reply, visitor } = visit;
  const { provider, href, asks } = departure;
  if (!asks) return seeOther(reply, href);
  const { realm } = visitor;
  const { run } = asking;
  const action = loginPath(realm.realmId);
  const kept = { ...visitors.carried(request), interaction: run.interaction!.interactionId };
  const other = asking.steps.find(({ name }) => name !== IDENTITY_PROVIDER);
  const html = renderDeparture({
    ...visitors.formOf(request, reply, action, kept),
    ...{ action, hidden: kept, href },
    provider: provider.displayName,
    login: run.progress.home?.login ?? null,
    other: other?.path ?? null,
  });
  // A browser that returns within moments is asked, because its user may want another way.
  const isBack = visitor.ledTo === provider.alias;
  if (!isBack) visitors.rememberLed(reply, realm.realmId, provider.alias);
  return sendPage(reply, 200, html, isBack ? {} : { refresh: { seconds: 0, to: href } });
}
