import { ApiProblem } from "@gatehouse/api";
import { Button, Group, Stack, Text, Title } from "@mantine/core";
import { queryOptions, useQuery } from "@tanstack/react-query";
import { createRootRoute, createRoute, createRouter, Navigate, Outlet, useNavigate, useParams, useSearch } from "@tanstack/react-router";
import { Suspense, useEffect } from "react";
import { loadHelp, useText } from "../i18n/index.ts";
import type { ListSearch } from "../kit/list-page.tsx";
import { Empty, Failure, Rows } from "../kit/states.tsx";
import { entries, isVisible } from "./areas.ts";
import { later, loaded } from "./later.ts";
import { RealmProvider, useRealm, useWhoAmI } from "./session.tsx";
import { Shell } from "./shell.tsx";
import { SignedIn, signInUrl } from "./sign-in-again.tsx";

// This part is loaded at the same time as the area, after the frame.
const ListPage = later(async () => (await import("../kit/list-page.tsx")).ListPage);
const RecordPage = later(async () => (await import("../kit/record-page.tsx")).RecordPage);
const Realms = later(async () => (await import("../areas/realms.tsx")).Realms);

const TryItCallback = later(async () => (await import("../areas/try-it.callback.tsx")).TryItCallback);

const root = createRootRoute({ component: Outlet, notFoundComponent: NotFound });

const home = createRoute({
  getParentRoute: () => root,
  path: "/",
  component: () => <Navigate to={"/realms/master/overview" as never} replace />,
});

const signedIn = createRoute({ getParentRoute: () => root, path: "/signed-in", component: SignedIn });

const tryItCallback = createRoute({
  getParentRoute: () => root,
  path: "/try-it/callback",
  component: () => (
    <Suspense fallback={<Rows />}>
      <TryItCallback />
    </Suspense>
  ),
});

/** Reads the state of a list from the address. Every value is a text. */
const listSearch = (search: Record<string, unknown>): ListSearch =>
  Object.fromEntries(
    Object.entries(search).flatMap(([name, value]) => (value === undefined || value === null ? [] : [[name, String(value)]])),
  );

const realms = createRoute({
  getParentRoute: () => root,
  path: "/realms",
  validateSearch: listSearch,
  component: () => (
    <InRealm realm="master">
      <Suspense fallback={<Rows />}>
        <Realms />
      </Suspense>
    </InRealm>
  ),
});

const realm = createRoute({
  getParentRoute: () => root,
  path: "/realms/$realm",
  component: function Realm() {
    const { realm: name } = useParams({ strict: false }) as { realm: string };
    return (
      <InRealm realm={name} key={name}>
        <Suspense fallback={<Rows />}>
          <Outlet />
        </Suspense>
      </InRealm>
    );
  },
});

const start = createRoute({
  getParentRoute: () => realm,
  path: "/",
  component: function Start() {
    const { realm: name } = useParams({ strict: false }) as { realm: string };
    return <Navigate to={`/realms/${name}/overview` as never} replace />;
  },
});

const area = createRoute({ getParentRoute: () => realm, path: "/$area", validateSearch: listSearch, component: AreaRoute });
const record = createRoute({ getParentRoute: () => realm, path: "/$area/$id", validateSearch: listSearch, component: AreaRoute });

/** The query for the code of an area, which is loaded once. */
export const areaCode = (name: string) =>
  queryOptions({
    queryKey: ["area", name],
    queryFn: () => loaded(async () => (await Promise.all([entries[name]!.load(), name === "overview" ? null : loadHelp()]))[0]),
    enabled: name in entries,
    staleTime: Number.POSITIVE_INFINITY,
    // Loaded code is not fetched again. If it could not be fetched, this is repeated when the network is back.
    refetchOnReconnect: ({ state }) => (state.status === "error" ? "always" : false),
  });

/** The first page has no link behind it: the keyboard begins at the top. */
let hasArrived = false;

