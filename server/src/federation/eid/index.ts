// The Dutch and the European scheme of electronic identification, as profiles of the SAML broker.
import { samlBroker } from "../saml/index.ts";
import { eherkenning as eherkenningProfile } from "./eherkenning.ts";
import { eidas as eidasProfile } from "./eidas.ts";

export const eherkenning = samlBroker(eherkenningProfile);
export const eidas = samlBroker(eidasProfile);
