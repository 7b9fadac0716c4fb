import { useQuery } from "@tanstack/react-query";
import { useRealm } from "../app/session.tsx";

export interface Count {
  readonly total: number;
  /** True where the server guesses, because counting all of them would take too long. */
  readonly estimated: boolean;
}

/** The number of items of a list, by its headers alone. */
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
