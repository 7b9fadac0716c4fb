import { type Actor, actorOf } from "../../platform/context.ts";
import type { Db } from "../../platform/db/index.ts";
import { type Device, findDevice } from "./devices.store.ts";
import { deviceErrors } from "./errors.ts";
import { deviceNamedIn, readProof } from "./keys.ts";

export interface DeviceProof {
  readonly device: Device;
  readonly payload: Readonly<Record<string, unknown>>;
}

export const createDeviceProver = ({ db, baseUrl }: { readonly db: Db; readonly baseUrl: string }) => ({
  /** Verifies a device's proof, which must be signed for this URL. Throws if it is invalid. */
  async prove(realm: string, jws: string, path: string): Promise<DeviceProof> {
    const device = await findDevice(db, realm, deviceNamedIn(jws) ?? "");
    const payload = device && (await readProof(device.key, jws, { typ: "gatehouse-device+jwt", audience: baseUrl + path }));
    if (!device || !payload) throw deviceErrors.bad_device();
    return { device, payload };
  },
  actorOf: (realm: string, { device }: DeviceProof) => ownerOf(realm, device),
});
export type DeviceProver = ReturnType<typeof createDeviceProver>;

/** Returns the actor of a device: it acts for the user who enrolled it. */
export const ownerOf = (realm: string, { userId, username }: { readonly userId: string; readonly username: string }): Actor =>
  actorOf({ id: userId, name: username, realm });
