import { SamlError } from "../errors.ts";
import type { MessageName } from "../messages/received.ts";

/** The parameter that carries a message: one for requests and one for responses (SAML bindings §3.4.4, §3.5.4). */
export type Parameter = "SAMLRequest" | "SAMLResponse";

const PARAMETERS: Record<MessageName, Parameter> = {
  AuthnRequest: "SAMLRequest",
  LogoutRequest: "SAMLRequest",
  ArtifactResolve: "SAMLRequest",
  Response: "SAMLResponse",
  LogoutResponse: "SAMLResponse",
  ArtifactResponse: "SAMLResponse",
};

export const parameterFor = (name: string): Parameter => PARAMETERS[name.replace("samlp:", "") as MessageName];

export function cameAs(parameter: Parameter, { name }: { readonly name: MessageName }): void {
  if (PARAMETERS[name] !== parameter) throw new SamlError("binding", `${name} does not come as ${parameter}`);
}
