import { ApiProblem, createApi, type ListResult, type RequestOptions, type Result } from "@gatehouse/api";
import { served } from "../i18n/index.ts";
import { askToSignInAgain } from "./sign-in-again.tsx";
import { createStore } from "./store.ts";

export const api = createApi();

/** The errors of a session that is too old for the call, or that has proven too little for the admin API. */
const STEP_UP: readonly (string | undefined)[] = ["auth.recent_authentication_required", "auth.insufficient_authentication"];

/** The state of the server, by the last call. */
export const health = createStore<"well" | "failing" | "unreachable">("well");

/** Makes a call and records whether the server answered. A refusal counts as an answer. */
async function observed<T>(call: () => Promise<T>): Promise<T> {
  try {
    const result = await call();
    health.set("well");
    return result;
  } catch (error) {
    if (error instanceof ApiProblem) health.set(error.status >= 500 ? "failing" : "well");
    else if (error instanceof TypeError) health.set("unreachable");
    throw error;
  }
}

/** Repeats a write that was refused for its CSRF token. A page of another realm in another tab has replaced the cookie, and any read sets it again. */
async function withToken<T>(realm: string, call: () => Promise<T>): Promise<T> {
  try {
    return await observed(call);
  } catch (error) {
    if (!(error instanceof ApiProblem && error.code === "auth.csrf")) throw error;
    await observed(() => api.request("GET", `/admin/realms/${encodeURIComponent(realm)}/whoami`));
    return observed(call);
  }
}

/** Repeats a call after the user has signed in again, so that no typed text is lost. If the user cancels, it throws the first refusal. */
async function withSignIn<T>(realm: string, call: () => Promise<T>): Promise<T> {
  try {
    return await withToken(realm, call);
  } catch (error) {
    if (!(error instanceof ApiProblem)) throw error;
    const expired = error.status === 401;
    if (!expired && !STEP_UP.includes(error.code)) throw error;
    const reason = expired ? "expired" : "recent";
    if (!(await askToSignInAgain({ realm, reason, url: error.problem.stepUpUrl }))) throw error;
    return withSignIn(realm, call);
  }
}

/** Reads an address without a question about the session, for a page on which nothing is typed yet. */
export const readOnce = async <T>(url: string): Promise<T> => (await observed(() => api.request<T>("GET", url))).data;

/** The calls of one realm. Paths begin below `/admin/realms/{realm}`. */
export interface RealmApi {
  readonly realm: string;
  url(path: string): string;
  list<T>(path: string, options?: RequestOptions): Promise<ListResult<T>>;
  get<T>(path: string, options?: RequestOptions): Promise<Result<T>>;
  send<T>(method: "POST" | "PUT" | "PATCH" | "DELETE", path: string, options?: RequestOptions): Promise<Result<T>>;
}

export function realmApi(realm: string): RealmApi {
  const url = (path: string) => `/admin/realms/${encodeURIComponent(realm)}${path}`;
  return {
    realm,
    url,
    list: (path, options) => withSignIn(realm, () => api.list(url(path), options)),
    get: (path, options) => withSignIn(realm, () => api.request("GET", url(path), options)),
    send: (method, path, options) => withSignIn(realm, () => api.request(method, url(path), options)),
  };
}

/** The calls that belong to no realm: `/admin/realms`, `/admin/metrics/summary`. */
export const serverApi = {
  list: <T>(path: string, options?: RequestOptions) => withSignIn("master", () => api.list<T>(path, options)),
  get: <T>(path: string, options?: RequestOptions) => withSignIn("master", () => api.request<T>("GET", path, options)),
  send: <T>(method: string, path: string, options?: RequestOptions) => withSignIn("master", () => api.request<T>(method, path, options)),
};

/** Returns the messages of any error for people, in their language: of a problem, and of each wrong member that the first message does not name. */
export function messagesOf(error: unknown): readonly string[] {
  const errors = error instanceof ApiProblem ? (error.problem.errors ?? []) : [];
  const first = messageOf(error);
  return [first, ...new Set(errors.map(({ message }) => served(message)).filter((message) => !first.includes(message)))];
}

/** Returns the message of any error for people. */
export function messageOf(error: unknown): string {
  if (error instanceof ApiProblem) return served(error.message);
  if (error instanceof TypeError) return "The server cannot be reached. Check your connection and try again.";
  return served(error instanceof Error ? error.message : String(error));
}
