/** Dutch texts of lists, drawers and wizards that came later. */
export const third: Readonly<Record<string, string>> = {
  "API or MCP server": "API of MCP-server",
  "About this person": "Over deze persoon",
  "Address of the API": "Adres van de API",
  "An application registers its device with the token that FCM or APNs gave it.":
    "Een app meldt zijn apparaat aan met het token dat FCM of APNs gaf.",
  "Applications that list it among their allowed resources": "Applicaties die haar bij hun toegestane API's noemen",
  "As an API": "Als API",
  "Assistants and editors do so. It changes the realm: clients register without a token of an administrator.":
    "Assistenten en editors doen dat. Het verandert de realm: clients registreren zich zonder token van een beheerder.",
  "By this person": "Door deze persoon",
  "Clients ask for tokens for this address, and the tokens name it as their audience.":
    "Clients vragen tokens voor dit adres, en de tokens noemen het als hun doel (audience).",
  "Close the navigation": "Navigatie sluiten",
  Device: "Apparaat",
  "Each has its own people, applications, keys and sign-in pages.": "Elk heeft eigen mensen, applicaties, sleutels en aanmeldpagina's.",
  "Every application of the realm: the usual choice for an MCP server": "Elke applicatie van de realm: de gewone keuze voor een MCP-server",
  "It is as it was": "Het is weer zoals het was",
  "It takes access tokens, and signs nobody in: a REST API, or the tools of an assistant.":
    "Zij neemt toegangstokens aan en meldt niemand aan: een REST-API, of het gereedschap van een assistent.",
  "Let clients that the realm does not know introduce themselves": "Laat clients die de realm niet kent zichzelf voorstellen",
  "Mail domains of its people. The tab Domains says how each is verified.":
    "Maildomeinen van haar mensen. Het tabblad Domeinen zegt hoe elk bevestigd wordt.",
  "No device gets push messages": "Geen apparaat krijgt pushberichten",
  "Only the devices of": "Alleen de apparaten van",
  "Open the page": "Pagina openen",
  "Push devices": "Pushapparaten",
  "Register a device": "Apparaat aanmelden",
  "The server answers with errors. What you see may be old; what you typed stays.":
    "De server antwoordt met fouten. Wat u ziet kan verouderd zijn; wat u typte blijft staan.",
  "The server cannot be reached. What you see may be old; what you typed stays.":
    "De server is niet bereikbaar. Wat u ziet kan verouderd zijn; wat u typte blijft staan.",
  Token: "Token",
  Undo: "Ongedaan maken",
  "What a token for it may allow. A scope that the realm does not have yet is created.":
    "Wat een token voor haar mag toestaan. Een scope die de realm nog niet heeft, wordt gemaakt.",
  "What a token for it may allow. Only scopes that the realm has.":
    "Wat een token voor haar mag toestaan. Alleen scopes die de realm heeft.",
  "Who carries the mails, text messages and pushes of this realm, and what they say.":
    "Wie de mails, sms'en en pushberichten van deze realm bezorgt, en wat erin staat.",
  "Who may ask for tokens": "Wie tokens mag vragen",
  "You see what would happen to every row before anything does.": "U ziet wat er met elke rij zou gebeuren voordat er iets gebeurt.",
  "{name} was removed": "{name} is verwijderd",
};
