import { v7 } from "uuid";
import { clock } from "./clock.ts";

/** A new identifier: UUIDv7, so that primary keys grow to the right. */
export const newId = (): string => v7({ msecs: clock.now() });

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** Whether a path parameter can be an identifier at all: what cannot is a 404 before the database is asked. */
export const isId = (value: string): boolean => UUID.test(value);
