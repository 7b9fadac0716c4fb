import type { components } from "@gatehouse/api";
import type { Snippet, Values } from "./snippet.ts";
import { ofApi } from "./snippets.api.ts";
import { ofServer } from "./snippets.web.ts";

export type SnippetClient = Pick<
  components["schemas"]["Client"],
  "clientId" | "publicClient" | "grantTypes" | "redirectUris" | "applicationType" | "resourceIndicators" | "resourceScopes"
>;

/** Returns the code to copy into an application, by its kind. An API that people also sign in to gets both kinds. */
export function snippetsOf(client: SnippetClient, issuer: string): readonly Snippet[] {
  const { clientId, publicClient, grantTypes, redirectUris, applicationType, resourceIndicators, resourceScopes } = client;
  const values = { clientId, issuer, callback: redirectUris[0] ?? "https://app.example.com/callback" };
  const resource = resourceIndicators[0];
  const asApi = resource === undefined ? [] : ofApi({ clientId, issuer, resource, scopes: resourceScopes });
  if (grantTypes.includes("authorization_code")) {
    if (!publicClient) return [...ofServer(values), ...asApi];
    return [...(applicationType === "native" ? ofNative(values) : ofBrowser(values)), ...asApi];
  }
  if (grantTypes.includes("device")) return [...ofDevice(values), ...asApi];
  return grantTypes.includes("client_credentials") || asApi.length === 0 ? [...asApi, ...ofMachine(values)] : asApi;
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
  {
    title: "Node.js",
    text: `import * as oidc from "openid-client";

const config = await oidc.discovery(new URL("${issuer}"), "${clientId}", undefined, oidc.None());
const device = await oidc.initiateDeviceAuthorization(config, { scope: "openid profile" });
console.log(\`Open \${device.verification_uri} and type \${device.user_code}\`);
const tokens = await oidc.pollDeviceAuthorizationGrant(config, device);`,
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
    title: "Vue",
    text: `// auth.ts, with oidc-client-ts
import { UserManager } from "oidc-client-ts";
import { ref } from "vue";

const users = new UserManager({
  authority: "${issuer}",
  client_id: "${clientId}",
  redirect_uri: "${callback}",
});
export const user = ref(await users.getUser());
export const signIn = () => users.signinRedirect();
export const finish = async () => (user.value = await users.signinRedirectCallback());`,
  },
];

const ofNative = ({ clientId, issuer, callback }: Values): readonly Snippet[] => [
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
  {
    title: "React Native",
    text: `import { authorize } from "react-native-app-auth";

const tokens = await authorize({
  issuer: "${issuer}",
  clientId: "${clientId}",
  redirectUrl: "${callback}",
  scopes: ["openid", "profile", "email", "offline_access"],
});`,
  },
  {
    title: "Flutter",
    text: `// flutter_appauth
final tokens = await const FlutterAppAuth().authorizeAndExchangeCode(
  AuthorizationTokenRequest(
    '${clientId}',
    '${callback}',
    issuer: '${issuer}',
    scopes: ['openid', 'profile', 'email', 'offline_access'],
  ),
);`,
  },
];
