import { useQuery } from "@tanstack/react-query";
import { useRealm } from "../app/session.tsx";

export interface Count {
  readonly total: number;
  /** True if the server estimates, because counting all rows would take too long. */
  readonly estimated: boolean;
}

/** Returns the number of items of a list, from its headers alone. */
export function useCount(path: string, allowed: boolean): Count | undefined {
  const { api, realm } = useRealm();
  return useQuery({
    queryKey: [realm, "count", path],
    queryFn: async () => {
      const { total, estimated } = await api.list(path, { query: { size: 1 } });
      return { total, estimated };
    },
    enabled: allowed,
  }).data;
}
