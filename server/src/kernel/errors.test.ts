import { describe, expect, test } from "vitest";
import { AppError, defineErrors, invalidFields } from "./errors.ts";

const errors = defineErrors("users", {
  login_name_taken: [409, "This name is taken"],
  unknown_user: [404, "There is no such user"],
});

describe("defineErrors", () => {
  test("makes an error with the feature's code, its status and its public message", () => {
    const error = errors.login_name_taken();
    expect(error).toBeInstanceOf(AppError);
    expect(error).toMatchObject({ code: "users.login_name_taken", status: 409, message: "This name is taken" });
    expect(errors.unknown_user()).toMatchObject({ code: "users.unknown_user", status: 404 });
  });

  test("makes a new error on every call, so that each has its own stack", () => {
    expect(errors.unknown_user()).not.toBe(errors.unknown_user());
  });

  test("keeps the cause for the log and out of the public message", () => {
    const cause = new Error("duplicate key value violates users_login_key");
    const error = errors.login_name_taken(cause);
    expect(error.cause).toBe(cause);
    expect(error.message).not.toContain("users_login_key");
  });
});

describe("AppError", () => {
  test("is an Error that carries headers and fields for the renderer", () => {
    const error = new AppError("login.busy", 503, "Try again in a moment", { headers: { "retry-after": "1" } });
    expect(error).toBeInstanceOf(Error);
    expect(error).toMatchObject({ name: "AppError", headers: { "retry-after": "1" }, errors: undefined });
  });
});

describe("invalidFields", () => {
  const name = { field: "username", code: "required", message: "Give a username" };
  const mail = { field: "email", code: "format", message: "This is not an email address" };

  test("says what is wrong with the only field", () => {
    expect(invalidFields([name])).toMatchObject({ status: 400, code: "request.invalid", message: "Give a username", errors: [name] });
  });

  test("names every field when there are more", () => {
    const error = invalidFields([name, mail]);
    expect(error.errors).toEqual([name, mail]);
    expect(error.message).not.toBe(name.message);
  });

  test("takes a code of the feature's own", () => {
    expect(invalidFields([mail], "users.invalid").code).toBe("users.invalid");
  });
});
