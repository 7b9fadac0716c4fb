import type { Snippet, Values } from "./snippet.ts";

/** Returns the code of pages that a server renders. */
export const ofServer = ({ clientId, issuer, callback }: Values): readonly Snippet[] => [
  {
    title: "Node.js",
    text: `import * as oidc from "openid-client";

const config = await oidc.discovery(new URL("${issuer}"), "${clientId}", process.env.CLIENT_SECRET);
const verifier = oidc.randomPKCECodeVerifier();
const url = oidc.buildAuthorizationUrl(config, {
  redirect_uri: "${callback}",
  scope: "openid profile email",
  code_challenge: await oidc.calculatePKCECodeChallenge(verifier),
  code_challenge_method: "S256",
});
// Redirect the browser to url.href. On the callback:
// const tokens = await oidc.authorizationCodeGrant(config, new URL(request.url), { pkceCodeVerifier: verifier });`,
  },
  {
    title: "Next.js",
    text: `// auth.ts, with Auth.js. Its redirect URI is https://your-app/api/auth/callback/gatehouse
import NextAuth from "next-auth";

export const { handlers, auth, signIn, signOut } = NextAuth({
  providers: [{
    id: "gatehouse",
    name: "Gatehouse",
    type: "oidc",
    issuer: "${issuer}",
    clientId: "${clientId}",
    clientSecret: process.env.CLIENT_SECRET,
  }],
});`,
  },
  {
    title: "Spring Boot",
    text: `# application.yml. Its redirect URI is https://your-app/login/oauth2/code/gatehouse
spring.security.oauth2.client:
  registration.gatehouse:
    client-id: ${clientId}
    client-secret: \${CLIENT_SECRET}
    scope: openid, profile, email
  provider.gatehouse.issuer-uri: ${issuer}`,
  },
  {
    title: "ASP.NET Core",
    text: `// Its redirect URI is https://your-app/signin-oidc
builder.Services.AddAuthentication(options => {
  options.DefaultScheme = CookieAuthenticationDefaults.AuthenticationScheme;
  options.DefaultChallengeScheme = OpenIdConnectDefaults.AuthenticationScheme;
}).AddCookie().AddOpenIdConnect(options => {
  options.Authority = "${issuer}";
  options.ClientId = "${clientId}";
  options.ClientSecret = builder.Configuration["CLIENT_SECRET"];
  options.ResponseType = "code";
});`,
  },
  {
    title: "Django",
    text: `# settings.py, with mozilla-django-oidc
OIDC_RP_CLIENT_ID = "${clientId}"
OIDC_RP_CLIENT_SECRET = os.environ["CLIENT_SECRET"]
OIDC_RP_SIGN_ALGO = "RS256"
OIDC_OP_AUTHORIZATION_ENDPOINT = "${issuer}/authorize"
OIDC_OP_TOKEN_ENDPOINT = "${issuer}/token"
OIDC_OP_USER_ENDPOINT = "${issuer}/userinfo"
OIDC_OP_JWKS_ENDPOINT = "${issuer}/jwks"`,
  },
  {
    title: "Express",
    text: `import { auth, requiresAuth } from "express-openid-connect";

app.use(auth({
  issuerBaseURL: "${issuer}",
  clientID: "${clientId}",
  clientSecret: process.env.CLIENT_SECRET,
  secret: process.env.SESSION_SECRET,
  baseURL: "${originOf(callback)}",
  routes: { callback: "${pathOf(callback)}" },
  authorizationParams: { response_type: "code", scope: "openid profile email" },
  authRequired: false,
}));
app.get("/me", requiresAuth(), (request, response) => response.json(request.oidc.user));`,
  },
  {
    title: "Flask",
    text: `from authlib.integrations.flask_client import OAuth

oauth = OAuth(app)
oauth.register(
    "gatehouse",
    client_id="${clientId}",
    client_secret=os.environ["CLIENT_SECRET"],
    server_metadata_url="${issuer}/.well-known/openid-configuration",
    client_kwargs={"scope": "openid profile email", "code_challenge_method": "S256"},
)

@app.get("/login")
def login():
    return oauth.gatehouse.authorize_redirect("${callback}")

@app.get("${pathOf(callback)}")
def callback():
    session["user"] = oauth.gatehouse.authorize_access_token()["userinfo"]
    return redirect("/")`,
  },
  {
    title: "Go",
    text: `provider, err := oidc.NewProvider(ctx, "${issuer}") // github.com/coreos/go-oidc/v3/oidc
config := oauth2.Config{
	ClientID:     "${clientId}",
	ClientSecret: os.Getenv("CLIENT_SECRET"),
	Endpoint:     provider.Endpoint(),
	RedirectURL:  "${callback}",
	Scopes:       []string{oidc.ScopeOpenID, "profile", "email"},
}
verifier := oauth2.GenerateVerifier()
http.Redirect(w, r, config.AuthCodeURL(state, oauth2.S256ChallengeOption(verifier)), http.StatusFound)
// On the callback: config.Exchange(ctx, code, oauth2.VerifierOption(verifier))`,
  },
  {
    title: "PHP",
    text: `// composer require jumbojett/openid-connect-php
$oidc = new Jumbojett\\OpenIDConnectClient('${issuer}', '${clientId}', getenv('CLIENT_SECRET'));
$oidc->setRedirectURL('${callback}');
$oidc->setCodeChallengeMethod('S256');
$oidc->addScope(['profile', 'email']);
$oidc->authenticate();
echo $oidc->requestUserInfo('email');`,
  },
  {
    title: "Apache",
    text: `# mod_auth_openidc
OIDCProviderMetadataURL ${issuer}/.well-known/openid-configuration
OIDCClientID ${clientId}
OIDCClientSecret "exec:/bin/cat /etc/apache2/client-secret"
OIDCRedirectURI ${callback}
OIDCCryptoPassphrase "exec:/bin/cat /etc/apache2/crypto-passphrase"
OIDCPKCEMethod S256
<Location />
  AuthType openid-connect
  Require valid-user
</Location>`,
  },
];

const originOf = (address: string) => (URL.canParse(address) ? new URL(address).origin : "https://app.example.com");
const pathOf = (address: string) => (URL.canParse(address) ? new URL(address).pathname : "/callback");
