/** Dutch texts of single fields: what describes them, and the words for their values. */
export const fields: Readonly<Record<string, string>> = {
  "After this many days a password has to be replaced; empty: never.": "Na zoveel dagen moet een wachtwoord vervangen worden; leeg: nooit.",
  "An agent is suspended this many days after its review was due; empty: never.":
    "Een agent wordt zoveel dagen na zijn vervallen controle geschorst; leeg: nooit.",
  "Audit events are deleted after this many days; empty: never.": "Auditgebeurtenissen worden na zoveel dagen verwijderd; leeg: nooit.",
  "Clients may register themselves.": "Clients mogen zichzelf registreren.",
  "New passkeys are kept by the device itself (`platform`) or by a security key or phone (`cross-platform`); empty: both.":
    "Nieuwe passkeys bewaart het apparaat zelf (`platform`), of een beveiligingssleutel of telefoon (`cross-platform`); leeg: beide.",
  "The domain that passkeys belong to: the server's host or a parent of it; empty: its host. Passkeys of another domain stop working.":
    "Het domein waarbij passkeys horen: de host van de server of een domein erboven; leeg: die host. Passkeys van een ander domein werken niet meer.",
  "Their first password. It has to fit the password policy of the realm.":
    "Hun eerste wachtwoord. Het moet aan het wachtwoordbeleid van de realm voldoen.",
  "They have to choose another password at their first sign-in.": "Zij moeten bij de eerste aanmelding een ander wachtwoord kiezen.",
  "Users are asked before such a client gets anything. This can be turned off only where an initial access token is needed, and counts for clients that register from then on.":
    "Gebruikers wordt het gevraagd voordat zo'n client iets krijgt. Dit kan alleen uit waar een eerste toegangstoken nodig is, en geldt voor clients die zich daarna registreren.",
};
