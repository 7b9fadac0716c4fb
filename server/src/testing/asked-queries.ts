import { CompiledQuery, createQueryId, type RootOperationNode } from "kysely";
import type { Db } from "../platform/db/index.ts";

/** The queries that are asked of `watched`, with the plans that Postgres makes for them. */
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
    /** Forgets those so far. */
    clear: () => void asked.splice(0),
    texts: () => compiled().map(({ sql }) => sql),
    /** Covers the queries that read, but none that was an `explain` itself. */
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
