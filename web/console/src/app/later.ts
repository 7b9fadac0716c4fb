import { type ComponentType, lazy } from "react";
import { createStore } from "./store.ts";

const AGAIN = 2_000;
const LEFT = "gatehouse-left";

/** True where the server has another console than this page, and only loading the page again helps. */
export const outdated = createStore(false);

/** Loads a part. A file of an earlier release is gone after an upgrade: the page is then loaded anew, once, unless something typed would be lost. */
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
      throw new Error("The server has a newer console. Load this page again.");
    }
    sessionStorage.setItem(LEFT, `${left} ${own}`);
    location.reload();
    return new Promise(() => {});
  }
}

/** A part that is loaded after the page. If the server cannot be reached just then, it is tried again: the page goes on without it. */
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
