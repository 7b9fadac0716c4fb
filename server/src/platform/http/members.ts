import Type, { type Static } from "typebox";

/**
 * A stored member of a configuration record, declared once: its schema, its value if nothing was stored or sent, and its name elsewhere, such as in client
 * metadata (RFC 7591).
 */
export interface Member<S extends Type.TSchema = Type.TSchema, N extends string = string> {
  readonly schema: S;
  readonly initial: Static<S>;
  readonly name?: N;
}

type Members = Readonly<Record<string, Member>>;

export const member = <S extends Type.TSchema, N extends string = never>(schema: S, initial: Static<S>, name?: N): Member<S, N> =>
  name === undefined ? { schema, initial } : { schema, initial, name };

export const nullable = <T extends Type.TSchema>(schema: T, description?: string) =>
  Type.Union([schema, Type.Null()], description === undefined ? {} : { description });

/** The body of a PUT whose path says everything: none, or what GET returns there. */
export const bodyAsRead = <P extends Type.TProperties>({ properties }: Type.TObject<P>) => {
  const { properties: members } = Type.Partial(Type.Object(properties));
  return Type.Union([Type.Object(members, { additionalProperties: false }), Type.Null()], { examples: [{}] });
};

/** Declares a member that is null unless it is set. */
export const nullableMember = <T extends Type.TSchema, N extends string = never>(schema: T, description: string, name?: N) =>
  member(nullable(schema, description), null, name);

/** Declares a member that is false unless it is set. */
export const flagMember = <N extends string = never>(description: string, name?: N) => member(Type.Boolean({ description }), false, name);

type SchemasOf<M> = { [K in keyof M]: M[K] extends Member<infer S> ? S : never };

export const schemasOf = <M extends Members>(members: M): SchemasOf<M> =>
  Object.fromEntries(Object.entries(members).map(([key, { schema }]) => [key, schema])) as SchemasOf<M>;

/** Makes each member optional. */
export const optional = <T extends Record<string, Type.TSchema>>(schemas: T) =>
  Object.fromEntries(Object.entries(schemas).map(([key, schema]) => [key, Type.Optional(schema)])) as {
    [K in keyof T]: Type.TOptional<T[K]>;
  };

type Immutable<T> = T extends readonly (infer E)[]
  ? readonly Immutable<E>[]
  : T extends object
    ? { readonly [K in keyof T]: Immutable<T[K]> }
    : T;

/** The record of all members. */
export type ValuesOf<M> = { readonly [K in keyof M]: M[K] extends Member<infer S> ? Immutable<Static<S>> : never };

/** Returns every member, with its initial value if `given` has none, so that rows of an older release gain the new members. Other members are left out. */
export const complete = <M extends Members>(members: M, given: Partial<ValuesOf<M>>): ValuesOf<M> =>
  Object.fromEntries(
    Object.entries(members).map(([key, { initial }]) => [key, given[key] === undefined ? initial : given[key]]),
  ) as ValuesOf<M>;

/** Maps the names elsewhere to the keys of the members that have one. */
type NamesOf<M> = { readonly [K in keyof M as M[K] extends Member<Type.TSchema, infer N> ? N : never]: K };

export const namesOf = <M extends Members>(members: M): NamesOf<M> =>
  Object.fromEntries(Object.entries(members).flatMap(([key, { name }]) => (name === undefined ? [] : [[name, key]]))) as NamesOf<M>;
