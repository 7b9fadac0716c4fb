/** Texts about home realm discovery, in each language; `{provider}` is filled in. */
export const enHomeRealm = {
  departureTitle: "Sign in at {provider}",
  departureText: "People with this address sign in there. Then you come right back.",
  departureOther: "Try another way",
  lastUsed: "Last used",
  providerDown: "Not answering right now",
  moreProviders: "More providers",
  providerSearch: "Email address or name of your organization",
  providerNoneTitle: "No provider found",
  providerNoneText: "No provider has this name or this domain. Check what you typed, or try another way.",
  brokerRefusedTitle: "The provider didn’t accept the request",
  brokerRefusedText: "It’s not set up for this site. Try another way, and tell your administrator.",
};

export const nlHomeRealm: typeof enHomeRealm = {
  departureTitle: "Inloggen bij {provider}",
  departureText: "Mensen met dit adres loggen daar in. Daarna kom je meteen weer hier terug.",
  departureOther: "Probeer een andere manier",
  lastUsed: "Laatst gebruikt",
  providerDown: "Geeft op dit moment geen antwoord",
  moreProviders: "Meer providers",
  providerSearch: "E-mailadres of naam van je organisatie",
  providerNoneTitle: "Geen provider gevonden",
  providerNoneText: "Geen provider heeft deze naam of dit domein. Controleer wat je hebt getypt, of probeer een andere manier.",
  brokerRefusedTitle: "De provider nam het verzoek niet aan",
  brokerRefusedText: "De provider is niet ingesteld voor deze site. Probeer een andere manier en vertel het je beheerder.",
};

export const deHomeRealm: typeof enHomeRealm = {
  departureTitle: "Bei {provider} anmelden",
  departureText: "Mit dieser Adresse meldet man sich dort an. Danach kehren Sie automatisch hierher zurück.",
  departureOther: "Anderen Weg versuchen",
  lastUsed: "Zuletzt verwendet",
  providerDown: "Antwortet zurzeit nicht",
  moreProviders: "Weitere Anbieter",
  providerSearch: "E-Mail-Adresse oder Name Ihrer Organisation",
  providerNoneTitle: "Kein Anbieter gefunden",
  providerNoneText: "Kein Anbieter hat diesen Namen oder diese Domain. Prüfen Sie Ihre Eingabe, oder versuchen Sie einen anderen Weg.",
  brokerRefusedTitle: "Der Anbieter hat die Anfrage nicht angenommen",
  brokerRefusedText:
    "Er ist für diese Seite nicht oder nicht mehr eingerichtet. Bitte melden Sie sich anders an, und sagen Sie es Ihrer Administration.",
};

export const frHomeRealm: typeof enHomeRealm = {
  departureTitle: "Se connecter chez {provider}",
  departureText: "Avec cette adresse, on se connecte là-bas. Vous reviendrez ensuite ici automatiquement.",
  departureOther: "Essayer une autre méthode",
  lastUsed: "Dernière utilisation",
  providerDown: "Ne répond pas en ce moment",
  moreProviders: "Autres fournisseurs",
  providerSearch: "Adresse e-mail ou nom de votre organisation",
  providerNoneTitle: "Aucun fournisseur trouvé",
  providerNoneText: "Aucun fournisseur n’a ce nom ou ce domaine. Vérifiez votre saisie, ou essayez une autre méthode.",
  brokerRefusedTitle: "Le fournisseur n’a pas accepté la demande",
  brokerRefusedText: "Il n’est pas, ou plus, configuré pour ce site. Connectez-vous autrement, et prévenez votre administrateur.",
};

export const esHomeRealm: typeof enHomeRealm = {
  departureTitle: "Iniciar sesión en {provider}",
  departureText: "Con esta dirección se inicia sesión allí. Después volverás aquí automáticamente.",
  departureOther: "Probar de otra forma",
  lastUsed: "Último usado",
  providerDown: "No responde en este momento",
  moreProviders: "Más proveedores",
  providerSearch: "Correo electrónico o nombre de tu organización",
  providerNoneTitle: "No se encontró ningún proveedor",
  providerNoneText: "Ningún proveedor tiene ese nombre ni ese dominio. Revisa lo que has escrito o prueba de otra forma.",
  brokerRefusedTitle: "El proveedor no aceptó la solicitud",
  brokerRefusedText: "No está configurado para este sitio, o ya no lo está. Inicia sesión de otra forma y avisa a tu administrador.",
};
