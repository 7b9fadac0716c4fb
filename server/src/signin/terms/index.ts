// Terms: which version of the realm's terms a user has accepted. Owns `terms_acceptances`; the words are a setting of the realm.
export { acceptTerms, hasAcceptedTerms, hasTerms } from "./terms.ts";
