/** A member of a request that is wrong. */
export interface FieldError {
  readonly field: string;
  readonly code?: string;
  readonly message: string;
}

/** An error of the admin API (RFC 9457). */
export interface Problem {
  readonly type?: string;
  readonly title?: string;
  readonly status: number;
  readonly code?: string;
  readonly detail?: string;
  readonly requestId?: string;
  readonly errors?: readonly FieldError[];
  /** The page on which the caller signs in again, if recent authentication is required. */
  readonly stepUpUrl?: string;
}

/** Thrown for every response that is not a success. */
export class ApiProblem extends Error {
  override readonly name = "ApiProblem";
  readonly problem: Problem;

  constructor(problem: Problem) {
    super(problem.detail ?? problem.title ?? `The server answered ${problem.status}`);
    this.problem = problem;
  }

  get status(): number {
    return this.problem.status;
  }

  get code(): string | undefined {
    return this.problem.code;
  }

  /** Returns the message for a member of the request, or undefined. */
  fieldError(field: string): string | undefined {
    return this.problem.errors?.find((error) => error.field === field)?.message;
  }
}

/** Reads the problem of a response. A body in another form (such as a proxy's page) becomes a problem with only the status. */
export async function problemOf(response: Response): Promise<ApiProblem> {
  const text = await response.text().catch(() => "");
  try {
    const body = JSON.parse(text) as Partial<Problem>;
    return new ApiProblem({ ...body, status: response.status });
  } catch {
    return new ApiProblem({ status: response.status, title: response.statusText || `The server answered ${response.status}` });
  }
}