/** Moves the focus to a page whose link went with the page before. It would be nowhere otherwise, and the keyboard at the top. */
function useArrival(place: string): void {
  // biome-ignore lint/correctness/useExhaustiveDependencies: each place is an arrival
  useEffect(() => {
    if (hasArrived && document.activeElement === document.body) document.getElementById("main")?.focus();
    hasArrived = true;
  }, [place]);
}

/** Shows the list, the record, the form for a new one, or the page of an area. */
function AreaRoute() {
  const t = useText();
  const session = useRealm();
  const { area: name = "", id } = useParams({ strict: false }) as { area?: string; id?: string };
  const search = useSearch({ strict: false }) as ListSearch;
  const navigate = useNavigate();
  const entry = entries[name];
  const code = useQuery(areaCode(name));
  useArrival(`${name}/${id}`);
  if (!entry) return <NotFound />;
  if (!isVisible(entry, session))
    return (
      <Empty
        title={t("You may not see this")}
        text={t("Ask an administrator for one of these permissions: {permissions}", { permissions: entry.permission.join(", ") })}
      />
    );
  if (code.isLoadingError) return <Failure error={code.error} retry={() => code.refetch()} />;
  if (code.isPending) return <Rows />;
  if ("Page" in code.data) return <code.data.Page />;
  const { resource } = code.data;
  const set = (next: ListSearch, push = false) => void navigate({ to: ".", search: next as never, replace: !push });
  if (id === undefined) return <ListPage key={name} resource={resource} area={name} search={search} setSearch={set} />;
  if (id === "new" && resource.CreatePage && session.may(...resource.permission.manage)) return <resource.CreatePage />;
  return <RecordPage key={id} resource={resource} area={name} id={id} tab={search.tab} setTab={(tab) => set({ tab })} />;
}

/** Loads the session before it shows anything of the realm. */
function InRealm({ realm: name, children }: { realm: string; children: React.ReactNode }) {
  const me = useWhoAmI(name);
  if (me.isPending) return <Rows />;
  if (me.isLoadingError) return <NoAccess realm={name} error={me.error} retry={() => void me.refetch()} />;
  return (
    <RealmProvider realm={name} me={me.data}>
      <Shell>{children}</Shell>
    </RealmProvider>
  );
}

function NoAccess({ realm: name, error, retry }: { realm: string; error: unknown; retry: () => void }) {
  const t = useText();
  const status = error instanceof ApiProblem ? error.status : 0;
  if (status !== 401 && status !== 403 && status !== 404) return <Failure error={error} retry={retry} />;
  const here = location.pathname + location.search;
  return (
    <Stack p="xl" maw={520} m="auto">
      <Title order={1} size="h2">
        {status === 404 ? t("There is no realm {realm}", { realm: name }) : t("Sign in to manage {realm}", { realm: name })}
      </Title>
      <Text>
        {status === 403 ? t("Your account has no admin permissions here.") : t("Administrators of the realm and of master can open it.")}
      </Text>
      <Group>
        {status !== 404 && (
          <Button component="a" href={signInUrl(name, here)}>
            {t("Sign in to {realm}", { realm: name })}
          </Button>
        )}
        {name !== "master" && (
          <Button component="a" variant="default" href={signInUrl("master", status === 404 ? "/console/" : here)}>
            {t("Sign in to {realm}", { realm: "master" })}
          </Button>
        )}
      </Group>
    </Stack>
  );
}

function NotFound() {
  const t = useText();
  return <Empty title={t("There is nothing at this address")} text={t("Choose an area from the navigation.")} />;
}

export const router = createRouter({
  routeTree: root.addChildren([home, signedIn, tryItCallback, realms, realm.addChildren([start, area, record])]),
  basepath: "/console",
  defaultPreload: false,
  scrollRestoration: true,
  // People read and copy addresses, so their parameters are plain texts and never JSON.
  parseSearch: (text) => Object.fromEntries(new URLSearchParams(text)),
  stringifySearch: (search) => {
    const text = new URLSearchParams(
      Object.entries(search as ListSearch).filter((pair): pair is [string, string] => pair[1] !== undefined && pair[1] !== ""),
    ).toString();
    return text && `?${text}`;
  },
});
