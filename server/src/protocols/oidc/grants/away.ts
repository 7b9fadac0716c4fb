import { type Client, errors, Provider } from "oidc-provider";
import { clock, SECOND } from "../../../kernel/clock.ts";
import { sha256 } from "../../../kernel/vault.ts";
import type { RealmParts } from "../parts.ts";
import { type AwayModel, countPoll, findPolled } from "./away.store.ts";
import type { RegisterGrant } from "./index.ts";

/** RFC 8628 §3.2, CIBA §7.3: what counts where the answer names none, which ours do not. */
const POLLING = { interval: 5 * SECOND, slower: 5 * SECOND };

/** The flows that begin away from the browser: whoever asks whether there is an answer yet is told when it asks too often, or too late. */
export const awayGrants: RegisterGrant = (provider, parts) => {
  for (const model of ["DeviceCode", "BackchannelAuthenticationRequest"] as const) watchPolling(provider, parts, model);
};

interface Model {
  find(id: unknown, options?: object): Promise<object | undefined>;
}

function watchPolling(provider: Provider, { db, realm }: RealmParts, name: AwayModel): void {
  const model = provider[name] as unknown as Model;
  const find = model.find;
  model.find = async function (id, options) {
    const { oidc } = Provider.ctx ?? {};
    if (typeof id !== "string" || oidc?.route !== "token") return find.call(this, id, options);
    const now = clock.now();
    const key = { realm: realm.realmId, model: name, recordId: sha256(id) };
    const polled = await findPolled(db, key, now);
    // Whose it is comes first: another client learns nothing, and slows nobody down.
    if (polled?.clientId !== (oidc.client as Client).clientId) throw new errors.InvalidGrant("it is not this client's");
    if (polled.isExpired) throw new errors.ExpiredToken("it has expired: start again");
    if (polled.isOpen && !(await countPoll(db, key, now, POLLING))) throw new errors.SlowDown();
    return find.call(this, id, options);
  };
}
