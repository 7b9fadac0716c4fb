import { useQuery } from "@tanstack/react-query";
import { useRealm } from "../app/session.tsx";

/** The number of items of a list, by its header alone. */
export function useCount(path: string, allowed: boolean): number | undefined {
  const { api, realm } = useRealm();
  return useQuery({
    queryKey: [realm, "count", path],
    queryFn: async () => (await api.list(path, { query: { size: 1 } })).total,
    enabled: allowed,
  }).data;
}
