import { useEffect } from "react";
import { createStore } from "./store.ts";

/** The name of the record that the page shows, for breadcrumbs and the title of the window. */
export const recordName = createStore<string | null>(null);

/** Sets the name while the page is shown. */
export function useNamed(record: string | null): void {
  useEffect(() => {
    recordName.set(record);
    return () => recordName.set(null);
  }, [record]);
}
