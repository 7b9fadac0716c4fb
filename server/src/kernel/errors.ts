/** A member of a request that is wrong. */
export interface FieldError {
  readonly field: string;
  readonly code: string;
  readonly message: string;
}

/** The only error that a feature throws. `message` is public; `cause` is for the log. */
export class AppError extends Error {
  readonly code: string;
  readonly status: number;
  readonly errors: readonly FieldError[] | undefined;
  readonly headers: Readonly<Record<string, string>> | undefined;
  /** The page on which the user can prove what the request is missing. */
  readonly stepUpUrl: string | undefined;
  /** The address of the application that made the request. A page for people leads back to it. */
  readonly home: string | undefined;

  constructor(
    code: string,
    status: number,
    message: string,
    options: {
      cause?: unknown;
      errors?: readonly FieldError[];
      headers?: Readonly<Record<string, string>>;
      stepUpUrl?: string;
      home?: string | undefined;
    } = {},
  ) {
    super(message, { cause: options.cause });
    this.name = "AppError";
    this.code = code;
    this.status = status;
    this.errors = options.errors;
    this.headers = options.headers;
    this.stepUpUrl = options.stepUpUrl;
    this.home = options.home;
  }
}

type ErrorTable = Record<string, readonly [status: number, message: string]>;

/** Declares the errors of a feature as a table: `{ login_name_taken: [409, "…"] }`. The code becomes `users.login_name_taken`. */
export function defineErrors<T extends ErrorTable>(feature: string, table: T) {
  const make = ([name, [status, message]]: [string, readonly [number, string]]) =>
    [name, (cause?: unknown) => new AppError(`${feature}.${name}`, status, message, { cause })] as const;
  return Object.fromEntries(Object.entries(table).map(make)) as { [K in keyof T]: (cause?: unknown) => AppError };
}

/** Returns a 429 with `Retry-After`. `what` is the subject, as in "Too many attempts". */
export const tooMany = (code: string, what: string, seconds: number): AppError =>
  new AppError(code, 429, `${what}. Please try again in ${seconds} ${seconds === 1 ? "second" : "seconds"}.`, {
    headers: { "retry-after": String(seconds) },
  });

/** Returns a 400 that names its fields, for rules that a schema cannot express. */
export const invalidFields = (errors: readonly FieldError[], code = "request.invalid") =>
  new AppError(code, 400, errors.length === 1 ? errors[0]!.message : "Some members of the request are not valid", { errors });

/** Returns a 400 for a body or file that cannot be read. */
export const malformed = (message: string, cause?: unknown): AppError =>
  new AppError("request.malformed", 400, message, { cause, errors: [] });
