import { UserManager } from "oidc-client-ts";

// { authority: "http://localhost:8080/realms/acme", client_id: "spa" }
const config = await (await fetch("/config.json")).json();
const here = `${location.origin}/`;
const users = new UserManager({ ...config, redirect_uri: here, post_logout_redirect_uri: here, scope: "openid profile email" });

const [title, text, button] = ["title", "text", "button"].map((id) => document.getElementById(id));
const offer = (label, act) => {
  Object.assign(button, { textContent: label, onclick: act, hidden: false });
};

try {
  // After the sign-in: exchange the code for tokens and remove it from the address bar.
  const back = new URLSearchParams(location.search);
  if (back.has("state") && (back.has("code") || back.has("error"))) {
    await users.signinCallback();
    history.replaceState({}, "", "/");
  }
  const user = await users.getUser();
  if (user && !user.expired) {
    title.textContent = `Hello ${user.profile.name ?? user.profile.preferred_username}`;
    text.textContent = `Your address is ${user.profile.email ?? "not known"}.`;
    offer("Sign out", () => users.signoutRedirect());
  } else offer("Sign in", () => users.signinRedirect());
} catch (error) {
  text.textContent = `Signing in failed: ${error.message}`;
  offer("Start again", () => location.assign("/"));
}
