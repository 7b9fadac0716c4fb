import "@fontsource-variable/inter/wght.css";
import "@mantine/core/styles.css";
import "@mantine/notifications/styles.css";
import "@mantine/spotlight/styles.css";
import "./console.css";
import { ApiProblem } from "@gatehouse/api";
import { MantineProvider } from "@mantine/core";
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { RouterProvider } from "@tanstack/react-router";
import { setNonce } from "get-nonce";
import { Suspense } from "react";
import { createRoot } from "react-dom/client";
import { entries } from "./app/areas.ts";
import { later } from "./app/later.ts";
import { areaCode, router } from "./app/router.tsx";
import { whoAmI } from "./app/session.tsx";
import { begin } from "./i18n/index.ts";
import { cssVariables, theme } from "./theme.ts";

// Dialogs and messages are loaded after the page.
const Notifications = later(async () => (await import("@mantine/notifications")).Notifications);
const ConfirmDialog = later(async () => (await import("./kit/confirm.tsx")).ConfirmDialog);
const SignInAgain = later(async () => (await import("./app/sign-in-dialog.tsx")).SignInAgain);

// The policy of the page allows only styles with this nonce.
const nonce = document.querySelector<HTMLMetaElement>('meta[name="csp-nonce"]')?.content ?? "";
setNonce(nonce);

const client = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 5_000,
      // Without a network, a call fails and shows an error instead of waiting.
      networkMode: "always",
      // A refusal is final. Only a server that cannot be reached or is overloaded is called again.
      retry: (failures, error) => failures < 2 && (!(error instanceof ApiProblem) || error.status >= 500),
    },
  },
});

// The code for the address is fetched while the page is still being rendered.
const [, realm, area] = /^\/console\/realms\/([^/]+)(?:\/([^/]+))?/.exec(location.pathname) ?? [];
if (realm !== undefined) void client.prefetchQuery(whoAmI(decodeURIComponent(realm)));
if (area !== undefined && area in entries) {
  void client.prefetchQuery(areaCode(area));
  if (area !== "overview") void import("./kit/list-page.tsx").catch(() => {});
}

await begin();
createRoot(document.getElementById("root")!).render(
  <MantineProvider theme={theme} cssVariablesResolver={cssVariables} defaultColorScheme="auto" getStyleNonce={() => nonce}>
    <QueryClientProvider client={client}>
      <RouterProvider router={router} />
      <Suspense fallback={null}>
        {/* The buttons of drawers and dialogs are at the right. */}
        <Notifications position="bottom-center" />
        <ConfirmDialog />
        <SignInAgain />
      </Suspense>
    </QueryClientProvider>
  </MantineProvider>,
);
