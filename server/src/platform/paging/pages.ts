import { type RawBuilder, type SelectQueryBuilder, sql } from "kysely";
import Type, { type Static } from "typebox";
import { AppError, invalidFields } from "../../kernel/errors.ts";
import { weightOf } from "../../kernel/weight.ts";
import type { Db, Tables } from "../db/index.ts";

const MAX_OFFSET = 10_000;
/** Totals are exact up to this number. Beyond it, the planner's estimate is used. */
export const EXACT_TOTAL = 10_000;
/** The rows that the first statement reads: a thousand rows of a megabyte would fill the memory before anyone notices. */
const STEP = 101;
/** The characters that a later statement reads, and those of a page. */
const MOST_AT_ONCE = 8 * 1024 * 1024;
const MOST_OF_PAGE = 32 * 1024 * 1024;

/** The query members of every list. Features add their filters with `listQuery({ … })`. */
const listMembers = {
  page: Type.Optional(
    Type.Integer({ minimum: 0, maximum: 1_000_000, default: 0, description: "The page, from 0. `page × size` may be at most 10,000" }),
  ),
  size: Type.Optional(Type.Integer({ minimum: 1, maximum: 1000, default: 100 })),
  search: Type.Optional(Type.String({ maxLength: 320, description: "The beginning of a name or email address, or a whole id" })),
  sort: Type.Optional(Type.String({ maxLength: 64, description: "The field to sort by, with `-` before it for descending order" })),
  cursor: Type.Optional(
    Type.String({ maxLength: 2048, description: "The cursor from `Link rel=next`, at which the list continues, at any depth" }),
  ),
};
export const listQuery = <T extends Record<string, Type.TSchema>>(filters: T) =>
  Type.Object({ ...listMembers, ...filters }, { additionalProperties: false });
export const ListQuery = listQuery({});
export type ListQuery = Static<typeof ListQuery>;

export interface ListOrder {
  /** Maps each sortable field to the (never null, indexed) expression to sort by. */
  readonly sorts: Record<string, RawBuilder<unknown>>;
  readonly defaultSort: string;
  /** The expression that breaks ties, so that a page never repeats or skips a row. */
  readonly id: RawBuilder<unknown>;
}

/** The order of a list by columns, or by expressions over them. */
export function listOrder(
  defaultSort: string,
  sorts: Readonly<Record<string, string | RawBuilder<unknown>>>,
  id: string | RawBuilder<unknown>,
): ListOrder {
  const expressionOf = (by: string | RawBuilder<unknown>) => (typeof by === "string" ? sql.ref(by) : by);
  const expressions = Object.entries(sorts).map(([field, by]) => [field, expressionOf(by)] as const);
  return { sorts: Object.fromEntries(expressions), defaultSort, id: expressionOf(id) };
}

export interface Page<Row> {
  readonly rows: Row[];
  readonly total: number;
  readonly estimated: boolean;
  readonly nextCursor: string | null;
}

interface Cursor {
  readonly sort: string;
  readonly value: unknown;
  readonly id: string;
}

export const mapPage = <A, B>(page: Page<A>, map: (row: A) => B): Page<B> => ({ ...page, rows: page.rows.map((row) => map(row)) });

/** Returns one page of `query` (which already filters by realm and selects its columns), and the total number of rows. */
export async function pageOf<TB extends keyof Tables, Row>(
  db: Db,
  query: SelectQueryBuilder<Tables, TB, Row>,
  order: ListOrder,
  { page = 0, size = 100, sort = order.defaultSort, cursor }: ListQuery,
  /** Counts the rows, if that is cheaper than counting the rows of `query`. */
  count: () => Promise<{ total: number; estimated: boolean }> = () => countUpTo(db, query),
): Promise<Page<Row>> {
  refuseTooDeep(page, size, "Pages beyond 10,000 rows are reached by following `Link rel=next`, or by a narrower search");
  const descending = sort.startsWith("-");
  const field = sort.replace(/^-/, "");
  const expression = Object.hasOwn(order.sorts, field) ? order.sorts[field] : undefined;
  if (!expression) {
    const known = Object.keys(order.sorts).join(", ");
    throw invalidFields([{ field: "sort", code: "enum", message: `sort must be one of: ${known}, with - before it for descending` }]);
  }
  const direction = descending ? sql`desc` : sql`asc`;
  const from = cursor === undefined ? null : decodeCursor(cursor, sort);
  const beyond = descending ? sql`<` : sql`>`;
  const keys = [expression.as("__sort"), order.id.as("__id")] as const;
  const inOrder = sql`${expression} ${direction}, ${order.id} ${direction}`;

  type Keyed = Row & { __sort: unknown; __id: string };
  const stepFrom = async (place: Pick<Cursor, "value" | "id"> | null, comparison: RawBuilder<unknown>, limit: number) =>
    (await query
      .select(keys)
      .$if(place !== null, (q) => q.where(sql<boolean>`(${expression}, ${order.id}) ${comparison} (${place?.value}, ${place?.id})`))
      .orderBy(inOrder)
      .limit(limit)
      .execute()
      .catch((error) => refuseForeignValues(error, from))) as Keyed[];
  const rowsFrom = async (place: Pick<Cursor, "value" | "id"> | null, comparison: RawBuilder<unknown>) => {
    const rows: Keyed[] = [];
    let weight = 0;
    for (let [at, how] = [place, comparison]; ; [at, how] = [{ value: rows.at(-1)!.__sort, id: rows.at(-1)!.__id }, beyond]) {
      const fitting = rows.length === 0 ? STEP : Math.max(STEP, Math.floor((MOST_AT_ONCE * rows.length) / weight));
      const limit = Math.min(fitting, size + 1 - rows.length);
      const step = await stepFrom(at, how, limit);
      rows.push(...step);
      weight += weightOf(step);
      if (weight > MOST_OF_PAGE) throw tooLarge();
      if (step.length < limit || rows.length > size) return rows;
    }
  };
  /** Finds the beginning of the page by the keys alone. With a plain `offset`, Postgres would compute all columns of the rows that it skips. */
  const rowsOfPage = async () => {
    const first = (await query
      .clearSelect()
      .select(keys)
      .orderBy(inOrder)
      .offset(page * size)
      .limit(1)
      .executeTakeFirst()) as { __sort: unknown; __id: string } | undefined;
    return first ? rowsFrom({ value: first.__sort, id: first.__id }, sql`${beyond}=`) : [];
  };
  const [rows, total] = await Promise.all([from === null && page > 0 ? rowsOfPage() : rowsFrom(from, beyond), count()]);
  const shown = rows.slice(0, size);
  const last = rows.length > size ? shown.at(-1) : undefined;
  const nextCursor = last ? encodeCursor({ sort, value: last.__sort, id: last.__id }) : null;
  return { rows: shown.map(({ __sort, __id, ...row }) => row as Row), ...total, nextCursor };
}

