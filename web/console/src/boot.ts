// Runs before the console's code is loaded: it requests who the visitor is while that code is being fetched. `app/session.tsx` takes the answer.
const [here, realm = "master"] = /^\/console\/(?:realms(?:\/([^/]+).*)?)?$/.exec(location.pathname) ?? [];

if (here !== undefined) {
  const url = `/admin/realms/${realm}/whoami`;
  const answer = fetch(url, { headers: { accept: "application/json" } }).catch(() => null);
  Object.assign(globalThis, { begun: { url, answer } });
}

export {};
