import type { SamlClientSnapshot } from "./snapshot.ts";

type Named = Pick<SamlClientSnapshot, "entityId"> & Partial<Pick<SamlClientSnapshot, "name" | "assertionConsumerServices">>;

/** The name that people see. An entity id says nothing to them: without a name it is the site that they know from the address bar. */
export function samlClientName({ name, entityId, assertionConsumerServices = [] }: Named): string {
  const addresses = [entityId, ...assertionConsumerServices.map(({ location }) => location)];
  return name?.trim() || (addresses.map(hostOf).find((host) => host !== "") ?? entityId.split(/[:/]/).at(-1)!);
}

const hostOf = (address: string): string => (/^https?:/i.test(address) && URL.canParse(address) ? new URL(address).host : "");
