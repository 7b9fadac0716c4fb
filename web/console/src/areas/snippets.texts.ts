import type { components } from "@gatehouse/api";

type Client = Pick<components["schemas"]["Client"], "clientId" | "publicClient" | "grantTypes" | "redirectUris">;

export interface Snippet {
  readonly title: string;
  readonly text: string;
}

/** What to copy into an application, by its kind. */
export function snippetsOf({ clientId, publicClient, grantTypes, redirectUris }: Client, issuer: string): readonly Snippet[] {
  const values = { clientId, issuer, callback: redirectUris[0] ?? "https://app.example.com/callback" };
  if (grantTypes.includes("device") && !grantTypes.includes("authorization_code")) return ofDevice(values);
  if (!grantTypes.includes("authorization_code")) return ofMachine(values);
  return publicClient ? ofBrowser(values) : ofServer(values);
}

interface Values {
  readonly clientId: string;
  readonly issuer: string;
  readonly callback: string;
}

const ofDevice = ({ clientId, issuer }: Values): readonly Snippet[] => [
  {
    title: "curl",
    text: `# 1. A code for the person, and where to type it in.
curl ${issuer}/device_authorization -d client_id=${clientId} -d scope=openid

# 2. Asked again every few seconds, until the person has approved.
curl ${issuer}/token -d client_id=${clientId} \\
  -d grant_type=urn:ietf:params:oauth:grant-type:device_code -d device_code=DEVICE_CODE`,
  },
];

const ofMachine = ({ clientId, issuer }: Values): readonly Snippet[] => [
  { title: "curl", text: `curl -u '${clientId}:SECRET' ${issuer}/token \\\n  -d grant_type=client_credentials` },
  {
    title: "Node.js",
    text: `import * as oidc from "openid-client";

const config = await oidc.discovery(new URL("${issuer}"), "${clientId}", process.env.CLIENT_SECRET);
const { access_token } = await oidc.clientCredentialsGrant(config);`,
  },
  {
    title: "Python",
    text: `import os, requests

answer = requests.post(
    "${issuer}/token",
    auth=("${clientId}", os.environ["CLIENT_SECRET"]),
    data={"grant_type": "client_credentials"},
)
access_token = answer.json()["access_token"]`,
  },
  {
    title: "Go",
    text: `config := clientcredentials.Config{ // golang.org/x/oauth2/clientcredentials
	ClientID:     "${clientId}",
	ClientSecret: os.Getenv("CLIENT_SECRET"),
	TokenURL:     "${issuer}/token",
}
client := config.Client(context.Background())`,
  },
];

const ofBrowser = ({ clientId, issuer, callback }: Values): readonly Snippet[] => [
  {
    title: "oidc-client-ts",
    text: `import { UserManager } from "oidc-client-ts";

const users = new UserManager({
  authority: "${issuer}",
  client_id: "${clientId}",
  redirect_uri: "${callback}",
  scope: "openid profile email",
});

// On the callback page:
if (location.search.includes("code=")) await users.signinCallback();
const user = await users.getUser();
if (!user) await users.signinRedirect();`,
  },
  {
    title: "React",
    text: `import { AuthProvider, useAuth } from "react-oidc-context";

const settings = {
  authority: "${issuer}",
  client_id: "${clientId}",
  redirect_uri: "${callback}",
  onSigninCallback: () => history.replaceState({}, "", location.pathname),
};

export const App = () => (
  <AuthProvider {...settings}>
    <Hello />
  </AuthProvider>
);

function Hello() {
  const auth = useAuth();
  if (!auth.isAuthenticated) return <button onClick={() => auth.signinRedirect()}>Sign in</button>;
  return <p>Hello {auth.user?.profile.name}</p>;
}`,
  },
  {
    title: "Angular",
    text: `// npm install angular-auth-oidc-client
provideAuth({
  config: {
    authority: "${issuer}",
    clientId: "${clientId}",
    redirectUrl: "${callback}",
    scope: "openid profile email",
    responseType: "code",
  },
});`,
  },
  {
    title: "Android and iOS",
    text: `// AppAuth: https://appauth.io
// Issuer:       ${issuer}
// Client ID:    ${clientId}
// Redirect URI: ${callback}
AuthorizationServiceConfiguration.fetchFromIssuer(Uri.parse("${issuer}")) { config, _ ->
  val request = AuthorizationRequest.Builder(config!!, "${clientId}", ResponseTypeValues.CODE, Uri.parse("${callback}"))
    .setScope("openid profile email").build()
  startActivityForResult(AuthorizationService(this).getAuthorizationRequestIntent(request), 1)
}`,
  },
];

const ofServer = ({ clientId, issuer, callback }: Values): readonly Snippet[] => [
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
];
