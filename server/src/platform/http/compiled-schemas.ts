import { referredTo } from "./schemas.ts";

/** Functions made from schemas. They are shared in a process that starts many servers with the same routes, as tests do. */
export interface CompiledSchemas {
  /** Returns the function of this kind for the schema's text and the named schemas that it refers to. Makes it if there is none. */
  get<T>(kind: string, schema: unknown, named: Record<string, unknown>, make: () => T): T;
}

export function compiledSchemas(): CompiledSchemas {
  const made = new Map<string, unknown>();
  return {
    get<T>(kind: string, schema: unknown, named: Record<string, unknown>, make: () => T): T {
      const key = `${kind} ${JSON.stringify([schema, referredTo(schema, named)])}`;
      if (!made.has(key)) made.set(key, make());
      return made.get(key) as T;
    },
  };
}
