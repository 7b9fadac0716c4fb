/** Dutch texts of single fields: their descriptions, and the words for their values. */
export const fields: Readonly<Record<string, string>> = {
  "A password must be replaced after this many days. Empty: never.": "Na zoveel dagen moet een wachtwoord vervangen worden; leeg: nooit.",
  "An agent is suspended this many days after its review was due. Empty: never.":
    "Een agent wordt zoveel dagen na zijn vervallen controle geschorst; leeg: nooit.",
  "Audit events are deleted after this many days. Empty: never.": "Auditgebeurtenissen worden na zoveel dagen verwijderd; leeg: nooit.",
  "Clients may register themselves.": "Clients mogen zichzelf registreren.",
  "New passkeys are stored on the device (`platform`) or on a security key or phone (`cross-platform`). Empty: both.":
    "Nieuwe passkeys bewaart het apparaat zelf (`platform`), of een beveiligingssleutel of telefoon (`cross-platform`); leeg: beide.",
  "The domain of passkeys: the server's host or a parent domain. Empty: the host. Passkeys of another domain stop working.":
    "Het domein waarbij passkeys horen: de host van de server of een domein erboven; leeg: die host. Passkeys van een ander domein werken niet meer.",
  "The user's first password. It must follow the realm's password policy.":
    "Hun eerste wachtwoord. Het moet aan het wachtwoordbeleid van de realm voldoen.",
  "The user must choose another password at the first sign-in.": "Zij moeten bij de eerste aanmelding een ander wachtwoord kiezen.",
  "Such a client needs each user's consent. You can turn this off only if an initial access token is required. It counts for clients that register later.":
    "Gebruikers wordt het gevraagd voordat zo'n client iets krijgt. Dit kan alleen uit waar een eerste toegangstoken nodig is, en geldt voor clients die zich daarna registreren.",
  "Only users with one of these roles, or in one of the groups below, may use it. Both empty: every user. Write a client's role as in `shop/manager`; IDs also work.":
    "Alleen gebruikers met een van deze rollen, of in een van de groepen hieronder, mogen haar gebruiken. Beide leeg: iedereen. Typ de rol van een client zoals `shop/manager`; ID's mogen ook.",
  "The scopes that it may request. Empty: the realm's scopes.": "De scopes die zij mag vragen; leeg: die de realm geeft.",
  "The scopes of tokens for this API, beside `openid` and `offline_access`. Empty: all.":
    "De scopes die tokens voor deze API mogen hebben, naast `openid` en `offline_access`; leeg: alle.",
  "Users in one of these groups, or in a group below, may also use it. Write the path, as in `/Sales/Europe`; IDs also work.":
    "Gebruikers in een van deze groepen, of in een groep daaronder, mogen haar ook gebruiken. Met het pad, zoals `/Sales/Europe`; ID's mogen ook.",
  "You may not list these. Type the ID, or the name if names are stored.":
    "U mag deze lijst niet zien. Typ wat u bedoelt: de ID, of de naam waar namen bewaard worden.",
  "Who may use it": "Wie haar mag gebruiken",
  "Add a provider": "Provider toevoegen",
  "An https address, without a username or password in it.": "Een https-adres, zonder gebruikersnaam of wachtwoord erin.",
  "Another host or port needs it again.": "Bij een andere host of poort is het opnieuw nodig.",
  "Apple push (APNs)": "Apple-push (APNs)",
  "Auth token": "Authenticatietoken",
  Edit: "Bewerken",
  "Empty: 587, with TLS from the start 465, without any 25.": "Leeg: 587, met TLS vanaf het begin 465, zonder TLS 25.",
  "Empty: STARTTLS. A message is never sent without encryption instead.":
    "Leeg: STARTTLS. Een bericht wordt nooit in plaats daarvan onversleuteld verzonden.",
  "Firebase Cloud Messaging": "Firebase Cloud Messaging",
  "HTTP gateway": "HTTP-gateway",
  "Key file": "Sleutelbestand",
  "None: only within this server's own network": "Geen: alleen binnen het eigen netwerk van deze server",
  SMS: "SMS",
  "SMTP server": "SMTP-server",
  STARTTLS: "STARTTLS",
  Sender: "Afzender",
  "TLS from the start": "TLS vanaf het begin",
  "The .p8 key of the team, in PEM.": "De .p8-sleutel van het team, in PEM.",
  "The JSON key file of a service account.": "Het JSON-sleutelbestand van een serviceaccount.",
  "The auth token of the account.": "Het authenticatietoken van het account.",
  "The host name or address of the mail server, without a port.": "De hostnaam of het adres van de mailserver, zonder poort.",
  "The password of the username above, if the server asks for one.":
    "Het wachtwoord van de gebruikersnaam hierboven, als de server erom vraagt.",
  "The token or key that the gateway asks for, if it asks for one.": "Het token of de sleutel waar de gateway om vraagt, als hij dat doet.",
  Twilio: "Twilio",
  "A new user": "Een nieuwe gebruiker",
  "Active Directory": "Active Directory",
  Allow: "Toestaan",
  Apple: "Apple",
  "Assertion consumer service (ACS)": "Assertion consumer service (ACS)",
  "At each sign-in": "Bij elke aanmelding",
  "At the first sign-in only": "Alleen bij de eerste aanmelding",
  "Back-channel logout URI": "Back-channel-uitlog-URI",
  "By default": "Standaard",
  "Create an account for them": "Een account voor hen maken",
  Discord: "Discord",
  "Entity ID": "Entity ID",
  Facebook: "Facebook",
  GitHub: "GitHub",
  GitLab: "GitLab",
  Google: "Google",
  "LDAP directory": "LDAP-directory",
  "Letters, digits, dots, dashes and underscores. It is part of the redirect URI and cannot be changed.":
    "Letters, cijfers, punten, streepjes en onderstrepingstekens. Hij staat in de redirect-URI en blijft zo.",
  LinkedIn: "LinkedIn",
  "Metadata address": "Adres van de metadata",
  Microsoft: "Microsoft",
  "More about the connection": "Meer over de verbinding",
  "OAuth 2.0": "OAuth 2.0",
  "Only link accounts that users prove to be theirs": "Alleen accounts koppelen waarvan zij bewijzen dat ze van hen zijn",
  "OpenID Connect": "OpenID Connect",
  "Post-logout redirect URI": "Redirect-URI na uitloggen",
  "Read only": "Alleen lezen",
  "Redirect URI (callback)": "Redirect-URI (callback)",
  Refuse: "Weigeren",
  "Refuse them": "Hen weigeren",
  "Register this at the provider": "Registreer dit bij de provider",
  "SAML 2.0": "SAML 2.0",
  "Single logout address": "Adres voor single logout",
  "The former user again": "De vroegere gebruiker weer",
  "The provider's https address, as it names itself. Its discovery document fills the fields that you leave empty.":
    "Het https-adres van de provider, zoals hij zichzelf noemt. Zijn discovery-document zegt wat hier leeg blijft.",
  "This realm's name at the provider.": "De naam waaronder de provider deze realm kent.",
  "The password of that account. Enter it again for another host or port of the directory.":
    "Het wachtwoord van dat account. Bij een andere host of poort van de directory is het opnieuw nodig.",
  "The provider sends users back to these addresses and refuses unknown ones.":
    "De provider stuurt mensen naar deze adressen terug, en weigert adressen die hij niet kent.",
  "The secret from the provider. Enter it again for another host or port of the provider.":
    "Het geheim dat de provider gaf. Bij een andere host of poort van de provider is het opnieuw nodig.",
  "The scopes to request there.": "De scopes die daar gevraagd worden.",
  "The treatment of directory users without an account here. Empty: an account is created.":
    "Wat er gebeurt met mensen uit de directory die hier nog geen account hebben. Leeg: er wordt een gemaakt.",
  "The treatment of users without an account here. Empty: an account is created.":
    "Wat er gebeurt met mensen die hier nog geen account hebben. Leeg: er wordt een gemaakt.",
  "The time when names and mail address are taken from the provider. Empty: only at the first sign-in.":
    "Wanneer namen en e-mailadres van de provider worden overgenomen. Leeg: alleen bij de eerste aanmelding.",
  "Write new passwords": "Nieuwe wachtwoorden wegschrijven",
  eHerkenning: "eHerkenning",
  eIDAS: "eIDAS",
};
