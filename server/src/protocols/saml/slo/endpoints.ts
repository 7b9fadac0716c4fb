import type { SamlClientSnapshot } from "../../../applications/saml-clients/index.ts";
import { BINDING } from "../../../platform/saml/index.ts";

export type BrowserBinding = "redirect" | "post";

/** A single logout service of a service provider, for messages that the browser carries. */
export interface BrowserEndpoint {
  readonly binding: BrowserBinding;
  /** The address for requests. */
  readonly location: string;
  /** The address for responses (SAML metadata §2.2.2). */
  readonly responseLocation: string;
}

/** With the binding that is preferred where it has one, else with the other one. */
export function browserEndpoint(
  { singleLogoutServices }: SamlClientSnapshot,
  preferred: BrowserBinding = "redirect",
): BrowserEndpoint | null {
  for (const binding of preferred === "redirect" ? (["redirect", "post"] as const) : (["post", "redirect"] as const)) {
    const found = singleLogoutServices.find((service) => service.binding === BINDING[binding]);
    if (found) return { binding, location: found.location, responseLocation: found.responseLocation ?? found.location };
  }
  return null;
}

/** The address for requests over SOAP; null: it has none, or is not called. Must agree with `withBackChannelLogout`. */
export function backChannelLocation({ enabled, options, singleLogoutServices }: SamlClientSnapshot): string | null {
  if (!enabled || !options.backChannelSloEnabled) return null;
  return singleLogoutServices.find(({ binding }) => binding === BINDING.soap)?.location ?? null;
}
