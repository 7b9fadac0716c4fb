import type { SamlClientSnapshot } from "./snapshot.ts";

type Named = Pick<SamlClientSnapshot, "entityId"> & Partial<Pick<SamlClientSnapshot, "name" | "assertionConsumerServices">>;

/** Returns the name for people. They do not know the entity id, so without a name it is the site, which they know from the address bar. */
export function samlClientName({ name, entityId, assertionConsumerServices = [] }: Named): string {
  const addresses = [entityId, ...assertionConsumerServices.map(({ location }) => location)];
  return name?.trim() || (addresses.map(hostOf).find((host) => host !== "") ?? entityId.split(/[:/]/).at(-1)!);
}

const hostOf = (address: string): string => (/^https?:/i.test(address) && URL.canParse(address) ? new URL(address).host : "");
