/** Dutch for texts that the server has in English: steps of flows, permissions, and the records that every realm begins with. */
export const served: Readonly<Record<string, string>> = {
  "Level asked for": "Gevraagd niveau",
  "The application asks for this level of certainty, and it is not reached yet":
    "De applicatie vraagt dit niveau van zekerheid, en het is nog niet bereikt",
  "`1` is one factor, `2` is two": "`1` is één factor, `2` is er twee",
  "Hold when it is not so": "Geldt als het niet zo is",
  "An attribute of the user has this value, or any where none is given":
    "Een attribuut van de gebruiker heeft deze waarde, of een willekeurige als er geen is opgegeven",
  "One of these clients asked for the sign-in": "Een van deze clients vroeg om de aanmelding",
  "OAuth client ids or SAML entity ids": "Client-ID's van OAuth of entity-ID's van SAML",
  "Credential present": "Inlogmiddel aanwezig",
  "The user has a credential of one of these types": "De gebruiker heeft een inlogmiddel van een van deze soorten",
  "The user is a member of one of these groups, or of one below them":
    "De gebruiker is lid van een van deze groepen, of van een groep daaronder",
  "Ids of groups": "ID's van groepen",
  Network: "Netwerk",
  "The request comes from one of these networks": "De aanvraag komt uit een van deze netwerken",
  "Addresses or networks as 10.0.0.0/8 or 2001:db8::/32": "Adressen of netwerken zoals 10.0.0.0/8 of 2001:db8::/32",
  "The user has one of these realm roles, by whatever way": "De gebruiker heeft een van deze realmrollen, op welke manier ook",
  "Names of realm roles": "Namen van realmrollen",
  "One factor so far": "Eén factor tot nu toe",
  "The factors proven so far are of one kind": "De factoren die tot nu toe bewezen zijn, zijn van één soort",
  "Unknown device": "Onbekend apparaat",
  "The user has not marked this browser as trusted, when giving what the sub-flow asks for":
    "De gebruiker heeft deze browser niet als vertrouwd aangemerkt bij wat de groep vraagt",
  "Passes when this browser is signed in already and nothing asks for more":
    "Slaagt als deze browser al aangemeld is en er niet meer gevraagd wordt",
  "Code by email": "Code per e-mail",
  "Sends a code to the user's email address and asks for it": "Stuurt een code naar het e-mailadres van de gebruiker en vraagt erom",
  "Offers the realm's identity providers, and signs in at the one that is chosen":
    "Biedt de identityproviders van de realm aan, en meldt aan bij de gekozen provider",
  "Link by email": "Link per e-mail",
  "Emails a link; opening it in the same browser and pressing the button there goes on. Another browser shows who asked, and a code to type":
    "Mailt een link; wie hem in dezelfde browser opent en op de knop drukt, gaat verder. Een andere browser toont wie erom vroeg, en een code om over te typen",
  "Asks for a passkey: alone instead of name and password, or as a second factor":
    "Vraagt om een passkey: alleen, in plaats van naam en wachtwoord, of als tweede factor",
  "Offer to set one up to those who have none": "Bied aan er een in te stellen aan wie er geen heeft",
  "As a second factor: whether its device asks for finger, face or PIN. Alone it always has to. Default: as the realm says":
    "Als tweede factor: of het apparaat om vinger, gezicht of pincode vraagt. Alleen gebruikt moet dat altijd. Standaard: zoals de realm zegt",
  "Asks for the password of the user who was named in a step before": "Vraagt om het wachtwoord van de gebruiker uit een eerdere stap",
  Push: "Push",
  "Asks on an enrolled phone; its owner types the number that the page shows":
    "Vraagt het op een aangemelde telefoon; de eigenaar typt het getal dat de pagina toont",
  "QR code": "QR-code",
  "Shows a QR code; a phone that is signed in confirms it, and this browser goes on as that user":
    "Toont een QR-code; een telefoon die aangemeld is bevestigt die, en deze browser gaat verder als die gebruiker",
  "The user's sign-in on the phone may be this old; an older one asks the user to sign in there again":
    "Zo oud mag de aanmelding op de telefoon zijn; bij een oudere moet de gebruiker zich daar opnieuw aanmelden",
  "Recovery code": "Herstelcode",
  "Asks for one of the codes that the user was given with their second factor; each works once":
    "Vraagt om een van de codes die de gebruiker bij de tweede factor kreeg; elke werkt één keer",
  "Email to a user who forgot their password": "E-mail aan een gebruiker die het wachtwoord vergat",
  "Emails a link and a code to the person who was named in an earlier step, and waits for one of them to come back":
    "Mailt een link en een code aan de persoon uit een eerdere stap, en wacht tot een van beide terugkomt",
  "Code by text message": "Code per sms",
  "Sends a code to the telephone number in the user's attribute `phoneNumber` and asks for it":
    "Stuurt een code naar het telefoonnummer in het attribuut `phoneNumber` van de gebruiker en vraagt erom",
  Terms: "Voorwaarden",
  "Asks users who have not accepted the present version of the realm's terms; stands after the steps that prove who they are":
    "Vraagt gebruikers die de huidige voorwaarden van de realm nog niet aanvaardden; staat na de stappen die bewijzen wie zij zijn",
  "Asks for the code that the user's authenticator app shows (TOTP)": "Vraagt om de code uit de authenticator-app van de gebruiker (TOTP)",
  "Asks for the username or email address; what proves it comes in a later step":
    "Vraagt om de gebruikersnaam of het e-mailadres; het bewijs komt in een latere stap",
  "Username and password": "Gebruikersnaam en wachtwoord",
  "Asks for the username or email address and the password on one page":
    "Vraagt op één pagina om de gebruikersnaam of het e-mailadres en het wachtwoord",
  "Sign in": "Aanmelden",
  "Password grant": "Password grant",
  "First sign-in by an identity provider": "Eerste aanmelding via een identityprovider",
  "Sign in without a password": "Aanmelden zonder wachtwoord",
  "Create an account": "Een account maken",
  "Forgotten password": "Vergeten wachtwoord",
  "Prove it once more": "Nog eens bewijzen",
  "Change the account: profile, password, ways to sign in": "Het account wijzigen: profiel, wachtwoord, manieren om aan te melden",
  "Postal address": "Postadres",
  "Mail address": "E-mailadres",
  "Access while the user is not signed in": "Toegang terwijl de gebruiker niet aangemeld is",
  "Name and other details of the profile": "Naam en andere gegevens van het profiel",
  "Roles in the realm and in its applications": "Rollen in de realm en in haar applicaties",
  "Administers the whole realm": "Beheert de hele realm",
  "Sees users, clients and events": "Ziet gebruikers, clients en gebeurtenissen",
  "Given to every new user": "Krijgt elke nieuwe gebruiker",
  "Full realm administration": "De hele realm beheren",
  "View users": "Gebruikers bekijken",
  "Manage users": "Gebruikers beheren",
  "View clients and applications": "Clients en applicaties bekijken",
  "Manage clients and applications": "Clients en applicaties beheren",
  "Manage realm and client roles": "Rollen van de realm en van clients beheren",
  "Manage identity providers and federation": "Identityproviders en directory's beheren",
  "Manage flows, scopes, claims and authorization services": "Flows, scopes, claims en autorisatiediensten beheren",
  "Manage organizations and groups": "Organisaties en groepen beheren",
  "Manage realm settings, notifications and provisioning": "Realminstellingen, berichten en provisioning beheren",
  "View events and sessions": "Gebeurtenissen en sessies bekijken",
  "Manage the events configuration and revoke sessions": "De instellingen van gebeurtenissen beheren en sessies beëindigen",
  "Set up": "Instellen",
  Negate: "Omkeren",
  "Fresh minutes": "Hoogstens zo oud (minuten)",
  Networks: "Netwerken",
  Types: "Soorten",
  "Client ids": "Client-ID's",
  ACR: "Niveau (ACR)",
  "Link an account": "Een account koppelen",
  "Signs in at an identity provider and links the account there": "Meldt aan bij een identityprovider en koppelt het account daar",
  "New account": "Nieuw account",
  "Makes a new account for a user of an identity provider whose address another user has":
    "Maakt een nieuw account voor een gebruiker van een identityprovider wiens adres een andere gebruiker heeft",
  "Phone number": "Telefoonnummer",
  "Shows the key for an authenticator app, asks for its first code, and shows recovery codes to those who have none":
    "Toont de sleutel voor een authenticator-app, vraagt om de eerste code en toont herstelcodes aan wie er geen heeft",
};
