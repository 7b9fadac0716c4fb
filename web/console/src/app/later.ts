import { type ComponentType, lazy } from "react";
import { createStore } from "./store.ts";

const AGAIN = 2_000;
const LEFT = "gatehouse-left";

/** True if the server has another version of the console than this page. Then only loading the page again helps. */
export const outdated = createStore(false);

/**
 * Loads a part of the console. After an upgrade, the file of an earlier release is gone: the page is then loaded again, once, unless typed text would be lost.
 */
export async function loaded<T>(load: () => Promise<T>): Promise<T> {
  try {
    return await load();
  } catch (error) {
    const own = document.querySelector<HTMLScriptElement>("script[src*='/shell-']")?.getAttribute("src") ?? "";
    const page = await fetch("/console/", { cache: "no-store" }).catch(() => null);
    if (!page?.ok || (await page.text()).includes(own)) throw error;
    const left = sessionStorage.getItem(LEFT) ?? "";
    // Every form with unsaved changes refuses this event.
    const isSaved = window.dispatchEvent(new Event("beforeunload", { cancelable: true }));
    if (left.includes(own) || !isSaved) {
      outdated.set(true);
      throw new Error("The server has a newer version of the console. Reload this page.");
    }
    sessionStorage.setItem(LEFT, `${left} ${own}`);
    location.reload();
    return new Promise(() => {});
  }
}

/** A part that is loaded after the page. If the server cannot be reached, it tries again, while the page works without the part. */
// biome-ignore lint/suspicious/noExplicitAny: every part has its own properties
export const later = <T extends ComponentType<any>>(load: () => Promise<T>) =>
  lazy(async () => {
    for (;;) {
      try {
        return { default: await loaded(load) };
      } catch {
        await new Promise((resolve) => setTimeout(resolve, AGAIN));
      }
    }
  });
