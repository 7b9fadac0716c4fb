import { CompiledQuery, createQueryId, type RootOperationNode } from "kysely";
import type { Db } from "../platform/db/index.ts";

/** Records the queries that are sent by `watched`, and returns the plans that Postgres makes for them. */
export function askedQueries(db: Db) {
  const asked: RootOperationNode[] = [];
  const watched = db.withPlugin({
    transformQuery: ({ node }) => {
      asked.push(node);
      return node;
    },
    transformResult: async ({ result }) => result,
  });
  const compiled = () => asked.map((node) => db.getExecutor().compileQuery(node, createQueryId()));
  return {
    watched,
    /** Forgets the queries so far. */
    clear: () => void asked.splice(0),
    texts: () => compiled().map(({ sql }) => sql),
    /** Returns the plans of the queries that read. Queries that are an `explain` themselves are left out. */
    async plans(): Promise<string[]> {
      const plans: string[] = [];
      for (const { query, sql, parameters } of compiled()) {
        if (query.kind === "SelectQueryNode" ? query.explain : query.kind !== "RawNode") continue;
        const { rows } = await db.executeQuery(CompiledQuery.raw(`explain ${sql}`, [...parameters]));
        plans.push(JSON.stringify(rows));
      }
      return plans;
    },
  };
}