function tooLarge(): AppError {
  const message = "size: these records are too large for one page: ask for fewer";
  return new AppError("list.too_large", 400, message, { errors: [{ field: "size", code: "too_large", message }] });
}

/** Refuses a page that is too deep, for which Postgres would have to walk over all earlier rows. `advice` says how to get there instead. */
export function refuseTooDeep(page: number, size: number, advice: string): void {
  if (page * size <= MAX_OFFSET) return;
  throw new AppError("list.too_deep", 400, advice, {
    errors: [{ field: "page", code: "too_deep", message: "page × size may not exceed 10,000" }],
  });
}

/** Counts the rows: exactly up to 10,000, beyond that by an estimate. An exact count of a million rows would cost more than the page. */
export async function countUpTo<TB extends keyof Tables, Row>(
  db: Db,
  query: SelectQueryBuilder<Tables, TB, Row>,
): Promise<{ total: number; estimated: boolean }> {
  const total = await countBeyond(db, query, EXACT_TOTAL);
  if (total <= EXACT_TOTAL) return { total, estimated: false };
  return { total: Math.max(total, await estimate(bareRows(query))), estimated: true };
}

/** Counts rows, but stops at one more than `most`. */
export async function countBeyond<TB extends keyof Tables, Row>(
  db: Db,
  query: SelectQueryBuilder<Tables, TB, Row>,
  most: number,
): Promise<number> {
  const { total } = await db
    .selectFrom(
      bareRows(query)
        .limit(most + 1)
        .as("counted"),
    )
    .select(({ fn }) => fn.countAll<number>().as("total"))
    .executeTakeFirstOrThrow();
  return total;
}

const bareRows = <TB extends keyof Tables, Row>(query: SelectQueryBuilder<Tables, TB, Row>) =>
  query.clearSelect().clearOrderBy().select(sql`1`.as("one"));

/** Returns the number of rows that the planner expects. */
export async function estimate(query: { explain(format: "json"): Promise<unknown> }): Promise<number> {
  const [plan] = (await query.explain("json")) as { "QUERY PLAN": { Plan: { "Plan Rows": number } }[] }[];
  return Math.round(plan?.["QUERY PLAN"][0]?.Plan["Plan Rows"] ?? 0);
}

const encodeCursor = (cursor: Cursor): string => Buffer.from(JSON.stringify([cursor.sort, cursor.value, cursor.id])).toString("base64url");

function decodeCursor(text: string, sort: string): Cursor {
  try {
    const [cursorSort, value, id] = JSON.parse(Buffer.from(text, "base64url").toString("utf8"));
    const valid = cursorSort === sort && ["string", "number"].includes(typeof value) && typeof id === "string";
    if (valid) return { sort, value, id };
  } catch {
    // An invalid cursor is refused below, like a cursor of another sort order.
  }
  throw badCursor();
}

const badCursor = (cause?: unknown) => {
  const message = "cursor must come from a Link header of this list with the same sort";
  return new AppError("request.invalid", 400, message, { errors: [{ field: "cursor", code: "cursor", message }], cause });
};

/** Refuses a cursor that was made by hand, with a value that cannot be compared with the column: SQLSTATE class 22, "data exception". */
function refuseForeignValues(error: unknown, cursor: Cursor | null): never {
  throw cursor !== null && /^22/.test(String((error as { code?: unknown })?.code)) ? badCursor(error) : error;
}
