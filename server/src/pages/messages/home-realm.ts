/** Texts about home realm discovery, in each language; `{provider}` is filled in. */
export const enHomeRealm = {
  departureTitle: "Sign in at {provider}",
  departureText: "People with this address sign in there. You then return here automatically.",
  departureOther: "Sign in another way",
  lastUsed: "Last used",
  providerDown: "Does not answer at present",
  moreProviders: "More providers",
  providerSearch: "Email address or name of your organization",
  providerNoneTitle: "No provider found",
  providerNoneText: "No provider has that name, and the domain of the address leads to none. Check what you typed, or sign in another way.",
  brokerRefusedTitle: "The provider did not take the request",
  brokerRefusedText: "It is not set up for this site, or no longer. Please sign in another way, and tell your administrator.",
};

export const nlHomeRealm: typeof enHomeRealm = {
  departureTitle: "Aanmelden bij {provider}",
  departureText: "Mensen met dit adres melden zich daar aan. Daarna kom je automatisch hier terug.",
  departureOther: "Op een andere manier aanmelden",
  lastUsed: "Laatst gebruikt",
  providerDown: "Geeft op dit moment geen antwoord",
  moreProviders: "Meer providers",
  providerSearch: "E-mailadres of naam van je organisatie",
  providerNoneTitle: "Geen provider gevonden",
  providerNoneText:
    "Geen provider heeft die naam, en het domein van het adres leidt nergens heen. Controleer wat je hebt ingevuld, of meld je op een andere manier aan.",
  brokerRefusedTitle: "De provider nam het verzoek niet aan",
  brokerRefusedText:
    "De provider is niet (of niet meer) voor deze site ingesteld. Meld je op een andere manier aan, en vertel het je beheerder.",
};

export const deHomeRealm: typeof enHomeRealm = {
  departureTitle: "Bei {provider} anmelden",
  departureText: "Mit dieser Adresse meldet man sich dort an. Danach kehren Sie automatisch hierher zurück.",
  departureOther: "Anders anmelden",
  lastUsed: "Zuletzt verwendet",
  providerDown: "Antwortet zurzeit nicht",
  moreProviders: "Weitere Anbieter",
  providerSearch: "E-Mail-Adresse oder Name Ihrer Organisation",
  providerNoneTitle: "Kein Anbieter gefunden",
  providerNoneText:
    "Kein Anbieter heißt so, und die Domain der Adresse führt zu keinem. Bitte prüfen Sie die Eingabe, oder melden Sie sich anders an.",
  brokerRefusedTitle: "Der Anbieter hat die Anfrage nicht angenommen",
  brokerRefusedText:
    "Er ist für diese Seite nicht oder nicht mehr eingerichtet. Bitte melden Sie sich anders an, und sagen Sie es Ihrer Administration.",
};

export const frHomeRealm: typeof enHomeRealm = {
  departureTitle: "Se connecter chez {provider}",
  departureText: "Avec cette adresse, on se connecte là-bas. Vous reviendrez ensuite ici automatiquement.",
  departureOther: "Se connecter autrement",
  lastUsed: "Dernière utilisation",
  providerDown: "Ne répond pas en ce moment",
  moreProviders: "Autres fournisseurs",
  providerSearch: "Adresse e-mail ou nom de votre organisation",
  providerNoneTitle: "Aucun fournisseur trouvé",
  providerNoneText:
    "Aucun fournisseur ne porte ce nom, et le domaine de l’adresse n’en désigne aucun. Vérifiez votre saisie, ou connectez-vous autrement.",
  brokerRefusedTitle: "Le fournisseur n’a pas accepté la demande",
  brokerRefusedText: "Il n’est pas, ou plus, configuré pour ce site. Connectez-vous autrement, et prévenez votre administrateur.",
};

export const esHomeRealm: typeof enHomeRealm = {
  departureTitle: "Iniciar sesión en {provider}",
  departureText: "Con esta dirección se inicia sesión allí. Después volverás aquí automáticamente.",
  departureOther: "Iniciar sesión de otra forma",
  lastUsed: "Último usado",
  providerDown: "No responde en este momento",
  moreProviders: "Más proveedores",
  providerSearch: "Correo electrónico o nombre de tu organización",
  providerNoneTitle: "No se encontró ningún proveedor",
  providerNoneText:
    "Ningún proveedor tiene ese nombre y el dominio de la dirección no conduce a ninguno. Revisa lo que has escrito o inicia sesión de otra forma.",
  brokerRefusedTitle: "El proveedor no aceptó la solicitud",
  brokerRefusedText: "No está configurado para este sitio, o ya no lo está. Inicia sesión de otra forma y avisa a tu administrador.",
};
